"""Readers of raw corpora: each input record becomes a `Record` or a `Reject`.

In: files, folders, archives. Out: staged documents and rejects.
Read the rooms in the order of the data: `sources` (bytes),
`readers` (formats) with `records` (what they yield), `ingest` (dates, and the stage).
A change to a reader reads anew what it read.
"""
