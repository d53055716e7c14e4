"""Publication: sections of a folder, snapshots made visible by one small write, and what may be removed.

In: parts of tables and what a manifest says of them. Out: an immutable snapshot that readers follow. Read

    layout        what a folder holds, and what of it is ours; names of snapshots; the lock of a run
    leases        which folder may be written to; the lease in place of a lock on object stores
    sections      what a command made, and what becomes of other sections
    publication   sections into a new snapshot, made visible by one write
    snapshots     tables of a snapshot, and named questions about them
    holding       bounds that hold a run, or sections of it, back
    removing      snapshots and artefacts removed; files of failed runs; the lock of a stream
    history       publications and tags
    differences   rows of two snapshots compared, and why sections are others
    run_log       what the stages of a run took
    forgotten     marks of documents that every later run leaves out
    written       tables made without a graph

A change here decides what survives a killed run.
"""
