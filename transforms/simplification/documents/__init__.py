"""Documents: whole texts with the chosen words of all their sentences in place.

In: files or parts of a corpus; later parts of instances, rankings, simplifications. Out: staged instances with the
places where they stand; `simplification/documents` and `changes`.
Read `placed_texts`, `resolving`, `documents_ptransforms`. A change here resolves texts anew.
"""
