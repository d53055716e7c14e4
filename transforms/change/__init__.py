"""Lexical semantic change: slices, vectors, alignments, scores.

Rooms in the order of the data: `view` (what is trained on), `spaces` (vectors, maps, neighbours), `scores` (scores,
dates dealt anew, series, gold), `graph` (what a run compares, and the Beam glue of all), `shown` (for a person).
In: parts of `sentences`. Out: the tables of `schemas/change`. Read the rooms in that order.
"""
