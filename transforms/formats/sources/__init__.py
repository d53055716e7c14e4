"""Sources: bytes of files and archives, decompressed within bounds, and what they hold by their first bytes.

In: paths. Out: streams of bytes, or why there is none. Read `archives`, then `streams` and `content`.
"""
