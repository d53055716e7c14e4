"""Pairs of passage and summary: read from files or corpora, cut, annotated, merged.

In: files, parts of corpora. Out: `cloze/pairs` and rejects. Read `pair`, `layouts`, `read_stage`, `merge_stage`.
"""
