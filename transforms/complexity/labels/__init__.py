"""Judgments of people to labels: the sheet, files read, weights, means and agreement.

In: sheets and tables of judgments. Out: `complexity/judgments`, `complexity/labels`. Read `judgments`,
`aggregation`, `agreement`.
Nothing here is kept between runs: each run aggregates.
"""
