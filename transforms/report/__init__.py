"""The report: panels of every section in one HTML file that needs no network.

In: panels that tasks make of published tables. Out: a page. Read `panels`, `charts`, `page`. Nothing
here changes a published table.
"""
