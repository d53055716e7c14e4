"""Instances drawn from annotated corpora: patterns of targets, occurrences picked, sentences fetched.

In: parts of `sentences`. Out: `complexity/instances`.
Read in this order:

    patterns            what a target is, by language, and the targets that match; options
    occurrences         occurrences found, picked by draws, fetched
    ptransforms         Beam glue of the choice

A change here draws instances anew.
"""
