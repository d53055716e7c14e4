"""Resources that are compiled: what a kind is, keys of words, and the kinds word lists, thesauri, static vectors.

In: a source as a person names it: tables with a column of words and the package wordfreq; MyThes, tab files, extracts
of Wiktionary, assertions, paraphrases, dictionaries of two languages; word2vec, GloVe, table `vectors`. Out: Arrow
tables and matrices, mapped into memory, that answer for whole arrays of words.
Read `resource_kind` and `word_keys`, then a kind and the readers beside it:

    resource_kind           what a kind of resource is, and how a resource is specified
    word_keys               words to rows: keys, capitals, forms
    word_list               word lists as a kind
    list_options            how a list is specified; scales of well-known norms
    list_reading            tables and cells as files have them
    frequencies             lists that wordfreq has, and trigrams counted from them
    thesaurus_kind          thesauri as a kind
    thesaurus_senses        senses and members; dictionaries of two languages
    thesaurus_formats       what files of thesauri say, as senses
    static_vectors          static vectors as a kind: cosines and neighbours
    vector_formats          files of vectors

A change to a kind or a format compiles anew what was read by it, and what was looked up in that.
"""
