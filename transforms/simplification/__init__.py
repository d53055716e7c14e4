"""Lexical simplification: simpler words for complex ones, in their sentences.

In: words in their sentences, or whole texts. Out: the tables of `schemas/simplification`.
Read the rooms in the order of the data:

    records             what passes between the stages
    settings            how one run takes several ways
    resources           what words are looked up in
    instances           words to simplify, from files or found in texts
    generation          candidates
    selection           filters of candidates
    ranking             the simplest candidate
    rewriting           it in its sentence, and what agrees with it
    documents           whole texts
    evaluation          every stage against gold
    shown               all of it for a person

A change in one makes anew what it makes, and what follows where that differs.
"""
