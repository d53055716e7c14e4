"""What is published in a folder, for a person: sections, tables, rows.

In: a snapshot and its manifest. Out: lines. Read `overview`.
"""
