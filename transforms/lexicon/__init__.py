"""What words are looked up in: resources, compiled once and mapped into memory; and what their letters say.

In: files that a person names, and packages. Out: tables and matrices that answer for whole arrays of words.
Read in this order:

    resources           the resources of a run, found by name and language
    resource_cache      the kinds by name, and the cache of what is compiled
    compiled            word lists, thesauri, static vectors
    wordnet             WordNet, and which sense a context speaks of
    encoders            what transformer models say of spans, masked places and choices
    letters             length, syllables, vowels, capitals

A change to a kind compiles its resources anew, and what was looked up in them.
"""
