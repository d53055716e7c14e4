"""What is trained together: the slices of a comparison, and the sentences of all of them as those of one."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.embeddings.sgns import SgnsOptions, derive_seed, vocabulary_of
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
