"""The store: artefacts with typed receipts, their files, and what is read back and checked.

In: a stage, a task and options. Out: a receipt, and files that it stands for. Read `artefacts`, `receipts`, `sound`,
then `batches`, `tables`, `inheriting` and `staged` for what the files hold, and `ptransforms` for the glue. A change to
`tables` or `batches` changes published bytes.
"""
