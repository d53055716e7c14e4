"""Pairs of passage and summary: read from files or corpora, cut, annotated, merged.

In: files, parts of corpora. Out: `cloze/pairs` and rejects.
Read in this order:

    pair                what a pair is: ids, flags, targets, annotation
    pair_layouts        records and documents as pairs
    loaded_pairs        pairs staged, joined, annotated, written

A change here makes pairs anew, and what follows where these differ.
"""
