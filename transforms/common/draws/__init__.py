"""Draws by content: samples, folds and splits that depend on keys and a seed, never on the order of rows.

In: keys, groups, values. Out: random numbers, folds, splits. Read `by_content`, then `splits` with `balancing`
and `sharpening`. A change here changes which rows are drawn, in every task.
"""
