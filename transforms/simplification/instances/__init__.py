"""Instances: words to simplify in their sentences, from benchmarks, files and the complexity task.

In: files of benchmarks. Out: `simplification/instances`, `substitutes`, rejects. Read `instance`, `layouts`,
`read_stage`, `merge_stage`.
A change here reads files anew.
"""
