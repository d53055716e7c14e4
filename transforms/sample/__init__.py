"""A corpus with planted sense changes, to try the pipelines on and to measure them by.

In: a size and a seed. Out: documents with years, targets and gold. Read `language`, `planting`, `corpus`. A change
here makes another sample, and other figures of docs that rest on it.
"""
