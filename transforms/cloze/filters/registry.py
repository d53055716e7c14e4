"""The filters, and their verdicts on words of a kind.

The order of the registry is that in which filters are applied, of reasons, and of columns.
"""

from collections.abc import Collection, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.schemas.cloze.pairs import CRITERIA
from lexbeam.transforms.cloze.filters.base import FAILS, ClozeFilter, Evaluate, FilterSetting, Verdicts, nothing
from lexbeam.transforms.cloze.filters.batches import PairBatch
from lexbeam.transforms.cloze.filters.relations import antonym, lemma, repeated, synonym
from lexbeam.transforms.cloze.filters.scores import abstractness, nonspecificity, pos
from lexbeam.transforms.cloze.filters.similarity import contextual, static
from lexbeam.transforms.common.code.registry import Registry

EVALUATE = ("all", "until-rejected")

FILTERS: Registry[ClozeFilter] = Registry(
    {
        "pos": ClozeFilter(pos, by_kind=True, doc="its part of speech is one of the kind's, a participle being a verb"),
        "abstractness": ClozeFilter(
            abstractness,
            needs="abstractness",
            doc="its concreteness, as it is rated or predicted, is below the threshold",
        ),
        "nonspecificity": ClozeFilter(nonspecificity, doc="its sense is less deep in WordNet than the threshold"),
        "repeated": ClozeFilter(repeated, doc="no other word of the summary has its form, lemma or base form"),
        "lemma": ClozeFilter(lemma, doc="no word of the passage has its form, lemma or base form"),
        "synonym": ClozeFilter(synonym, doc="no synonym of it stands in the passage"),
        "antonym": ClozeFilter(antonym, doc="no antonym of it stands in the passage"),
        "static": ClozeFilter(
            static,
            needs="vectors",
            doc="no word of the passage is as similar to it, by static vectors, as the threshold",
        ),
        "contextual": ClozeFilter(
            contextual,
            needs="encoder",
            doc="no word of the passage is as similar to it in its context as the threshold",
        ),
    },
    what="filter",
    group="lexbeam.cloze_filters",
)


def optional_filters() -> dict[str, ClozeFilter]:
    """Return the filters that can be switched off: all but what makes a word of a kind abstract."""
    criteria = {name for names in CRITERIA.values() for name in names}
    return {name: entry for name, entry in FILTERS.items() if name not in criteria}


class FilterVerdicts(NamedTuple):
    """The verdicts of filters on the words of a batch, for one kind.

    Attributes:
        verdicts: by filter; of one that is not evaluated on a word as if it abstained.
        asked: by filter, which words it was evaluated on.
        passed: whether no filter that was evaluated rejects the word.
        reason: the place in `FILTERS` of the first filter that does, -1: none.
    """

    verdicts: dict[str, Verdicts]
    asked: dict[str, np.ndarray]
    passed: np.ndarray
    reason: np.ndarray


def filters_of(kind: str, optional: Sequence[str]) -> list[str]:
    """Return the filters of a kind, in their order: its own criteria, and those that are named."""
    return [name for name in FILTERS if name in CRITERIA[kind] or name in optional]


def judge(
    batch: PairBatch,
    kinds: Sequence[str],
    optional: Sequence[str],
    setting: FilterSetting,
    evaluate: str,
    without: Collection[str] = (),
) -> dict[str, FilterVerdicts]:
    """Return the verdicts of filters on all words of the summaries of a batch, by kind.

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
    judged = {kind: FilterVerdicts({}, {}, np.ones(count, bool), np.full(count, -1, np.int64)) for kind in kinds}
    for place, name in enumerate(FILTERS):
        users = [kind for kind in kinds if name in filters_of(kind, optional) and name not in without]
        open_to = {kind: np.ones(count, bool) if evaluate == "all" else judged[kind].passed.copy() for kind in users}
        shared: Verdicts | None = None
        if not FILTERS[name].by_kind and users:
            anyone = np.logical_or.reduce(list(open_to.values()))
            shared = _evaluated(FILTERS[name].evaluate, batch, anyone, setting)
        for kind in users:
            verdicts = shared
            if verdicts is None:
                of_kind = partial(FILTERS[name].evaluate, kind=kind)
                verdicts = _evaluated(of_kind, batch, open_to[kind], setting)
            judged[kind] = _added(judged[kind], name, place, verdicts, open_to[kind])
    return judged


def _evaluated(evaluate: Evaluate, batch: PairBatch, asked: np.ndarray, setting: FilterSetting) -> Verdicts:
    """Return verdicts on all words; the filter abstains on those that it is not applied to."""
    if asked.all():
        return evaluate(batch, batch.asked, setting)
    verdicts = nothing(len(asked))
    places = np.flatnonzero(asked)
    if not len(places):
        return verdicts
    evaluated = evaluate(batch, batch.asked[places], setting)
    verdicts.values[places], verdicts.passed[places] = evaluated.values, evaluated.passed
    rows = np.full(len(asked), -1)
    rows[places] = np.arange(len(places))
    return verdicts._replace(matches=evaluated.matches.take(pa.array(rows, mask=rows < 0)))


def _added(judged: FilterVerdicts, name: str, place: int, verdicts: Verdicts, asked: np.ndarray) -> FilterVerdicts:
    """Return verdicts with those of one more filter, on the words that it was applied to."""
    if not asked.all():
        verdicts = Verdicts(
            np.where(asked, verdicts.values, np.nan),
            verdicts.matches.take(pa.array(np.arange(len(asked)), mask=~asked)),
            np.where(asked, verdicts.passed, np.int8(-1)).astype(np.int8),
        )
    rejected = verdicts.passed == FAILS
    reason = np.where(rejected & (judged.reason < 0), place, judged.reason)
    return FilterVerdicts(
        {**judged.verdicts, name: verdicts}, {**judged.asked, name: asked}, judged.passed & ~rejected, reason
    )
