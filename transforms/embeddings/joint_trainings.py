"""Ways of training slices together, by name; an alignment of the same name compares what they make.

*Compass* (Di Carlo, Bianchi and Palmonari 2019; CADE, Bianchi et al. 2020): slices share frozen contexts.

One model is trained of all slices; its context vectors are the compass. Each slice then trains input vectors of its
own, from chance, against the compass, which stays as it is, so that all slices have the same axes. The original trains
CBOW and freezes what is its output layer; here it is SGNS, whose output layer are the contexts.

*Vector initialisation* (Kim et al. 2014; Schlechtweg et al. 2019): a slice goes on from what another has learnt.

The first slice is trained as it is apart. Each other one starts from the input and context vectors of the one before
it, or all from an anchor; words that have none yet start by chance, as they do apart. What a word has learnt stays
where a slice lacks the word, or teaches it nothing, for slices after it. Negative words are drawn by the uses in the
slice itself. In the variant of unit length, input vectors are brought to length 1 before a slice goes on from them.

*Temporal referencing and word injection*: one model of all slices, in which targets have a vector in each.

In temporal referencing (Dubossarsky et al. 2019) a target in target position is `word@slice`, and in the position of a
context the word itself: its vectors of the slices are trained against the contexts that all slices share. In word
injection (Ferrari, Donati and Gnesi 2017; Schlechtweg et al. 2019) a target carries its mark everywhere, so that each
slice's has a context vector of its own, too. Of the last slice a target needs no mark, for the others have one: so a
model of one slice, or without targets, is plain SGNS, bit by bit. Words that are no targets have one vector in all
slices.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.embeddings.alignment import ALIGNMENTS
from lexbeam.transforms.embeddings.sgns import SgnsOptions, derive_seed, vocabulary_of
from lexbeam.transforms.embeddings.spaces import at_length_one, with_direction
from lexbeam.transforms.embeddings.starts import Start, Weights
from lexbeam.transforms.embeddings.trainers import train_space

Codes = npt.NDArray[np.int32]

CHUNK = 1_000  # sentences of a slice in a row, at most
CHUNKS = 256  # of all slices, at least, where there are as many sentences
UNKNOWN = "\x00"  # stands for words that are not trained; no word of a view


class SliceText(NamedTuple):
    """A slice as training sees it.

    Attributes:
        name: of the slice.
        feed: returns its sentences anew, in the same order, at each call: arrays of lists of words.
        counts: uses of each word, those below the cut among them.
        min_count: the cut.
        sentences, tokens: how many there are.
    """

    name: str
    feed: Callable[[], Iterable[pa.ListArray]]
    counts: Mapping[str, int]
    min_count: int
    sentences: int
    tokens: int

    @property
    def vocabulary(self) -> dict[str, int]:
        """The words that are trained, with their uses."""
        return vocabulary_of(self.counts, self.min_count, self.name)


class JointSlices(NamedTuple):
    """Slices that are trained together.

    Attributes:
        slices: in the order of time.
        seed: as given; each training derives its own.
        targets: words that may have a vector in each slice, where others have one for all.
        anchor: the place of the slice that the others go on from; None: each goes on from the one before it.
    """

    slices: Sequence[SliceText]
    seed: int
    targets: frozenset[str] = frozenset()
    anchor: int | None = None


def train_slice(joint: JointSlices, place: int, options: SgnsOptions, start: Start | None = None) -> Weights:
    """Train one of the slices, with its own seed and cut, from a start; without one, as it is trained apart."""
    one = joint.slices[place]
    return train_space(
        one.feed,
        one.counts,
        replace(options, min_count=one.min_count),
        seed=derive_seed(one.name, joint.seed),
        sentences=one.sentences,
        tokens=one.tokens,
        slice_name=one.name,
        start=start,
        keep_contexts=True,
        keep_untaught=False,
    )


def joint_counts(slices: Sequence[SliceText], names: Sequence[Mapping[str, str]]) -> dict[str, int]:
    """Return the uses in all slices of the words that are trained, by the names that they have in each slice.

    A word that is frequent enough in one slice is trained by its uses in all of them, where its name is the same.

    Args:
        slices: the slices.
        names: of each slice, words that have another name there.
    """
    vocabularies = [slice.vocabulary for slice in slices]
    trained = {of.get(word, word) for of, words in zip(names, vocabularies, strict=True) for word in words}
    found = dict.fromkeys(sorted(trained), 0)
    for of, slice in zip(names, slices, strict=True):
        for word, uses in slice.counts.items():
            if (name := of.get(word, word)) in found:
                found[name] += uses
    return found


def train_as_one(
    joint: JointSlices, options: SgnsOptions, names: Sequence[Mapping[str, str]], marks: Mapping[str, str]
) -> Weights:
    """Train one model of all slices; with one slice, the same as if it were trained apart.

    The sentences of slices take turns, so that at every moment about the same share of each has been read: the learning
    rate falls along the way, and no slice should be read at a higher one.

    Args:
        joint: the slices.
        options: hyperparameters.
        names: of each slice, words that have another name there.
        marks: those names that share the context vector of a word, see `Start`.
    """
    slices = joint.slices
    counts = joint_counts(slices, names)
    feed = _Turns(slices, names, counts)
    name = "+".join(slice.name for slice in slices)
    return train_space(
        feed.read,
        counts,
        replace(options, min_count=1),
        seed=derive_seed(name, joint.seed),
        sentences=sum(slice.sentences for slice in slices),
        tokens=sum(slice.tokens for slice in slices),
        slice_name=name,
        start=Start(marks={mark: word for mark, word in marks.items() if mark in counts}),
        keep_contexts=True,
        keep_untaught=False,
    )


class _Turns:
    """The sentences of several slices, by turns."""

    def __init__(
        self, slices: Sequence[SliceText], names: Sequence[Mapping[str, str]], counts: Mapping[str, int]
    ) -> None:
        self._slices = slices
        self._names = names
        self._dictionary = pa.array([*counts, UNKNOWN], pa.string())
        self._chunk = max(1, min(CHUNK, sum(slice.sentences for slice in slices) // CHUNKS))

    def read(self) -> Iterator[pa.ListArray]:
        """Yield sentences, of the slice of which the least share has been read, the earlier one of two."""
        streams = [self._chunks(place) for place in range(len(self._slices))]
        held = [next(stream, None) for stream in streams]
        read = [0] * len(streams)
        while left := {place: lists for place, lists in enumerate(held) if lists is not None}:
            place = min(left, key=lambda place: (read[place] / max(self._slices[place].sentences, 1), place))
            read[place] += len(left[place])
            yield left[place]
            held[place] = next(streams[place], None)

    def _chunks(self, place: int) -> Iterator[pa.ListArray]:
        """Yield the sentences of a slice, some at a time, all with one dictionary."""
        known, codes = pa.array([], pa.string()), np.zeros(0, np.int32)
        for lists in self._slices[place].feed():
            tokens = lists.flatten()
            if not pa.types.is_dictionary(tokens.type):
                tokens = tokens.dictionary_encode()
            if not tokens.dictionary.equals(known):
                known = tokens.dictionary
                codes = self._codes(known, place)
            bounds = np.append(0, np.cumsum(lists.value_lengths().to_numpy(zero_copy_only=False))).astype(np.int32)
            values = pa.array(codes[tokens.indices.to_numpy(zero_copy_only=False)], pa.int32())
            made = pa.ListArray.from_arrays(pa.array(bounds), pa.DictionaryArray.from_arrays(values, self._dictionary))
            for start in range(0, len(made), self._chunk):
                yield made.slice(start, self._chunk)

    def _codes(self, words: pa.Array, place: int) -> Codes:
        """Return the numbers of words of a slice in the common dictionary."""
        names = self._names[place]
        named = pa.array([names.get(word, word) for word in words.to_pylist()], pa.string()) if names else words
        found = pc.index_in(named, value_set=self._dictionary).fill_null(len(self._dictionary) - 1)
        return np.asarray(found.to_numpy(zero_copy_only=False), np.int32)


def by_compass(joint: JointSlices, options: SgnsOptions) -> list[Weights]:
    """Return the weights of each slice; contexts are those of the compass, bit by bit."""
    compass = train_as_one(joint, options, [{} for _ in joint.slices], {})
    start = Start(words=compass.words, contexts=compass.contexts, freeze_contexts=True)
    return [train_slice(joint, place, options, start) for place in range(len(joint.slices))]


def initialised(joint: JointSlices, options: SgnsOptions, *, unit_length: bool = False) -> list[Weights]:
    """Return the weights of each slice.

    Args:
        joint: the slices; `anchor` says which one the others go on from.
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


JOINT_REGISTRY = "lexbeam.transforms.embeddings.joint_trainings:JOINT_TRAININGS"


@dataclass(frozen=True)
class JointTraining(Entry):
    """A way of training slices together.

    Attributes:
        train: returns the weights of each slice, of the words that training apart would take; the axes are shared.
        goes_on: whether slices go on from what others have learnt, from an anchor if one is named.
        of_targets: whether targets alone have a vector in each slice by it, and other words one for all.
    """

    train: Callable[[JointSlices, SgnsOptions], list[Weights]]
    of_targets: bool = False
    goes_on: bool = False


JOINT_TRAININGS: Registry[JointTraining] = Registry(
    {
        "vi": JointTraining(initialised, goes_on=True, doc="each slice goes on from the one before"),
        "vi-l2": JointTraining(initialised_at_unit_length, goes_on=True, doc="the same with input vectors at length 1"),
        "tr": JointTraining(referenced, True, doc="one model, targets have a vector in each slice and one context"),
        "wi": JointTraining(injected, True, doc="one model, targets are another word in each slice"),
        "compass": JointTraining(by_compass, doc="each slice is trained against contexts of all slices"),
    },
    what="joint training",
    group="lexbeam.joint_trainings",
)


def of_targets(alignment: str) -> bool:
    """Return whether targets alone have a vector in each slice by an alignment, one that is not installed taken for no.

    >>> of_targets("tr"), of_targets("vi"), of_targets("op")
    (True, False, False)
    """
    joint = ALIGNMENTS[alignment].joint if alignment in ALIGNMENTS else ""
    return bool(joint) and JOINT_TRAININGS[joint].of_targets
