"""Inflection: lemmas in forms with given features, and the features of forms; Spanish, English, learned rules.

In: form dictionaries and treebanks. Out: an inflector, and words placed in a sentence in their form. Read
`inflector`, `paradigms`, `placing`; `models` makes and opens the files that commands name.
A change here generates candidates, and chooses options of cloze questions, anew.
"""
