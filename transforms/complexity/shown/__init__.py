"""Complexity for a person: views of instances and features, panels of splits, features, scores.

In: published tables. Out: Arrow tables, lines, panels. Read `instance_views`, `complexity_panels`.
Nothing here changes a published byte.
"""
