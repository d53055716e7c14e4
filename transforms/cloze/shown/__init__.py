"""Cloze questions for a person: verdicts explained, questions as readers see them, panels.

In: published tables. Out: grids, lines, panels. Read `questions`, `explanation`, `candidate_panels`.
Nothing here changes a published byte.
"""
