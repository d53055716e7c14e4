"""Temporal referencing and word injection: one model of all slices, in which targets have a vector in each.

In temporal referencing (Dubossarsky et al. 2019) a target in target position is `word@slice`, and in the position of a
context the word itself: its vectors of the slices are trained against the contexts that all slices share. In word
injection (Ferrari, Donati and Gnesi 2017; Schlechtweg et al. 2019) a target carries its mark everywhere, so that each
slice's has a context vector of its own, too. Of the last slice a target needs no mark, for the others have one: so a
model of one slice, or without targets, is plain SGNS, bit by bit. Words that are no targets have one vector in all
slices.
"""

from collections.abc import Sequence

import numpy as np

from lexbeam.transforms.embeddings.joint.slices import JointSlices, train_as_one
from lexbeam.transforms.embeddings.sgns import SgnsOptions
from lexbeam.transforms.embeddings.starts import Weights

_BETWEEN = "\x00"  # in no word of a view


def referenced(joint: JointSlices, options: SgnsOptions) -> list[Weights]:
    """Return the weights of each slice by temporal referencing: targets of all slices share a context vector."""
    names = _names(joint)
    marks = {mark: word for of in names for word, mark in of.items()}
    return _by_slice(joint, train_as_one(joint, options, names, marks), names)


def injected(joint: JointSlices, options: SgnsOptions) -> list[Weights]:
    """Return the weights of each slice by word injection: targets of each slice have a context vector of their own."""
    names = _names(joint)
    return _by_slice(joint, train_as_one(joint, options, names, {}), names)


def _names(joint: JointSlices) -> list[dict[str, str]]:
    """Return of each slice what its targets are called; none has another name in the last slice."""
    targets = sorted(joint.targets)
    marked = [{word: f"{word}{_BETWEEN}{place}" for word in targets} for place in range(len(joint.slices) - 1)]
    return [*marked, {}]


def _by_slice(joint: JointSlices, made: Weights, names: Sequence[dict[str, str]]) -> list[Weights]:
    """Return the words that each slice trains apart, with their vectors by the names that they have in it."""
    places = {word: place for place, word in enumerate(made.words)}
    found = []
    for slice, of in zip(joint.slices, names, strict=True):
        words = sorted(slice.vocabulary)
        rows = np.array([places[of.get(word, word)] for word in words])
        found.append(Weights(words, made.vectors[rows], None if made.contexts is None else made.contexts[rows]))
    return found
