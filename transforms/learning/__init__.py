"""Learning: scorers with their preparation and stacking, and trained models on disk.

In: matrices of features with labels. Out: predictions, each row independent of the others; models on disk.
Read `scorer`, `scorers`, then `models`.
A change to a scorer fits anew what it fitted.
"""
