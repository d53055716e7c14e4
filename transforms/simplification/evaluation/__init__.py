"""Evaluation: every stage against gold, files of shared tasks, where gold is lost.

In: published tables or files. Out: `simplification/metrics`, `simplification/funnel`, submissions. Read
`list_measures`, `evaluated_tables`, `submissions`.
A change here changes figures alone.
"""
