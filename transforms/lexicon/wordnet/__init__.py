"""Princeton WordNet's database files as a resource: senses, relations, depths, base forms.

In: a folder of the database, or a tab file over one. Out: synsets and senses as arrays of rows.
Read in this order:

    wordnet             what is asked of WordNet, by whole arrays
    ragged              constants of the database, and lists of different lengths
    wordnet_files       the database's files as tables
    wordnet_kind        how WordNet is specified, compiled, opened; words of other languages
    morphy              base forms of words
    glosses             words of definitions as numbers
    lesk                which sense a context speaks of; lists of function words

A change here compiles WordNet anew.
"""
