"""The published tables: names, columns, docs, units and ranges. They are a contract.

A folder a section; `columns` says how a column and a table are described. Columns may be added, never
renamed; what is changed here changes published bytes, and raises the table's version.
"""
