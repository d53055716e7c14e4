"""Judgments of people to labels: the sheet, files read, weights, means and agreement; and labels split.

In: sheets and tables of judgments; instances and labels. Out: `complexity/judgments`, `complexity/labels`;
`complexity/splits`, `complexity/strata`. Read `judgments`, `aggregation`; `label_splits`. A split has no token that
another has, and genres and complexities are alike.
Nothing here is kept between runs: each run aggregates and splits.
"""
