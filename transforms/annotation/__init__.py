"""Annotation: text to sentences with lemmas and parts of speech, by several engines.

In: staged documents. Out: tables `documents` and `sentences`. Read `annotate` and `annotated_tables`; `engines` has
what annotates.
A change here annotates every corpus anew.
"""
