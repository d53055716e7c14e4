"""Vector initialisation (Kim et al. 2014; Schlechtweg et al. 2019): a slice goes on from what another has learnt.

The first slice is trained as it is apart. Each other one starts from the input and context vectors of the one before
it, or all from an anchor; words that have none yet start by chance, as they do apart. What a word has learnt stays
where a slice lacks the word, or teaches it nothing, for slices after it. Negative words are drawn by the uses in the
slice itself. In the variant of unit length, input vectors are brought to length 1 before a slice goes on from them.
"""

import numpy as np

from lexbeam.transforms.embeddings.joint.slices import JointSlices, train_slice
from lexbeam.transforms.embeddings.rows import at_length_one, with_direction
from lexbeam.transforms.embeddings.sgns import SgnsOptions
from lexbeam.transforms.embeddings.starts import Start, Weights


def initialised(joint: JointSlices, options: SgnsOptions, *, unit_length: bool = False) -> list[Weights]:
    """Return the weights of each slice.

    Args:
        joint: the slices; `anchor` says which one the others go on from.
        options: hyperparameters.
        unit_length: whether input vectors are brought to length 1 before training goes on.
    """
    places = range(len(joint.slices))
    first = joint.anchor or 0
    made = {first: train_slice(joint, first, options)}
    learnt = made[first]
    for place in places:
        if place == first:
            continue
        vectors = at_length_one(learnt.vectors).astype(np.float32) if unit_length else learnt.vectors
        start = Start(words=learnt.words, vectors=vectors, contexts=learnt.contexts)
        made[place] = train_slice(joint, place, options, start)
        if joint.anchor is None:
            learnt = _joined(made[place], learnt)
    return [made[place] for place in places]


def initialised_at_unit_length(joint: JointSlices, options: SgnsOptions) -> list[Weights]:
    """Return the weights of each slice; input vectors have length 1 where training goes on."""
    return initialised(joint, options, unit_length=True)


def _joined(new: Weights, old: Weights) -> Weights:
    """Return new weights, and the old ones of words that have no new ones, or a new vector of zeros."""
    taught = np.flatnonzero(with_direction(new.vectors))
    words = [new.words[place] for place in taught]
    known = set(words)
    places = [place for place, word in enumerate(old.words) if word not in known]
    words += [old.words[place] for place in places]
    contexts = None
    if new.contexts is not None and old.contexts is not None:
        contexts = np.concatenate([new.contexts[taught], old.contexts[places]])
    return Weights(words, np.concatenate([new.vectors[taught], old.vectors[places]]), contexts)
