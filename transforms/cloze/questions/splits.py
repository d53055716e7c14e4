"""Splits of questions: an article in one split, whatever the kinds; scores and tags alike.

Articles hang together that are the same but for case and what stands between words, or that have the same summary, or
the same question. What hangs together goes to one split, whole. Splits are made alike by `deal_alike`
(`transforms/common/draws/splits.py`): a stratum is a kind with one of its scores and a part of speech, a value is a
question's place among the scores of its kind. So a question whose kind has two scores counts once for each.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.cloze import CRITERIA, KINDS
from lexbeam.transforms.cloze.questions.question import SCORES
from lexbeam.transforms.common.draws.balancing import Floats, Ints
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.draws.splits import Shares, components, deal_alike, distances, kept_splits, parse_shares
from lexbeam.transforms.common.options.fields import option

BANDS = 256
COLUMNS = (
    "question_id",
    "kind",
    "article_id",
    "upos",
    "concreteness",
    "depth",
    "passage_key",
    "summary_key",
    "question_key",
)


# They decide no split, only what is reported: what would surprise a reader of a table of shares.
TOLERANCE = 0.02  # by so much a share may be off, of a kind or of a part of speech in it
SCORE_TOLERANCE = 0.05  # so far scores of two splits may be apart (Kolmogorov-Smirnov)


@dataclass(frozen=True, kw_only=True)
class QuestionSplitOptions:
    """How questions are split."""

    shares: tuple[str, ...] = option(
        ("train=.53", "dev=.14", "test=.33"),
        help="splits and their shares of the questions",
        metavar="NAME=SHARE",
        check=parse_shares,
    )


class PlacedQuestions(NamedTuple):
    """Splits of questions, in their order.

    Attributes:
        split: of each its place among the shares, int64.
        group: of each what hangs together, from 0, int64.
        too_large: groups that are too large to be dealt out: all in the largest split.
    """

    split: Ints
    group: Ints
    too_large: tuple[int, ...]


@dataclass(frozen=True)
class Stratum:
    """How many questions a split has of a kind and a part of speech; empty: of all.

    Attributes:
        off: whether the share is off by more than the tolerance and by more than a question.
    """

    kind: str
    upos: str
    split: str
    questions: int
    share: float
    wanted: float
    off: bool


@dataclass(frozen=True)
class Distance:
    """How far the scores of two splits are apart that are farthest.

    Attributes:
        distance: two-sample Kolmogorov-Smirnov, 0 to 1; None: fewer than two splits have questions.
        off: whether two are farther apart than the tolerance and a question of each.
    """

    kind: str
    score: str
    distance: float | None
    off: bool


def place_questions(rows: pa.Table, shares: Shares, *, seed: int, kept: Ints | None = None) -> PlacedQuestions:
    """Return the splits of questions.

    Args:
        rows: with `COLUMNS`; their order does not count.
        shares: of splits.
        seed: other seeds give other splits.
        kept: of each row the place of the split that it keeps, -1 for none; None: no row keeps any. What hangs
            together with such rows goes where most of them are.
    """
    if not rows.num_rows:
        return PlacedQuestions(np.zeros(0, np.int64), np.zeros(0, np.int64), ())
    joined = components({name: rows[name] for name in COLUMNS if name.endswith("_key")})
    hashes = content_hashes(joined.names)
    order = np.argsort(hashes, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    group = place[joined.of_row]
    entries = list(_entries(rows))
    of, stratum, level = (np.concatenate(column) for column in zip(*entries, strict=True))
    before = np.full(len(group), -1, np.int64) if kept is None else kept
    stays = kept_splits(group, before, len(order))
    dealt = deal_alike(hashes[order], group[of], stratum, level, shares, bands=BANDS, seed=seed, kept=stays)
    large = tuple(np.flatnonzero(dealt.fixed).tolist())
    return PlacedQuestions(np.where(before < 0, dealt.split[group], before), group, large)


def _entries(rows: pa.Table) -> Iterator[tuple[Ints, Ints, Floats]]:
    """Yield rows, strata and places among scores, 0 to 1, of each kind and score."""
    kinds = rows["kind"].combine_chunks()
    tags = pc.fill_null(rows["upos"], "").combine_chunks().dictionary_encode()
    names = sorted(tags.dictionary.to_pylist())
    tag = np.array([names.index(name) for name in tags.dictionary.to_pylist()], np.int64)
    of_tag = tag[tags.indices.to_numpy()]
    base = 0
    for kind in KINDS:
        places = np.flatnonzero(pc.equal(kinds, kind).to_numpy(zero_copy_only=False))
        for name in CRITERIA[kind]:
            if len(places):
                scores = _numbers(rows, SCORES[name])[places]
                # What has no score is a stratum of its own.
                known = np.isfinite(scores)
                level = np.zeros(len(places))
                level[known] = _places(scores[known])
                yield places, base + 2 * of_tag[places] + ~known, level
            base += 2 * len(names)


def _numbers(rows: pa.Table, name: str) -> Floats:
    return np.asarray(pc.fill_null(rows[name], np.nan).to_numpy(), np.float64)


def _places(scores: Floats) -> Floats:
    """Return the share of scores that are less, equal ones counting half."""
    ordered = np.sort(scores)
    less = np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right")
    return np.asarray(less / (2 * max(len(scores), 1)), np.float64)


def strata_of(rows: pa.Table, split: Ints, shares: Shares, tolerance: float) -> tuple[Stratum, ...]:
    """Return the strata: of all questions, of each kind, of each part of speech of a kind."""
    kinds = np.array(rows["kind"].to_pylist(), object)
    tags = np.array(pc.fill_null(rows["upos"], "-").to_pylist(), object)
    strata: list[Stratum] = []

    def add(kind: str, upos: str, chosen: npt.NDArray[np.bool_]) -> None:
        whole = int(chosen.sum())
        for place, (name, wanted) in enumerate(zip(shares.names, shares.values, strict=True)):
            count = int((chosen & (split == place)).sum())
            apart = abs(count - wanted * whole)
            off = apart > max(1.0, tolerance * whole)
            strata.append(Stratum(kind, upos, name, count, count / whole if whole else 0.0, wanted, off))

    add("", "", np.ones(len(kinds), bool))
    for kind in KINDS:
        of_kind = kinds == kind
        if of_kind.any():
            add(kind, "", of_kind)
            for upos in sorted(set(tags[of_kind])):
                add(kind, upos, of_kind & (tags == upos))
    return tuple(strata)


def distances_of(rows: pa.Table, split: Ints, shares: Shares, tolerance: float) -> tuple[Distance, ...]:
    """Return how far the scores of splits are apart, by kind and score."""
    kinds = np.array(rows["kind"].to_pylist(), object)
    many = len(shares.names)
    by_score = []
    for kind in KINDS:
        for name in CRITERIA[kind] if (kinds == kind).any() else ():
            scores = _numbers(rows, SCORES[name])
            scored = (kinds == kind) & np.isfinite(scores)
            apart = distances(scores[scored], split[scored], many)
            sizes = np.maximum(np.bincount(split[scored], minlength=many), 1)
            allowed = np.maximum(tolerance, 1 / sizes[:, None] + 1 / sizes[None])
            pairs = np.triu_indices(many, 1)
            known = apart[pairs][~np.isnan(apart[pairs])]
            off = bool(np.nan_to_num(apart > allowed, nan=0).any())
            largest = float(known.max()) if len(known) else None
            by_score.append(Distance(kind, SCORES[name], largest, off))
    return tuple(by_score)
