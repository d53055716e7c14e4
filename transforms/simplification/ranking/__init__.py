"""Ranking: scores of candidates by which the simplest is chosen; a regressor of complexity.

In: parts of selections. Out: `simplification/rankings`. Read `rankers`, `ranked_parts`, then `regressor`.
A change to a ranker ranks anew where it is chosen.
"""
