"""Intake: files that people bring become rows of a task's tables, rejects with their reasons, and counts.

In: tables, JSON lines, archives of them, parts of corpora. Out: parts of tables.
Read in this order:

    row_files               a file as rows
    labelled_targets        rows of CWI-2018 and places of targets, which layouts of several tasks share
    intake_staging          records as staged rows or rejects
    settling                rows of a key put together, annotated and written
    intake_ptransforms      Beam glue of these
    forgetting              sections that hold a file that is forgotten

A task says what a row is, how a record becomes rows, and what rows of one key become; see
`transforms/complexity/instances`. A change here touches the instances of complexity and simplification and the pairs
of cloze.
"""
