"""Reference scorers: training data, what is held out, models, predictions, metrics.

In: instances, labels, features. Out: `complexity/predictions`, `metrics`, `importance`, `learning`. Read
`design`, `holding_out`, `scorer_fits`, `scorer_metrics`; the scorers are in `transforms/learning`.
A change here designs, fits or evaluates anew.
"""
