"""How concrete words are: a regressor learned from ratings, kept, and calibrated.

In: ratings, vectors, WordNet. Out: a model in a folder of its own. Read `options`, `inputs`,
`describing`, `estimators`, `training`; `model` opens it.
A change here trains the regressor anew; candidates follow where its model is another.
"""
