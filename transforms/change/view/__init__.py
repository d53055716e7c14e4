"""The training view: from annotated sentences to lists of words per time slice.

In: parts of `sentences`. Out: staged views, counts and shuffled sentences of each slice. Read

    slices                  how periods are written, and slices that suit a corpus
    words                   what becomes a word to train on; targets, parts of speech
    view_and_downsampling   sentences to lists of words; which ones stay where a slice has too many
    view_stage              both as artefacts, by part and slice
    counts                  uses, documents and tags by word; a slice brought together over parts
    feeds                   the files of the view, and how training reads them

A change here trains every slice anew.
"""
