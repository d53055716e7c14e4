"""Intake: files of rows that people bring, read record by record, with rejects.

In: tables and JSON lines. Out: rows and rejects, as sorted runs. Read `rows`, `row_files`.
"""
