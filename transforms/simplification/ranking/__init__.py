"""Ranking: scores of candidates by which the simplest is chosen; a regressor of complexity.

In: parts of selections. Out: `simplification/rankings`.
Read in this order:

    rankers             the rankers by name: a score for each candidate
    options             what they are asked with: options and files
    ranked_parts        candidates of a part ranked
    regressor           a regressor of complexity, trained without the words that it ranks

A change to a ranker ranks anew where it is chosen.
"""
