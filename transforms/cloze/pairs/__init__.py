"""Pairs of passage and summary: read from files or corpora, cut, annotated, merged.

In: files, parts of corpora. Out: `cloze/pairs` and rejects. Read `pair`, `layouts`, `read_stage`, `merge_stage`.
A change here makes pairs anew, and what follows where these differ.
"""
