"""Stage `corpus/ingest`: units of files become staging files of documents, and rejects.

In: patterns of input files. Out: staged records, one of each set of equal ones, and rejects.
Read in this order:

    input_listing       which files there are, and in which units they are taken in
    file_changes        what is known of their digests, when they are whole, which have come, changed or gone
    ingestion           a unit of files as staging files
    staged_records      records and rejects in these files, and their keys
    duplicates          which of several equal records is kept
    intake_tables       rows of `inputs` and rejects, counted and merged
    cut_files           large files cut into pieces
    kept_files          what is kept of files that have gone
    ptransforms         Beam glue of all these
    date_rules          where a document's date is found
    date_guessing       which rule `lexbeam init` proposes

A change here reads every corpus anew.
"""
