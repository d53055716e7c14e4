"""Sources: bytes of files and archives, decompressed within bounds, and kinds of content by their first bytes.

In: paths. Out: streams of bytes, or rejects.
Read in this order:

    archives            a file as sources: itself, or the members of an archive, and pieces of a large one
    streams             bytes decompressed, by lines, as text; borders of lines
    readings            a file read twice with the same bytes
    content             content that is no text, by its first bytes
    xml_documents       XML parsed so that nothing is fetched or expanded

A change here reads every corpus anew.
"""
