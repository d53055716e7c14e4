"""Sources: bytes of files and archives, decompressed within bounds, and kinds of content by their first bytes.

In: paths. Out: streams of bytes, or rejects. Read `archives`, then `streams` and `content`.
A change here reads every corpus anew.
"""
