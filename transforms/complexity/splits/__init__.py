"""Splits of labelled instances: no token in two of them, genres and complexities alike.

In: instances and labels. Out: `complexity/splits`, `complexity/strata`. Read `splits`, `tables`, `strata`.
Nothing here is kept between runs: each run splits.
"""
