"""Rankers of candidates: a score for each, the higher, the simpler.

| ranker | score |
|---|---|
| frequency | the word list's value; of what it does not know 0 |
| senses | senses of thesauri that have the candidate, ties by frequency (log1p(f) / (1 + log1p(f))) |
| generation | the score of generation, with those of merged forms |
| similarity | cosine to the target by static vectors; -1 of what has no vector |
| regressor | 1 less the complexity that a regressor predicts, which was trained without the word |
| average | less the mean of the ranks (1 the best, ties share their mean) by other rankers |

A phrase has frequency 0, or, by an option, that of its rarest word or the mean of its words'.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from transforms.common.code.registry import Entry, Registry
from transforms.common.errors import LexbeamError
from transforms.lexicon.resources import Lexicon, ResourceAlias
from transforms.simplification.records import Instance

if TYPE_CHECKING:
    from transforms.simplification.ranking.options import RankingOptions
    from transforms.simplification.ranking.regressor import Regressor

__all__ = [
    "RANKERS",
    "VECTORS",
    "Ranked",
    "Ranker",
    "RankerInputs",
    "ResourceAlias",
    "frequencies",
    "mean_ranks",
    "scores_of",
]

VECTORS = ResourceAlias("vectors_", "vectors")


class Ranked(NamedTuple):
    """An instance and the candidates that are ranked, with what is known of them."""

    instance: Instance
    forms: Sequence[str]
    scores: Sequence[float]
    votes: Sequence[int | None]


class CandidateScores(NamedTuple):
    """Scores of an instance's candidates and of its target; None: the ranker does not know it."""

    candidates: list[float | None]
    target: float | None


class RankerInputs(NamedTuple):
    """What rankers are given beside candidates.

    Attributes:
        options: of the setting.
        lexicon: word lists, and `VECTORS`.
        lists: names of the word lists; the first is meant where none is named.
        regressor: predicts complexity; None: there is none.
    """

    options: "RankingOptions"
    lexicon: Lexicon = Lexicon()
    lists: tuple[str, ...] = ()
    regressor: "Regressor | None" = None


Rank = Callable[[Sequence[Ranked], RankerInputs, str], list[CandidateScores]]


def frequencies(words: Sequence[str], languages: Sequence[str], ranking: RankerInputs, name: str) -> list[float | None]:
    """Return the value that a word list has for each word or phrase; None: it has none.

    Args:
        words: in lower case.
        languages: of each.
        ranking: its `options.phrases` says what the frequency of a phrase is.
        name: of the word list.

    Raises:
        LexbeamError: a value is negative, so that a word without one would go before others.
    """
    parts = [[] if " " in word and ranking.options.phrases == "zero" else word.split(" ") for word in words]
    flat = [part for own in parts for part in own]
    owners = [language for own, language in zip(parts, languages, strict=True) for _ in own]
    values: list[float | None] = [None] * len(flat)
    for rows, listed in ranking.lexicon.by_language(name, pa.array(owners, pa.string())):
        if listed is None or not len(rows):
            continue
        of: Any = listed
        found = of.look_up(pa.array([flat[row] for row in rows.tolist()], pa.string()))["value"]
        for row, value in zip(rows.tolist(), found.to_pylist(), strict=True):
            if value is not None and value < 0:
                raise LexbeamError(
                    f"word list {name} has {value:g} for {flat[row]!r}: frequencies are 0 or more, "
                    "as what it does not have counts as 0; name a list of counts or Zipf values"
                )
            values[row] = None if value is None else float(value)
    done, place = list[float | None](), 0
    for own in parts:
        some = values[place : place + len(own)]
        place += len(own)
        known = [value for value in some if value is not None]
        if not known:
            done.append(None)
        elif ranking.options.phrases == "mean":
            done.append(sum(known) / len(own))
        else:
            done.append(min(known) if len(known) == len(own) else 0.0)
    return done


def _frequency(ranked: Sequence[Ranked], ranking: RankerInputs, name: str) -> list[CandidateScores]:
    listed = name.partition(":")[2] or ranking.lists[0]
    words = [word for one in ranked for word in (*one.forms, one.instance.target.lower())]
    languages = [one.instance.language for one in ranked for _ in (*one.forms, one)]
    values = iter(frequencies(words, languages, ranking, listed))
    found = []
    for one in ranked:
        own = [next(values) for _ in one.forms]
        found.append(CandidateScores(own, next(values)))
    return found


def _senses(ranked: Sequence[Ranked], ranking: RankerInputs, _: str) -> list[CandidateScores]:
    if ranking.lists:
        tied = [one.candidates for one in _frequency(ranked, ranking, "frequency")]
    else:
        tied = [[None] * len(one.forms) for one in ranked]
    found = []
    for one, own in zip(ranked, tied, strict=True):
        scores: list[float | None] = []
        for votes, value in zip(one.votes, own, strict=True):
            more = math.log1p(max(value or 0.0, 0.0))
            scores.append(None if votes is None and value is None else (votes or 0) + more / (1 + more))
        found.append(CandidateScores(scores, None))
    return found


def _generation(ranked: Sequence[Ranked], _: RankerInputs, __: str) -> list[CandidateScores]:
    return [CandidateScores(list(one.scores), None) for one in ranked]


def _similarity(ranked: Sequence[Ranked], ranking: RankerInputs, _: str) -> list[CandidateScores]:
    found = [CandidateScores([None] * len(one.forms), None) for one in ranked]
    places = [(row, place) for row, one in enumerate(ranked) for place in range(len(one.forms))]
    languages = pa.array([ranked[row].instance.language for row, _ in places], pa.string())
    for rows, vectors in ranking.lexicon.by_language(VECTORS.name, languages):
        if vectors is None or not len(rows):
            continue
        of: Any = vectors
        own = [places[row] for row in rows.tolist()]
        cosines = of.cosine(
            pa.array([ranked[row].instance.target.lower() for row, _ in own], pa.string()),
            pa.array([ranked[row].forms[place] for row, place in own], pa.string()),
        ).to_pylist()
        for (row, place), cosine in zip(own, cosines, strict=True):
            found[row].candidates[place] = cosine
    return found


def _regressor(ranked: Sequence[Ranked], ranking: RankerInputs, _: str) -> list[CandidateScores]:
    assert ranking.regressor is not None
    words = [word for one in ranked for word in (*one.forms, one.instance.target.lower())]
    languages = [one.instance.language for one in ranked for _ in (*one.forms, one)]
    complexity = ranking.regressor.predict(words, languages, ranking.options.phrases).tolist()
    values = iter([None if math.isnan(value) else 1 - value for value in complexity])
    return [CandidateScores([next(values) for _ in one.forms], next(values)) for one in ranked]


def mean_ranks(scores: Sequence[float]) -> list[float]:
    """Return the rank of each score, 1 for the greatest; ties share the mean of theirs.

    >>> mean_ranks([5.0, 7.0, 5.0, 1.0])
    [2.5, 1.0, 2.5, 4.0]
    """
    own = np.asarray(scores, np.float64)
    above = (own[None, :] > own[:, None]).sum(1)
    tied = (own[None, :] == own[:, None]).sum(1)
    ranks: list[float] = (above + (tied + 1) / 2).tolist()
    return ranks


def _average(ranked: Sequence[Ranked], ranking: RankerInputs, _: str) -> list[CandidateScores]:
    sums = [np.zeros(len(one.forms)) for one in ranked]
    names = ranking.options.average_of
    for name in names:
        for total, own in zip(sums, scores_of(name, ranked, ranking), strict=True):
            total += mean_ranks([_or_least(score, name) for score in own.candidates])
    return [CandidateScores((-total / len(names)).tolist(), None) for total in sums]


def _or_least(score: float | None, name: str) -> float:
    return RANKERS[name.partition(":")[0]].least if score is None else score


@dataclass(frozen=True)
class Ranker(Entry):
    """A ranker.

    Attributes:
        rank: scores candidates, the simplest highest.
        least: the score of what it does not know.
        of_target: whether it scores the target as it scores candidates, so that a gain can be said.
    """

    rank: Rank
    least: float = 0.0
    of_target: bool = False


RANKERS: Registry[Ranker] = Registry(
    {
        "frequency": Ranker(
            _frequency,
            of_target=True,
            needs="wordlist",
            doc="how frequent it is; frequency:NAME by the word list of this name",
        ),
        "senses": Ranker(_senses, doc="how many senses of the target have it"),
        "generation": Ranker(_generation, doc="the score of its generation"),
        "similarity": Ranker(_similarity, -1.0, needs="vectors", doc="its cosine with the target, by static vectors"),
        "regressor": Ranker(
            _regressor,
            of_target=True,
            needs="complexity",
            doc="how simple a regressor predicts it to be, of labelled words",
        ),
        "average": Ranker(_average, doc="the mean of its ranks by the rankers of `average_of`"),
    },
    what="ranker",
    group="lexbeam.rankers",
)


def scores_of(name: str, ranked: Sequence[Ranked], ranking: RankerInputs) -> list[CandidateScores]:
    """Return the scores that a ranker gives candidates and targets."""
    return RANKERS[name.partition(":")[0]].rank(ranked, ranking, name)
