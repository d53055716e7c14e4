"""Evaluation against gold: files of gold and of predictions, systems of published tables, metrics.

In: `scores`, `change/systems`, files that people bring. Out: `change/metrics`. Read `systems`, then `evaluation`.
A change here scores nothing anew.
"""
