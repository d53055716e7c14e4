"""A corpus that comes all the time: what comes is gathered into windows, whose documents land as artefacts.

In: files that appear under inputs; lines and messages, which `lines` first makes files of. Out: for each
window the artefacts of intake and annotation that a corpus run would make, and one of `landing_windows` that says
which files and texts it has, by which a later run finds all that is annotated. Read

    landing_windows   a window of files, taken in, annotated and landed
    polling           which files a look hands on; signs that a stream goes on
    stream_sources    where documents come from, by name
    lines             lines of a socket or pipe, made files
    ptransforms       all of these in a graph

A change in `polling` makes nothing anew; one in `annotation.landed_texts` annotates anew.
"""
