"""Stage `corpus/ingest`: units of files become staging files of documents, and rejects.

In: units of files. Out: staged records, one of each set of equal ones, and rejects. Read `stage`, `staging`,
`cut`, `duplicates`, `merges`, then `ptransforms`.
A change here reads every corpus anew.
"""
