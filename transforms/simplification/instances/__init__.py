"""Instances: words to simplify in their sentences, from benchmarks, files and the complexity task, or found in texts.

In: files of benchmarks; corpora and texts. Out: `simplification/instances`, `substitutes`, rejects. Read `instance`,
`layouts`, `read_stage`, `merge_stage`; of words that are found `content_words`, `complex_choice`, `find_stage`.
A change here reads files anew.
"""
