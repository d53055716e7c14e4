"""Instances drawn from annotated corpora: patterns of targets, occurrences picked, sentences fetched.

In: parts of `sentences`. Out: `complexity/instances`. Read `patterns`, `occurrences`.
A change here draws instances anew.
"""
