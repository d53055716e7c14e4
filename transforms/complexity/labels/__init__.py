"""Judgments of people to labels: the sheet, files read, weights, means and agreement; and labels split.

In: sheets and tables of judgments; instances and labels. Out: `complexity/judgments`, `complexity/labels`;
`complexity/splits`, `complexity/strata`.
Read in this order:

    judgments           the sheet, and the files that come back
    aggregation         which judgments count, means and spread, agreement
    label_splits        splits in which no token stands twice, genres and complexities alike

Nothing here is kept between runs: each run aggregates and splits.
"""
