"""Intake: files that people bring become rows of a task's tables, rejects with their reasons, and counts.

In: tables, JSON lines, archives of them, parts of corpora. Out: parts of tables. Read `row_files` (a file as rows),
`intake_staging` (records as staged rows or rejects), `settling` (rows of a key put together, annotated and written),
then `intake_ptransforms`. A task says what a row is, how a record becomes rows, and what rows of one key become; see
`transforms/complexity/instances`. `labelled_targets` has what layouts of several tasks share; `forgetting` finds the
sections that hold a file.
A change here touches the instances of complexity and simplification and the pairs of cloze.
"""
