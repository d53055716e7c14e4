"""The report: panels of every section in one HTML file that needs no network.

In: panels that tasks make of published tables. Out: a page. Read

    panels   what a report is made of; tables of counts
    charts   charts by Altair, without data
    page     panels as one HTML file

Nothing here changes a published table.
"""
