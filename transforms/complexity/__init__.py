"""Lexical complexity: instances, judgments, labels, splits, features and reference scorers.

Rooms in the order of the data: `select` or `instances`, `labels`, `splits`, `features`, `scorers`, `shown`.
In: labelled files, or corpora. Out: the tables of `schemas/complexity`. Read the rooms in that order. A change in
one makes anew what it makes, and what follows where that differs.
"""
