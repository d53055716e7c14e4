"""Gold of instances, and lists of candidates beside it, as numbers.

Words are compared without case (NFC, case-folded) and with straight apostrophes. The target is in neither
gold nor lists, and a word counts once. A list is kept as numbers: place, instance and dense rank in gold.

    >>> gold = gold_of([GoldInstance("i1", "arduo", "Un trabajo arduo.", {"duro": 1, "difícil": 2})])
    >>> listing = Listing(gold)
    >>> listing.add(0, [("arduo", 1), ("Difícil", 2), ("largo", 3), ("difícil", 4)])
    >>> listing.candidates().rank.tolist()
    [2, 0]
"""

import unicodedata
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lexbeam.transforms.common.texts.characters import seen, straight
from lexbeam.transforms.evaluation.candidate_metrics import Candidates
from lexbeam.transforms.evaluation.outcomes import Bools, Ints

CLUSTERS = ("target", "sentence", "instance")


def folded(text: str) -> str:
    """Return a word as words are compared: NFC, straight apostrophes, without case and what is not seen."""
    return straight(unicodedata.normalize("NFC", unicodedata.normalize("NFC", seen(text).strip()).casefold()))


class GoldInstance(NamedTuple):
    """An instance with what people gave: dense ranks by substitute, without the target."""

    id: str
    target: str
    sentence: str
    ranks: Mapping[str, int]


class GoldInstances(NamedTuple):
    """The instances that are evaluated, in the order of their ids.

    Attributes:
        ids: their ids.
        targets: of each, as words are compared.
        ranks: of each, its substitutes as words are compared, with dense ranks from 1.
        sentences: of each, the number of its sentence.
        without: ids of instances whose annotators gave nothing but the target.
    """

    ids: tuple[str, ...]
    targets: tuple[str, ...]
    ranks: tuple[Mapping[str, int], ...]
    sentences: tuple[int, ...]
    without: tuple[str, ...]

    def clusters(self, by: str) -> list[str]:
        """Return the cluster of each instance, by one of `CLUSTERS`: instances whose errors go together."""
        if by == "target":
            return list(self.targets)
        return [str(n) for n in self.sentences] if by == "sentence" else list(self.ids)

    @property
    def sizes(self) -> Ints:
        """How many substitutes each has."""
        return np.array([len(ranks) for ranks in self.ranks], np.int64)


def gold_of(judged: Iterable[GoldInstance], *, as_written: bool = False) -> GoldInstances:
    """Return gold of instances.

    Args:
        judged: the instances, in any order.
        as_written: compare words by their characters, as the public scorer of TSAR-2022 does.
    """
    evaluated: list[tuple[str, str, dict[str, int], str]] = []
    without = []
    as_compared = str.strip if as_written else folded
    for instance in sorted(judged, key=lambda instance: instance.id):
        target = as_compared(instance.target)
        ranks: dict[str, int] = {}
        for word, rank in instance.ranks.items():
            word = as_compared(word)
            if word != target:
                ranks[word] = min(rank, ranks.get(word, rank))
        levels = {rank: place for place, rank in enumerate(sorted(set(ranks.values())), 1)}
        if ranks:
            dense = {word: levels[rank] for word, rank in sorted(ranks.items())}
            evaluated.append((instance.id, target, dense, instance.sentence))
        else:
            without.append(instance.id)
    numbers: dict[str, int] = {}
    sentences = [numbers.setdefault(row[3], len(numbers)) for row in evaluated]
    return GoldInstances(
        tuple(row[0] for row in evaluated),
        tuple(row[1] for row in evaluated),
        tuple(row[2] for row in evaluated),
        tuple(sentences),
        tuple(without),
    )


class Listing:
    """Lists of candidates of one system at one stage, by numbers alone.

    Args:
        gold: the instances.
        as_written: as of `gold_of`.
    """

    def __init__(self, gold: GoldInstances, *, as_written: bool = False) -> None:
        self._gold = gold
        self._as_compared = str.strip if as_written else folded
        self._instance, self._place = array("q"), array("q")
        self._tied, self._rank = array("q"), array("q")

    def add(self, instance: int, words: Sequence[tuple[str, int]]) -> None:
        """Add the list of an instance.

        Args:
            instance: its place in gold.
            words: candidates in their order, each with its rank, which ties share.
        """
        ranks, target = self._gold.ranks[instance], self._gold.targets[instance]
        seen: set[str] = set()
        for word, tied in words:
            word = self._as_compared(word)
            if word == target or word in seen:
                continue
            seen.add(word)
            self.put(instance, tied, ranks.get(word, 0))

    def put(self, instance: int, tied: int, rank: int) -> None:
        """Append a candidate, by its rank in gold (0: it is not in gold)."""
        self._instance.append(instance)
        self._place.append(len(self._place))
        self._tied.append(tied)
        self._rank.append(rank)

    def candidates(self, *, tied: bool = False, sizes: Ints | None = None) -> Candidates:
        """Return the candidates of all instances.

        Args:
            tied: whether candidates that share a rank tie; else they are in order of place.
            sizes: of gold by instance, if not the numbers of its words.
        """
        order = np.array(self._tied if tied else self._place, np.int64)
        return Candidates(
            np.array(self._instance, np.int64),
            -order.astype(np.float64),
            np.array(self._rank, np.int64),
            self._gold.sizes if sizes is None else sizes,
        )

    def answered(self) -> Bools:
        """Return which instances have a candidate."""
        answered = np.zeros(len(self._gold.ids), bool)
        answered[np.array(self._instance, np.int64)] = True
        return answered
