"""Abstract-meaning cloze questions: pairs, candidates, options, questions, answers.

In: passages with summaries. Out: the tables of `schemas/cloze.py`.
Read the rooms in the order of the data:

    pairs               passages with summaries, read, cut, annotated
    abstractness        how concrete words are, learned from ratings
    filters             candidates, and what filters say of them
    readers             networks that name words for a gap
    questions           options, questions, splits, people's answers
    answers             systems that choose an option, and how well
    word_resources      how commands name ratings, WordNet and vectors

A change in one makes anew what it makes, and what follows where that differs.
"""
