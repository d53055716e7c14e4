"""Selection: filters that drop candidates, each with its reason.

In: parts of candidates. Out: `simplification/selections`. Read `filter`, `filters`, `stage`.
"""
