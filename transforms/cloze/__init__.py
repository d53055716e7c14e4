"""Abstract-meaning cloze questions: pairs, candidates, options, questions, answers.

Rooms in the order of the data: `pairs`, `abstractness`, `filters` (candidates), `readers`, `options`, `questions`,
`annotations` (people), `answers` (systems), `shown`; `word_resources` serves several.
"""
