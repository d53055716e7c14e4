"""Simplification for a person: candidates stage by stage, metrics, panels.

In: published tables. Out: Arrow tables, lines, panels. Read `candidate_views`, `metric_panels`.
Nothing here changes a published byte.
"""
