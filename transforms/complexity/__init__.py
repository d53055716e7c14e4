"""Lexical complexity: instances, judgments, labels, splits, features and reference scorers."""
