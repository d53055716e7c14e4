"""Rankers of candidates: a score for each, the higher, the simpler.

| ranker | score |
|---|---|
| frequency | the word list's value; 0 for words that it does not have |
| senses | senses of thesauri that have the candidate, ties by frequency (log1p(f) / (1 + log1p(f))) |
| shares | votes / the most votes + frequency / the greatest one, of an instance's candidates; for lists of logs |
| generation | the score of generation, with those of merged forms |
| similarity | cosine to the target by static vectors; -1 for words without a vector |
| regressor | 1 minus the complexity predicted by a regressor that was trained without the word |
| average | minus the mean of the ranks (1 the best, ties share their mean) by other rankers |

A phrase has frequency 0, or, by an option, that of its rarest word or the mean of its words'.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.learning.models.keeping import SavedModel
from lexbeam.transforms.lexicon.resources import Lexicon
from lexbeam.transforms.simplification.records import Instance
from lexbeam.transforms.simplification.resources import VECTORS, by_language

if TYPE_CHECKING:
    from lexbeam.transforms.simplification.ranking.options import RankingOptions


class Ranked(NamedTuple):
    """An instance and its candidates, with the scores and votes that they have before ranking."""

    instance: Instance
    forms: Sequence[str]
    scores: Sequence[float]
    votes: Sequence[int | None]


class CandidateScores(NamedTuple):
    """Scores of an instance's candidates and of its target; None for what the ranker does not know."""

    candidates: list[float | None]
    target: float | None


class RankerInputs(NamedTuple):
    """What rankers work with beside candidates.

    Attributes:
        lexicon: word lists and vectors.
        lists: names of the word lists; the first is the default.
        regressed: the model that predicts complexity; None: there is none.
    """

    options: "RankingOptions"
    lexicon: Lexicon = Lexicon()
    lists: tuple[str, ...] = ()
    regressed: SavedModel | None = None


Rank = Callable[[Sequence[Ranked], RankerInputs, str], list[CandidateScores]]


def frequencies(words: Sequence[str], languages: Sequence[str], ranking: RankerInputs, name: str) -> list[float | None]:
    """Return the value that a word list has for each word or phrase; None: it has none.

    Args:
        words: in lower case.
        languages: of each.
        ranking: its `options.phrases` says what the frequency of a phrase is.
        name: of the word list.

    Raises:
        LexbeamError: a value is negative, so that words without one would rank above others.
    """
    how = ranking.options.phrases
    phrases = [[] if " " in word and how == "zero" else word.split(" ") for word in words]
    parts = [part for phrase in phrases for part in phrase]
    values: list[float | None] = [None] * len(parts)
    part_languages = [language for phrase, language in zip(phrases, languages, strict=True) for _ in phrase]
    for rows, word_list in by_language(ranking.lexicon, name, part_languages):
        looked_up = word_list.look_up(pa.array([parts[row] for row in rows], pa.string()))["value"]
        for row, value in zip(rows, looked_up.to_pylist(), strict=True):
            if value is not None and value < 0:
                raise LexbeamError(
                    f"word list {name} has {value:g} for {parts[row]!r}: frequencies are 0 or more, "
                    "as what it does not have counts as 0; name a list of counts or Zipf values"
                )
            values[row] = None if value is None else float(value)
    of_part = iter(values)
    return [_phrase_frequency([next(of_part) for _ in phrase], how) for phrase in phrases]


def _phrase_frequency(values: Sequence[float | None], how: str) -> float | None:
    """Return the frequency of a phrase by those of its words."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    if how == "mean":
        return sum(known) / len(values)
    return min(known) if len(known) == len(values) else 0.0


def words_of(ranked: Sequence[Ranked]) -> tuple[list[str], list[str]]:
    """Return the candidates of instances, each with its target behind them, and the language of each."""
    words = [word for group in ranked for word in (*group.forms, group.instance.target.lower())]
    return words, [group.instance.language for group in ranked for _ in (*group.forms, group)]


def _scores_by_group(ranked: Sequence[Ranked], values: Iterable[float | None]) -> list[CandidateScores]:
    """Return the scores of instances, from values in the order of `words_of`."""
    scores = iter(values)
    return [CandidateScores([next(scores) for _ in group.forms], next(scores)) for group in ranked]


def _frequency(ranked: Sequence[Ranked], ranking: RankerInputs, name: str) -> list[CandidateScores]:
    listed = name.partition(":")[2] or ranking.lists[0]
    return _scores_by_group(ranked, frequencies(*words_of(ranked), ranking, listed))


def _senses(ranked: Sequence[Ranked], ranking: RankerInputs, _: str) -> list[CandidateScores]:
    if ranking.lists:
        ties = [scored.candidates for scored in _frequency(ranked, ranking, "frequency")]
    else:
        ties = [[None] * len(group.forms) for group in ranked]
    by_instance = []
    for group, values in zip(ranked, ties, strict=True):
        scores: list[float | None] = []
        for votes, value in zip(group.votes, values, strict=True):
            log = math.log1p(max(value or 0.0, 0.0))
            scores.append(None if votes is None and value is None else (votes or 0) + log / (1 + log))
        by_instance.append(CandidateScores(scores, None))
    return by_instance


def _shares(ranked: Sequence[Ranked], ranking: RankerInputs, _: str) -> list[CandidateScores]:
    by_instance = []
    for group, scored in zip(ranked, _frequency(ranked, ranking, "frequency"), strict=True):
        votes = [float(value or 0) for value in group.votes]
        values = [value or 0.0 for value in scored.candidates]
        most, greatest = max(votes, default=0.0) or 1.0, max(values, default=0.0) or 1.0
        shares = [vote / most + value / greatest for vote, value in zip(votes, values, strict=True)]
        by_instance.append(CandidateScores(list(shares), None))
    return by_instance


def _generation(ranked: Sequence[Ranked], _: RankerInputs, __: str) -> list[CandidateScores]:
    return [CandidateScores(list(group.scores), None) for group in ranked]


def _similarity(ranked: Sequence[Ranked], ranking: RankerInputs, _: str) -> list[CandidateScores]:
    scored = [CandidateScores([None] * len(group.forms), None) for group in ranked]
    places = [(row, place) for row, group in enumerate(ranked) for place in range(len(group.forms))]
    languages = [ranked[row].instance.language for row, _ in places]
    for rows, vectors in by_language(ranking.lexicon, VECTORS.name, languages):
        served = [places[row] for row in rows]
        cosines = vectors.cosine(
            pa.array([ranked[row].instance.target.lower() for row, _ in served], pa.string()),
            pa.array([ranked[row].forms[place] for row, place in served], pa.string()),
        ).to_pylist()
        for (row, place), cosine in zip(served, cosines, strict=True):
            scored[row].candidates[place] = cosine
    return scored


def _regressor(ranked: Sequence[Ranked], ranking: RankerInputs, _: str) -> list[CandidateScores]:
    from lexbeam.transforms.simplification.ranking.regressor import Regressor  # which this ranker alone counts

    assert ranking.regressed is not None
    regressor = Regressor(ranking.regressed, ranking.lexicon, ranking.lists)
    complexity = regressor.predict(*words_of(ranked), ranking.options.phrases).tolist()
    return _scores_by_group(ranked, (None if math.isnan(value) else 1 - value for value in complexity))


def mean_ranks(scores: Sequence[float]) -> list[float]:
    """Return the rank of each score, 1 for the greatest; ties share the mean of theirs.

    >>> mean_ranks([5.0, 7.0, 5.0, 1.0])
    [2.5, 1.0, 2.5, 4.0]
    """
    values = np.asarray(scores, np.float64)
    above = (values[None, :] > values[:, None]).sum(1)
    tied = (values[None, :] == values[:, None]).sum(1)
    ranks: list[float] = (above + (tied + 1) / 2).tolist()
    return ranks


def _average(ranked: Sequence[Ranked], ranking: RankerInputs, _: str) -> list[CandidateScores]:
    sums = [np.zeros(len(group.forms)) for group in ranked]
    names = ranking.options.average_of
    for name in names:
        for total, scored in zip(sums, scores_of(name, ranked, ranking), strict=True):
            total += mean_ranks([_or_least(score, name) for score in scored.candidates])
    return [CandidateScores((-total / len(names)).tolist(), None) for total in sums]


def _or_least(score: float | None, name: str) -> float:
    return RANKERS[name.partition(":")[0]].least if score is None else score


@dataclass(frozen=True)
class Ranker(Entry):
    """A ranker.

    Attributes:
        rank: scores candidates, the simplest highest.
        least: the score of words that it does not know.
        of_target: whether it scores the target as it scores candidates, so that there is a gain over it.
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
        "shares": Ranker(
            _shares, needs="wordlist", doc="its share of the most senses and of the greatest frequency, added"
        ),
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


def scores_target(name: str) -> bool:
    """Return whether a ranker scores the target as it scores candidates."""
    return RANKERS[name.partition(":")[0]].of_target


def simplicity_ranker(name: str, options: "RankingOptions") -> str | None:
    """Return the ranker by which candidates of a ranker must be simpler than the target; None: they need not be."""
    if options.min_simpler is None:
        return None
    return options.simpler_by or (name if scores_target(name) else "frequency")


def simplicity_rankers(options: "RankingOptions") -> list[str]:
    """Return the rankers that `min_simpler` compares scores of, each once."""
    names = (simplicity_ranker(name, options) for name in options.ranker)
    return list(dict.fromkeys(name for name in names if name is not None))


def gains(name: str, ranked: Sequence[Ranked], ranking: RankerInputs) -> list[list[float]]:
    """Return by how much each candidate's score by a ranker exceeds its target's; unknown words have the least."""
    return [
        [_or_least(score, name) - _or_least(scored.target, name) for score in scored.candidates]
        for scored in scores_of(name, ranked, ranking)
    ]
