"""Readers: networks that read a passage and name words for the gap of a summary.

In: questions of a kind and language as arrays. Out: predictions, by folds.
Read in this order:

    options                 the readers by name, and their options
    data                    questions as numbers
    encoding                from tables to these numbers
    words                   vectors, glosses, frequencies; reader `frequency`
    context                 reader `context`: counts of words beside each other
    networks                the networks in torch
    training                networks trained, and asked
    reading_in_folds        what is held out, and what is predicted of it

A change here trains readers anew.
"""
