"""Text and where it stands in a source's bytes, so that words of it can be replaced and nothing else changes.

In: bytes, and the name of their format. Out: blocks of text, as the reader of the format gives them, and the bytes
with edits made. Read in this order:

    spanned             a source and its edits; the formats that can be edited
    origin              what a format says of its text; codes within a text
    aligning            which characters of a source a reader's text comes from
    markup              pages and TEI, by marks
    markdown_spans      Markdown, by its parser

Nothing here is part of a reader: a change makes anew only what edits sources.
"""
