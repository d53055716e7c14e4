"""The readers by format, and the registry that names them.

In: a source. Out: records and rejects.
Read `registry`, then the format that concerns you:

    registry                    the readers by name, how a format is detected, how a file goes through a reader
    text                        plain text, and ready-made lines of tokens
    markdown, html, page_text   Markdown; pages; what is read of a page's tree of elements
    office, office_styles       docx and odt; what their styles hide
    epub                        chapters of e-books
    tei, tei_text               header and annotation of TEI; its running text
    json_records, delimited     JSON lines and arrays; tables as text
    parquet                     Parquet, within bounds
    conllu, vertical            annotated text, a token a line

A change to one reader makes anew what was read by it, and nothing else.
"""
