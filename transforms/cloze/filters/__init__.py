"""Candidates: every word of a summary, asked by each filter whether it may become an answer.

In: parts of `cloze/pairs`. Out: `cloze/candidates` with every filter's verdict. Read `base`, `registry`,
`candidates`; then the filters: `words`, `scores`, `relations`, `similarity`.
"""
