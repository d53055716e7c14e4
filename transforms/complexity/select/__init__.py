"""Instances drawn from annotated corpora: patterns of targets, occurrences picked, sentences fetched.

In: parts of `sentences`. Out: `complexity/instances`. Read `options`, `patterns`, `find_stage`, `picking`,
`fetch_stages`.
A change here draws instances anew.
"""
