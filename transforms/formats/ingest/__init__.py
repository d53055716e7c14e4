"""Stage `corpus/ingest`: units of files become staging files of documents, and rejects.

In: patterns of input files. Out: staged records, one of each set of equal ones, and rejects. Read `listing`, `units`,
`listed` and `known` (which files there are, and what is known of them), `stage`, `staging`, `counts`, `cut`,
`duplicates`, `merges`, then `ptransforms` and `cut_ptransforms`. `settling` and `arrivals` are
for files that come while somebody looks.
A change here reads every corpus anew.
"""
