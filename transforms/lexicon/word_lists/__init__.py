"""Word lists: values of words, from files or from packages.

In: tables with a column of words, and the package wordfreq. Out: the value of each of an array of words. Read
`word_list`, `reading`, `compiling`. A change here compiles lists anew, and the features that look words up in them.
"""
