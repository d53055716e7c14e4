"""The store: artefacts with typed receipts, their files, and what is read back and checked.

In: a stage, a task and options. Out: a receipt, and files that it stands for. Read

    artefacts                what is made, named by what decides it; steps
    identity                 what decides an artefact, and types of fields that never count
    receipts                 typed records on disk, and checks of the files that they stand for
    files, remote, objects   files by path: local, of any store, of S3 and Google Cloud Storage
    tables                   Parquet with the same bytes; tables joined by a key
    batches                  Arrow batches, rows that wait on disk, annotated sentences
    staged                   rows that lie together by part, and their merges
    entries, classes         entries put in order; their digests by class
    inheriting               rows of a predecessor taken over
    models                   models that travel to workers; digests of models and of packaged files
    ptransforms              the glue: artefacts in a graph, lanes, results
    merging_ptransforms      staged files merged into parts of tables, in a graph

A change to `tables` or `batches` changes published bytes.
"""
