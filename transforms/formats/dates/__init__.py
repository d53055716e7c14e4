"""Where a document's date is found: rules, metadata tables, and guesses for `lexbeam init`.

In: a record and the rule of `--dates`. Out: a year, or why there is none. Read `rules`.
A change here reads corpora anew.
"""
