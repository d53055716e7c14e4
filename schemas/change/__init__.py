"""Tables of lexical semantic change: `spaces` (slices, vectors, alignments, neighbours), `scores`, `summary`, `series`."""
