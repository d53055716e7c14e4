"""Change scores: measures, thresholds, evidence in the rows, summaries, and evaluation against gold.

In: aligned spaces of a pair, counts, null pairs. Out: `scores`, `change/pairs`, `change/summary`,
`change/metrics`. Read `measures`, `scores`, `score_stages`; then `evidence_rows` and `evaluation`.
A change to a measure scores anew and trains nothing.
"""
