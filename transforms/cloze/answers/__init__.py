"""Systems that answer five-way questions, and how well: readers, multiple-choice models, baselines.

In: questions, or files of answers and gold. Out: `cloze/answers`, `cloze/metrics`. Read `five_way`,
`data`, `trained_systems`, `evaluation`.
A change to a system asks it anew.
"""
