"""Generation: candidates of thesauri, WordNet, vectors and masked language models, in the target's form.

In: parts of instances. Out: `simplification/candidates`.
Read in this order:

    generator                   what a generator is; options of a setting
    generators                  the generators by name; vectors and gold
    sense_generators            thesauri and WordNet
    masked_words                masked language models, and which of their words are candidates
    target_forms                what a target may be; proposals in its form
    candidate_generation        candidates of several generators as one ranked list

A change to a generator generates anew where it is chosen.
"""
