"""Abstract-meaning cloze questions: pairs, candidates, options, questions, answers.

Rooms in the order of the data: `pairs`, `abstractness`, `filters` (candidates), `readers`, `questions` (with their
options, and people's answers), `answers` (systems); `word_resources` serves several.
In: passages with summaries. Out: the tables of `schemas/cloze.py`. Read the rooms in that order. A change in
one makes anew what it makes, and what follows where that differs.
"""
