"""Annotated corpora as every task reads them: parts, documents, sentences by their keys.

In: parts of `documents` and `sentences`. Out: documents with their sentences, sentences with their neighbours, panels
of a report. Read `corpus`, `reading`, `fetching`; then `totals` and `panels`. `changed` compares two snapshots,
`forgetting` makes a published corpus without documents that must go; `named` and `named_artefacts` find these.
A change here makes anew what tasks draw from corpora.
"""
