"""Lexical simplification: simpler words for complex ones, in their sentences."""
