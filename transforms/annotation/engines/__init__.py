"""Engines of annotation: builtin, spaCy, Stanza; normalisation, languages guessed, tag sets.

In: texts. Out: sentences with lemmas and universal parts of speech. Read `engine` and `known_engines`. A change to an
engine makes anew what it annotated.
"""
