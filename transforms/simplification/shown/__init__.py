"""Simplification for a person: candidates stage by stage, metrics, panels.

In: published tables. Out: Arrow tables, lines, panels. Read `views`, `candidates`, `metrics`, then `panels`.
Nothing here changes a published byte.
"""
