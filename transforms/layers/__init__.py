"""Layers: optional columns of `sentences` beyond lemma and part of speech.

In: tokens of an engine or of annotated input. Out: a value a token. `registry` names the layers, `values` computes
them. A change here touches the engines and the reader of CoNLL-U.
"""
