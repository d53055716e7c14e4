"""Annotated corpora as every task reads them."""
