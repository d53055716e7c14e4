"""Lexical simplification: simpler words for complex ones, in their sentences.

Rooms in the order of the data: `instances`, `generation`, `selection`, `ranking`, `rewriting`, `evaluation`, `shown`.
`records` says what passes between them, `settings` how one run takes several ways, `resources` what they look up in.
In: words in their sentences. Out: the tables of `schemas/simplification`. Read the rooms in that order. A change in
one makes anew what it makes, and what follows where that differs.
"""
