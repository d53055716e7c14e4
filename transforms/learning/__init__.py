"""Learning: scorers with their preparation and stacking, and trained models that are kept.

In: matrices of features with targets. Out: predictions, row by row independent of one another; models on disk.
Read `scorer`, `scorers`, then `models`.
"""
