"""Lexical complexity: instances, judgments, labels, splits, features and reference scorers.

In: labelled files, or corpora. Out: the tables of `schemas/complexity`.
Read the rooms in the order of the data:

    select          instances drawn from corpora
    instances       instances of labelled files
    labels          judgments, labels, agreement; splits
    features        what describes instances
    scorers         scorers fitted, asked and measured
    shown           all of it for a person

A change in one makes anew what it makes, and what follows where that differs.
"""
