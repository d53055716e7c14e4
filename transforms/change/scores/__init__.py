"""Change scores: measures, thresholds, evidence in the rows, systems by name, and summaries.

In: aligned spaces of a pair, counts, null pairs. Out: `scores`, `change/pairs`, `change/systems`, `change/controls`,
`change/summary`. Read `measures`, `scores`, `score_stage`; then `evidence_rows` and `named_systems`. A change to a
measure scores anew and trains nothing.
"""
