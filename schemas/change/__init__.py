"""Tables of lexical semantic change.

`spaces` has slices, vectors, alignments and neighbours; then read `scores`.
"""
