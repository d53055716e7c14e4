"""What is published in a folder, as a person reads it: sections, tables, rows.

In: a snapshot and its manifest. Out: lines and grids, and their HTML. Read `overview` (sections and tables, and how
reports begin), then `rows` (rows as text and JSON, blocks as HTML).
"""
