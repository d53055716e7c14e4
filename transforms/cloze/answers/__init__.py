"""Systems that answer five-way questions, and how well: readers, multiple-choice models, baselines.

In: questions, or files of answers and gold. Out: `cloze/answers`, `cloze/metrics`. Read `data`,
`trained_systems`, `multiple_choice`, `evaluation`.
A change to a system asks it anew.
"""
