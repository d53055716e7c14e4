"""Selection: filters that drop candidates, each with its reason.

In: parts of candidates. Out: `simplification/selections`. Read `candidate_filter`, `filters`, `candidate_selection`.
A change to a filter selects anew where it is chosen.
"""
