"""Selection: filters that drop candidates, each with its reason.

In: parts of candidates. Out: `simplification/selections`.
Read in this order:

    candidate_filter            what a filter is; options of a setting
    filters                     the filters by name, and those that read no sentence
    sentence_filters            filters by part of speech, context and bigrams
    candidate_selection         candidates of a part filtered

A change to a filter selects anew where it is chosen.
"""
