"""How concrete words are: a regressor learned from ratings, kept, and calibrated.

In: ratings, vectors, WordNet. Out: a model in a folder of its own.
Read in this order:

    concreteness_options        ratings, inputs, estimators as options
    concreteness_inputs         what describes words: n-grams, WordNet, glosses, words spelled alike
    concreteness_estimators     what is fitted to it
    concreteness_training       ratings as labels, quality on folds, the model
    concreteness_model          a model opened, its threshold, how concrete words are

A change here trains the regressor anew; candidates follow where its model is another.
"""
