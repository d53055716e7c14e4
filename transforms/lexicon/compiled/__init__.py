"""Compiled resources: what a kind is, keys of words, capitals, the specifications that people write.

In: a source as a person names it. Out: Arrow tables and matrices, mapped into memory. Read `kind` and `keys`.
A change here compiles resources anew.
"""
