"""Lexical semantic change: slices, vectors, alignments, scores."""
