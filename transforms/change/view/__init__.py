"""The training view: from annotated sentences to lists of words per time slice.

In: parts of `sentences`. Out: staged views, counts and shuffled sentences of each slice. Read `slices`, `words`,
`training_view`, `view_stage`, `counts`. A change here trains every slice anew.
"""
