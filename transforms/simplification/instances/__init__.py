"""Instances: words to simplify in their sentences, from benchmarks, files and the complexity task, or found in texts.

In: files of benchmarks; corpora and texts. Out: `simplification/instances`, `substitutes`, rejects. Read
`benchmark_layouts`, `instance_rows`, `instances_read`, `settled_instances`; of words that are found `content_words`,
`hard_words`, `found_instances`.
A change here reads files anew.
"""
