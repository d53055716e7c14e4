"""Documents: whole texts with the chosen words of all their sentences in place.

In: files or parts of a corpus; later parts of instances, rankings, simplifications. Out: staged instances with the
places where they stand; `simplification/documents` and `changes`.
Read in this order:

    placed_texts                texts read, and their hard words with their places
    resolving                   texts with what was chosen; a row for each word
    documents_ptransforms       Beam glue, by way of all stages

A change here resolves texts anew.
"""
