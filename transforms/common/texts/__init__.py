"""What a text is in: its language, by code or name, its encoding, where its lines end, characters to heed.

In: what options, columns and headers say; bytes. Out: codes; lines; what messages tell. Read `languages`, then
`encodings`, then `characters`. A change in `languages` changes which language rows have, in every task.
"""
