"""Annotated corpora as every task reads them: parts, documents, sentences asked for by key."""
