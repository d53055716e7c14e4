"""Series of three or more slices: distances between all of them in one space, and change points.

In: spaces of all slices under a seed, real and null. Out: `change/series`, `change/points`. Read
`change_points`, `trace_stage`, `series_stage`.
A change here traces series anew and trains nothing.
"""
