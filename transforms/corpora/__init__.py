"""Annotated corpora as every task reads them: parts, documents, sentences by their keys.

In: parts of `documents` and `sentences`. Out: documents with their sentences, sentences with their neighbours, panels
of a report. Read `annotated_corpora`, `document_reading`; then `corpus_panels`. `forgotten_documents` finds documents
that must go, and makes a published corpus without them.
A change here makes anew what tasks draw from corpora.
"""
