"""Pairs of passage and summary: read from files or corpora, cut, annotated, merged.

In: files, parts of corpora. Out: `cloze/pairs` and rejects. Read `pair`, `pair_layouts`, `loaded_pairs`.
A change here makes pairs anew, and what follows where these differ.
"""
