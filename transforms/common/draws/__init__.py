"""Draws by content: samples, folds and splits that depend on keys and a seed, never on the order of rows.

In: keys, groups, values. Out: random numbers, folds, splits. Read

    by_content    random numbers by key, seed and label; the k least of them as a sample
    splits        splits by shares, and folds, of groups that stay together
    balancing     groups dealt so that genres and values are alike
    sharpening    the last swaps of that
    ptransforms   samples of groups in a pipeline

A change here changes which rows are drawn, in every task.
"""
