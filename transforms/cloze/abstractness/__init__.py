"""How concrete words are: a regressor learned from ratings, kept, and calibrated.

In: ratings, vectors, WordNet. Out: a model in a folder of its own. Read `concreteness_options`,
`concreteness_inputs`, `concreteness_estimators`, `concreteness_training`; `concreteness_model` opens it.
A change here trains the regressor anew; candidates follow where its model is another.
"""
