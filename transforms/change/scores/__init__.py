"""Change scores and what they are worth: measures, nulls, evidence, systems by name, series, evaluation.

In: aligned spaces of a pair or of a series, counts, files of gold. Out: `scores`, and the tables `nulls`, `pairs`,
`systems`, `controls`, `summary`, `series`, `points` and `metrics` of `change/`. Read `measures`, `scores`, `scoring`;
then `null_deals` (documents dealt out anew as if their dates meant nothing), `null_evidence`, `evidence_rows`,
`combining`, `named_systems`; `change_points`, `traces`, `series` of three or more slices; `gold` and `evaluation`.
A change to a measure scores anew, one to deals deals and scores null pairs anew, one to series traces anew; none trains
anything.
"""
