"""What a text is in: its language, by code or name, its encoding, and where its lines end.

In: what options, columns and headers say; bytes. Out: codes; lines; what messages tell. Read `languages`, then
`encodings`, then `line_ends`. A change in `languages` changes which language rows have, in every task.
"""
