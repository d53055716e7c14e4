"""Vectors from co-occurrence counts, by formulas alone.

In: sentences as words. Out: counts of contexts (`contexts`), and what they become: association, fewer dimensions by
decomposition or by chance (`weightings`), or a model of their logarithms (`glove`, with the equations of `_glove.c`).
`lexbeam.transforms.embeddings.representations` names them. Read `contexts` first. A change to it counts anew, one to
another module makes its vectors anew.
"""
