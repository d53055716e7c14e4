"""Metrics and intervals, the same for all tasks; docs/reference/evaluation.md describes each.

In: numbers, classes or ranked lists of the same instances, by system. Out: rows of `<task>/metrics`. Read `metrics`,
`outcomes`, `bootstrap`, `evaluating`. A change here changes figures of all tasks; what is cheap is computed each time.
"""
