"""Candidates: the words of summaries, and what each filter says of them as answers.

In: parts of `cloze/pairs`. Out: `cloze/candidates` with every filter's verdict. Read `cloze_filter`,
`cloze_filters`, `candidates`; then `abstract_words`, `similarity`; `candidate_panels` shows them.
A change to a filter judges candidates anew.
"""
