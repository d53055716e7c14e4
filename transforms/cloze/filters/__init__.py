"""Candidates: the words of summaries, and what each filter says of them as answers.

In: parts of `cloze/pairs`. Out: `cloze/candidates` with every filter's verdict.
Read in this order:

    cloze_filter            what a filter is; batches of pairs; words that are forms of one another
    cloze_filters           the filters by name and their verdicts; repeated, lemma, synonym, antonym
    abstract_words          part of speech, concreteness, depth in WordNet
    similarity              cosines to the words of the passage, and their thresholds
    candidates              every word of a summary, judged and written
    candidate_options       options, and what they ask of filters
    candidate_panels        candidates as a person sees them

A change to a filter judges candidates anew.
"""
