"""How cost grows with a corpus: parts of an hour at most, each resumed where it stopped, and docs/scale.md from them.

In: a seed and sizes. Out: JSON lines, one a run, and the page with its tables and plots. Read `corpora`, `probe/`,
`runs`, `figures`, then a part (`tokens`, `files`, `refresh`, `memory`, `cut`), then `paper` and `page`.
"""
