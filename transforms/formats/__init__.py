"""Readers of raw corpora: each input record becomes a `Record` or a `Reject`.

In: files, folders, archives. Out: staged documents and rejects.
Read the rooms in the order of the data:

    sources     bytes of files and archives, and what kind of content they are
    records     what readers yield: fields, text, dates, layers
    readers     the formats
    ingest      which files there are, where dates are, and the stages of ingestion
    spans       where text stands in a source's bytes, so that words of it can be replaced

A change to a reader reads anew what it read.
"""
