"""Stage `corpus/ingest`: units of files become staging files of documents, and rejects.

In: patterns of input files. Out: staged records, one of each set of equal ones, and rejects. Read `input_listing`
(which files there are), `file_changes` (what is known of them), `ingestion`, `staged_records`, `intake_tables`,
`cut_files` and `kept_files`, then `ptransforms`; `date_rules` for where a document's date is found, which
`date_guessing` proposes to `lexbeam init`.
A change here reads every corpus anew.
"""
