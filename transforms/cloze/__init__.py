"""Abstract-meaning cloze questions: pairs, candidates, options, questions, answers.

Rooms in the order of the data: `pairs`, `abstractness`, `filters` (candidates), `readers`, `options`, `questions`,
`annotations` (people), `answers` (systems), `shown`; `word_resources` serves several.
In: passages with summaries. Out: the tables of `schemas/cloze`. Read the rooms in that order. A change in
one makes anew what it makes, and what follows where that differs.
"""
