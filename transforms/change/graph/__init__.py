"""What a change run compares, and the Beam glue of the whole pipeline.

In: parts of `sentences`. Out: parts of the change tables. Read `comparisons`, then the glue in the order of the
data: `view_ptransforms`, `ptransforms` with `shard_ptransforms` and `context_ptransforms`, `null_ptransforms`,
`series_ptransforms`, `table_ptransforms`.
A change here decides what is compared; what a stage makes is named by its own task, and stays.
"""
