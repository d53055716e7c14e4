"""Readers: networks that read a passage and name words for the gap of a summary.

In: questions of a kind and language as arrays. Out: predictions, by folds. Read `options`, `data`, `encoding`,
`networks`, `training`, `reading_in_folds`. A change here trains readers anew.
"""
