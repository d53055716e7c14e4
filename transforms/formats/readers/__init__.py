"""The readers by format, and the registry that names them.

In: a source. Out: records and rejects. Read `registry`, then the format that concerns you.
A change to one reader makes anew what was read by it, and nothing else.
"""
