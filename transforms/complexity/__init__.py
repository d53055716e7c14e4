"""Lexical complexity: instances, judgments, labels, splits, features and reference scorers.

Rooms in the order of the data: `select` or `instances`, `labels`, `splits`, `features`, `scorers`, `shown`.
"""
