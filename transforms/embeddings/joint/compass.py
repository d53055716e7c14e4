"""Compass (Di Carlo, Bianchi and Palmonari 2019; CADE, Bianchi et al. 2020): slices share frozen contexts.

One model is trained of all slices; its context vectors are the compass. Each slice then trains input vectors of its
own, from chance, against the compass, which stays as it is, so that all slices have the same axes. The original trains
CBOW and freezes what is its output layer; here it is SGNS, whose output layer are the contexts.
"""

from lexbeam.transforms.embeddings.joint.slices import JointSlices, train_as_one, train_slice
from lexbeam.transforms.embeddings.sgns import SgnsOptions
from lexbeam.transforms.embeddings.starts import Start, Weights


def by_compass(joint: JointSlices, options: SgnsOptions) -> list[Weights]:
    """Return the weights of each slice; contexts are those of the compass, bit by bit."""
    compass = train_as_one(joint, options, [{} for _ in joint.slices], {})
    start = Start(words=compass.words, contexts=compass.contexts, freeze_contexts=True)
    return [train_slice(joint, place, options, start) for place in range(len(joint.slices))]
