"""Lexical semantic change: slices, vectors, alignments, scores.

Rooms in the order of the data: `view` (what is trained on), `spaces` (vectors, maps, neighbours), `nulls` (dates
dealt anew), `scores`, `series` (three or more slices), `graph` (what a run compares, and the Beam glue of all),
`shown` and `report` (for a person).
In: parts of `sentences`. Out: the tables of `schemas/change`. Read the rooms in that order.
"""
