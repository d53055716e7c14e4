"""The filters, in the order in which reasons are given, and what they say of words of a kind."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from schemas.cloze.pairs import CRITERIA
from schemas.cloze.pairs import FILTERS as DOCS
from transforms.cloze.filters.base import FAILS, Filter, Setting, Verdicts, nothing
from transforms.cloze.filters.batches import Batch
from transforms.cloze.filters.relations import antonym, synonym
from transforms.cloze.filters.scores import abstractness, nonspecificity, pos
from transforms.cloze.filters.similarity import contextual, static
from transforms.cloze.filters.words import lemma, repeated

__all__ = ["EVALUATE", "FILTERS", "OPTIONAL", "Judged", "filters_of", "judge"]

EVALUATE = ("all", "until-rejected")

# What is the same for every kind; `pos` is beside them, and has its place in `DOCS`.
FILTERS: dict[str, Filter] = {
    "abstractness": Filter(abstractness, "abstractness"),
    "nonspecificity": Filter(nonspecificity),
    "repeated": Filter(repeated),
    "lemma": Filter(lemma),
    "synonym": Filter(synonym),
    "antonym": Filter(antonym),
    "static": Filter(static, "vectors"),
    "contextual": Filter(contextual, "encoder"),
}

# Those that can be switched off: all but what makes a word of a kind abstract.
OPTIONAL = tuple(name for name in DOCS if not any(name in criteria for criteria in CRITERIA.values()))


class Judged(NamedTuple):
    """What filters say of the words of a batch, for one kind.

    Attributes:
        verdicts: by filter; of one that is not evaluated on a word as if it abstained.
        asked: by filter, which words it was evaluated on.
        passed: whether no filter that was evaluated rejects the word.
        reason: the place in `DOCS` of the first filter that does, -1: none.
    """

    verdicts: dict[str, Verdicts]
    asked: dict[str, np.ndarray]
    passed: np.ndarray
    reason: np.ndarray


def filters_of(kind: str, optional: Sequence[str]) -> list[str]:
    """Return the filters of a kind, in their order: its own criteria, and those that are named."""
    return [name for name in DOCS if name in CRITERIA[kind] or name in optional]


def judge(
    batch: Batch,
    kinds: Sequence[str],
    optional: Sequence[str],
    setting: Setting,
    evaluate: str,
    without: Collection[str] = (),
) -> dict[str, Judged]:
    """Return what filters say of all words of the summaries of a batch, by kind.

    Args:
        batch: the pairs.
        kinds: keys of `CRITERIA`.
        optional: filters beside the kinds' own criteria.
        setting: what they need.
        evaluate: `all`: each filter on every word; `until-rejected`: on those that no filter
            before it rejects for some kind.
        without: filters that are not evaluated, though a kind has them.
    """
    count = len(batch.asked)
    found = {kind: Judged({}, {}, np.ones(count, bool), np.full(count, -1, np.int64)) for kind in kinds}
    for place, name in enumerate(DOCS):
        users = [kind for kind in kinds if name in filters_of(kind, optional) and name not in without]
        open_to = {kind: np.ones(count, bool) if evaluate == "all" else found[kind].passed.copy() for kind in users}
        shared: Verdicts | None = None
        if name != "pos" and users:
            anyone = np.logical_or.reduce(list(open_to.values()))
            shared = _evaluated(FILTERS[name], batch, anyone, setting)
        for kind in users:
            own = shared
            if own is None:
                by_tag = Filter(partial(pos, kind=kind))
                own = _evaluated(by_tag, batch, open_to[kind], setting)
            found[kind] = _added(found[kind], name, place, own, open_to[kind])
    return found


def _evaluated(entry: Filter, batch: Batch, asked: np.ndarray, setting: Setting) -> Verdicts:
    """Return verdicts on all words; those that are not asked have none."""
    if asked.all():
        return entry.evaluate(batch, batch.asked, setting)
    verdicts = nothing(len(asked))
    places = np.flatnonzero(asked)
    if not len(places):
        return verdicts
    own = entry.evaluate(batch, batch.asked[places], setting)
    verdicts.values[places], verdicts.passed[places] = own.values, own.passed
    rows = np.full(len(asked), -1)
    rows[places] = np.arange(len(places))
    return verdicts._replace(matches=own.matches.take(pa.array(rows, mask=rows < 0)))


def _added(judged: Judged, name: str, place: int, own: Verdicts, asked: np.ndarray) -> Judged:
    """Return what is known with the verdicts of one more filter, on the words it was asked of."""
    if not asked.all():
        own = Verdicts(
            np.where(asked, own.values, np.nan),
            own.matches.take(pa.array(np.arange(len(asked)), mask=~asked)),
            np.where(asked, own.passed, np.int8(-1)).astype(np.int8),
        )
    rejected = own.passed == FAILS
    reason = np.where(rejected & (judged.reason < 0), place, judged.reason)
    return Judged({**judged.verdicts, name: own}, {**judged.asked, name: asked}, judged.passed & ~rejected, reason)
