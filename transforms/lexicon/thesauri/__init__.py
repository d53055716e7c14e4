"""Thesauri: senses of words with their members.

In: files of MyThes, tab files, extracts of Wiktionary, assertions, paraphrases, dictionaries of two languages. Out:
senses by lemma. Read `thesaurus`, then `senses` and `reading`; each format has a module. A change here compiles
thesauri anew, and generates candidates anew from them.
"""
