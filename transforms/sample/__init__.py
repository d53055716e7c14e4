"""A corpus with planted sense changes, to try the pipelines on and to measure them by.

In: a size and a seed. Out: documents with years, targets and gold. Read `vocabulary`, `planting`, `language`,
`sentences`, `corpus`. A change here makes another sample, and other figures of docs that rest on it.
"""
