"""Resources that are compiled: what a kind is, keys of words, and the kinds word lists, thesauri, static vectors.

In: a source as a person names it: tables with a column of words and the package wordfreq; MyThes, tab files, extracts
of Wiktionary, assertions, paraphrases, dictionaries of two languages; word2vec, GloVe, table `vectors`. Out: Arrow
tables and matrices, mapped into memory, that answer for whole arrays of words. Read `resource_kind` and `word_keys`,
then `word_list`, `thesaurus_kind` or `static_vectors`, and the readers beside it. A change to a kind or a format
compiles anew what was read by it, and what was looked up in that.
"""
