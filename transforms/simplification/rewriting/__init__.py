"""Rewriting: the sentence with the chosen words in the targets' places, and what agrees with them.

In: parts of rankings; or the choices of a sentence. Out: `simplification/simplifications`; edits of the sentence.
Read `sentence_rewriting`; `agreeing_rewriting`, `concord`. A change here rewrites anew.
"""
