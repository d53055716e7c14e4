"""Nulls: documents dealt out anew as if their dates meant nothing, and evidence against them.

In: which documents hold which words. Out: deals, their views, p- and q-values. Read `deals`, `standards`, `evidence`,
`power`, `comparability`, `deal_stages`.
A change here deals null pairs anew, and scores them.
"""
