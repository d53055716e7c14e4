"""Trained models on disk: a record of what they are, beside weights that execute nothing.

In: fitted estimators. Out: folders with `model.json` and weights. Read `model`, `keeping`, `formats`; the rest are the
formats.
A change to a format touches the models that are kept in it.
"""
