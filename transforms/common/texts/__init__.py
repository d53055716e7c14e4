"""What a text is in: its language, by code or name, its encoding, where its lines end, characters to heed.

In: what options, columns and headers say; bytes. Out: codes; lines; what messages tell. Read

    languages    the language that a code, a tag or a name says
    encodings    what encodings are called (not decoding), where lines end, rows of comma-separated text
    characters   characters that nobody sees, runs of combining marks, apostrophes

A change in `languages` changes which language rows have, in every task.
"""
