"""Progress of runs: counts from receipts, lines of words, a terminal or a cell drawn anew.

In: folders of artefacts. Out: lines on standard error, or an output of a notebook. Read `lines`, `estimates`,
`progress`, `terminal`.
"""
