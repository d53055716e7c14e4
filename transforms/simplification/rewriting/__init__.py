"""Rewriting: the sentence with the chosen words in the targets' places, and what agrees with them.

In: parts of rankings; or the choices of a sentence. Out: `simplification/simplifications`; edits of the sentence.
Read in this order:

    sentence_rewriting      a sentence with one word in place; the step of all rankings
    agreeing_rewriting      all choices of a sentence in place, what agrees moved, sounds settled
    concord                 which words agree with a noun

A change here rewrites anew.
"""
