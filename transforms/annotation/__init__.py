"""Annotation: text to sentences with lemmas and parts of speech, by several engines.

In: staged documents. Out: tables `documents` and `sentences`.
Read in this order:

    engines                 what annotates
    annotate                a staging file annotated; the counts of a corpus
    annotated_tables        annotated documents staged, counted and merged
    landed_texts            texts that a stream has annotated, found again
    language_guessing       the language of a text, and an engine for it

A change here annotates every corpus anew.
"""
