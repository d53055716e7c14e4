"""Ranking: scores of candidates by which the simplest is chosen; a regressor of complexity.

In: parts of selections. Out: `simplification/rankings`. Read `rankers`, `stage`, then `regressor`.
"""
