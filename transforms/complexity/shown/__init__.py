"""Complexity for a person: views of instances and features, panels of splits, features, scores.

In: published tables. Out: Arrow tables, lines, panels.
Read in this order:

    instance_views          the hardest instances, the worst predicted, and their features
    complexity_panels       panels of `lexbeam report`

Nothing here changes a published byte.
"""
