"""Rewriting: the sentence with the chosen word in the target's place.

In: parts of rankings. Out: `simplification/simplifications`.
Read `stage`. A change here rewrites anew.
"""
