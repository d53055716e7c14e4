"""Text and where it stands in a source's bytes, so that words of it can be replaced and nothing else changes.

In: bytes, and the name of their format. Out: blocks of text, as the reader of the format gives them, and the bytes
with edits made. Read `spanned`, then `origin` (what a format says) and `aligning`; then `markup` (pages, TEI) or
`markdown_spans`. Nothing here is part of a reader: a change makes anew only what edits sources.
"""
