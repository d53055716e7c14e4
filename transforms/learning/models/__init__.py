"""Trained models on disk: a record of what they are, beside weights that execute nothing.

In: fitted estimators. Out: folders with `model.json` and weights. Read

    model           what a trained model is, and how it was made
    keeping         models among artefacts, in a folder, in one file
    formats         the formats of weights by name, and those of arrays
    lightgbm_text   boosters as text, checked before it is read
    skops_file      estimators of scikit-learn, of a fixed list of types

A change to a format touches the models that are kept in it.
"""
