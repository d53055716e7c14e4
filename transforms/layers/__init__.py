"""Layers: optional columns of `sentences` beyond lemma and part of speech.

In: tokens of an engine or of annotated input. Out: a value a token. Read `registry` (names) and `values` (how they
are computed). A change here touches the engines and the reader of CoNLL-U.
"""
