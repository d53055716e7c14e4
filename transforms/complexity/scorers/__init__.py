"""Reference scorers: training data, what is held out, models, predictions, metrics.

In: instances, labels, features. Out: `complexity/predictions`, `metrics`, `importance`, `learning`.
The scorers are in `transforms/learning`. Read in this order:

    design              instances as rows and matrices, by how expressions are scored
    holding_out         what is trained on, and what is predicted
    scorer_fits         scorers fitted and asked
    scorer_metrics      predictions pooled and measured
    scorer_models       scorers saved
    word_scorer         words scored without tables

A change here designs, fits or evaluates anew.
"""
