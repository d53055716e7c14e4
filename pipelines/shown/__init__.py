"""What is published in a folder, as a person reads it: sections, tables, rows.

In: a snapshot and its manifest. Out: lines and grids, and their HTML. Read `overview`.
"""
