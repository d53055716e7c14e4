"""Annotated corpora as every task reads them: parts, documents, sentences by their keys.

In: parts of `documents` and `sentences`. Out: documents with their sentences, sentences with their neighbours, panels
of a report. Read

    annotated_corpora     corpora and their parts, and what a section was made from
    document_reading      parts document by document, and sentences by their keys
    ptransforms           both in a graph
    corpus_panels         a corpus in numbers and panels
    forgotten_documents   finds documents that must go, and makes a corpus without them

A change here makes anew what tasks draw from corpora.
"""
