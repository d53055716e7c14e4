"""Features of instances: groups of columns, and what they are counted from. No label is read here.

In: parts of `complexity/instances`, resources. Out: `complexity/features`, `complexity/coverage`.
Read `base`, `groups`, then the group that concerns you:

    base                features and groups, what they compute from, words of targets
    groups              the groups by name, their columns, parts and coverage
    word_forms          letters, affixes, frequencies
    looked_up           word lists, WordNet, expressions
    in_sentence         the sentence, its other words, syntax and entities
    corpus_counts       uses, documents, dispersion in a named corpus
    surprisal           how unexpected the target is, by a trigram model
    vectors             static vectors, and those of a local encoder

A change to a group computes the parts that have it anew.
"""
