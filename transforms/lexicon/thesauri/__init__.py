"""Thesauri: senses of words with their members.

In: files of MyThes, or of tab-separated lines. Out: senses by lemma. Read `thesaurus`, then `reading`. A change here
compiles thesauri anew, and generates candidates anew from them.
"""
