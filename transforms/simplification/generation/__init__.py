"""Generation: candidates of thesauri, WordNet, vectors and masked language models, in the target's form.

In: parts of instances. Out: `simplification/candidates`. Read `generator`, `generators`, `target_forms`,
`candidate_generation`.
A change to a generator generates anew where it is chosen.
"""
