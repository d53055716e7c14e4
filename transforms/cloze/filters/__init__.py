"""Candidates: the words of summaries, and what each filter says of them as answers.

In: parts of `cloze/pairs`. Out: `cloze/candidates` with every filter's verdict. Read `base`, `registry`,
`candidates`; then the filters: `scores`, `relations`, `similarity`.
A change to a filter judges candidates anew.
"""
