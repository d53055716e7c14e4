"""Readers of raw corpora: each yields an input record as a `Record` or a `Reject`."""
