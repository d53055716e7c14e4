"""Evaluation: every stage against gold, files of shared tasks, where gold is lost.

In: published tables or files. Out: `simplification/metrics`, `simplification/funnel`, submissions.
Read in this order:

    list_measures           measures of lists, rankers, pipelines; the funnel
    evaluated_tables        our tables evaluated
    submissions             files of shared tasks, in and out

A change here changes figures alone.
"""
