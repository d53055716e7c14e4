"""What a text is in: its language, by code or name, and its encoding.

In: what options, columns and headers say; bytes. Out: codes; what messages tell. Read `languages`, then `encodings`. A
change here changes which language rows have, in every task.
"""
