"""Progress of runs: counts from receipts, lines of words, a terminal drawn anew.

In: folders of artefacts. Out: lines on standard error. Read `lines`, `estimates`, `progress`,
`terminal`.
"""
