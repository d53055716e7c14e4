"""Ranking in a step: candidates that were kept, as the rankers of their setting rank them.

RankCandidates    the parts of one number of instances, candidates, selections -> a part of rankings
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.simplification import CANDIDATES, RANKINGS, SELECTIONS
from lexbeam.transforms.common.portions import batched
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.inheriting import Mask, Read, write_inheriting
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.tables import PartFile
from lexbeam.transforms.learning.models.formats import REGISTRY as FORMATS
from lexbeam.transforms.learning.models.keeping import SavedModel
from lexbeam.transforms.simplification.ranking.options import gain_of
from lexbeam.transforms.simplification.ranking.rankers import (
    RANKERS,
    CandidateScores,
    Ranked,
    RankerInputs,
    frequencies,
    gains,
    scores_of,
    simplicity_ranker,
    simplicity_rankers,
    words_of,
)
from lexbeam.transforms.simplification.records import (
    BATCH,
    ID,
    INSTANCE_COLUMNS,
    InstanceRows,
    JoinTask,
    Row,
    instance_rows,
)

_HAIR = 1e-9
_COUNTED = ("instances", "candidates", "phrases", "unknown", "kept")
_SELECTED = ("setting", "form", "kept", "score", "votes")
_GENERATED = ("setting", "form", "score", "votes", "reason")


class RankTask(NamedTuple):
    """Parts of one number, and the regressor if one was fitted."""

    parts: JoinTask
    regressed: SavedModel | None = None

    @property
    def weight(self) -> int:
        """Rows, for dealing out."""
        return self.parts.weight


# By setting, in the order of names, what its candidates are ranked by.
Rankings = Mapping[str, RankerInputs]


@dataclass(frozen=True)
class RankedCount:
    """What a ranker of a setting ranked.

    Attributes:
        setting, ranker: which.
        instances: those with candidates.
        candidates: those that were ranked.
        phrases: candidates of several words.
        unknown: candidates that the ranker does not know.
        kept: instances whose target stays though there are candidates.
    """

    setting: str
    ranker: str
    instances: int
    candidates: int
    phrases: int
    unknown: int
    kept: int


@dataclass(frozen=True)
class RankedPart:
    """Receipt of a part of the rankings: the file, what each instance's rows were made from, counts."""

    part: PartFile
    keys: File
    counts: tuple[RankedCount, ...]


def keeps_target(keep: str, first: float, target: float, frequency: tuple[float, float] | None) -> bool:
    """Return whether the target stays though there is a candidate.

    Args:
        keep: one of `KEEP_TARGET`.
        first: score of the first candidate.
        target: the ranker's score of the target; its least if it does not know the target.
        frequency: of the first candidate and of the target, for `if-more-frequent`.
    """
    if keep == "always":
        return True
    if keep == "if-more-frequent":
        assert frequency is not None
        return frequency[1] > frequency[0]
    gain = gain_of(keep)
    # Decimals as lists have them: 2.3 is greater than 1.8 by 0.5, which floats miss by a hair.
    return gain is not None and first - target < gain - _HAIR


def rows_of(
    group: Ranked,
    scored: CandidateScores,
    least: float,
    keep: str,
    of: Mapping[str, float],
    gained: Sequence[float] | None = None,
    margin: float = 0.0,
) -> list[Row]:
    """Return rows of table simplification/rankings without setting and ranker.

    Args:
        group: the candidates.
        scored: their scores, and the target's.
        least: the score of words that the ranker does not know.
        keep: whether the target stays.
        of: frequencies of forms and target, for `if-more-frequent`.
        gained: by how much candidates are simpler than the target; None: they need not be.
        margin: by how much they must be.
    """
    scores = [least if score is None else score for score in scored.candidates]
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], group.forms[at]))
    levels = {score: rank for rank, score in enumerate(sorted(set(scores), reverse=True), 1)}
    target = group.instance.target.lower()
    simpler = [at for at in order if gained is None or gained[at] >= margin - _HAIR]
    target_score = least if scored.target is None else scored.target
    allowed = {
        at
        for at in simpler
        if not keeps_target(keep, scores[at], target_score, (of[group.forms[at]], of[target]) if of else None)
    }
    stays = not simpler or simpler[0] not in allowed
    identifier = group.instance.instance_id
    rows = [
        {
            "instance_id": identifier,
            "form": group.forms[at],
            "is_target": False,
            "rank": levels[scores[at]],
            "place": place,
            "score": scores[at],
            "known": scored.candidates[at] is not None,
            "allowed": at in allowed,
            "chosen": not stays and at == simpler[0],
        }
        for place, at in enumerate(order, 1)
    ]
    rows.append(
        {
            "instance_id": identifier,
            "form": target,
            "is_target": True,
            "rank": None,
            "place": None,
            "score": scored.target,
            "known": scored.target is not None,
            "allowed": True,
            "chosen": stays,
        }
    )
    return rows


@dataclass(frozen=True)
class RankCandidates(Step[RankTask, RankedPart]):
    """Rank the candidates of one number of instances as the rankers of their settings do."""

    rankings: Rankings

    name, noun, unit = "simplification/rank", "rankings", "parts"
    blas = True

    def make(self, artefact: Artefact, task: RankTask) -> RankedPart:
        """Write a part of the rankings."""
        name = SELECTIONS.name if SELECTIONS.name in task.parts.tables else CANDIDATES.name
        columns = _SELECTED if name == SELECTIONS.name else _GENERATED

        def made(wanted: Mask) -> Iterator[pa.Table]:
            for batch in batched(instance_rows(task.parts, {name: columns}, wanted), BATCH):
                rows = sorted(
                    _ranked(batch, task, self.rankings), key=itemgetter("instance_id", "setting", "ranker", "form")
                )
                yield pa.Table.from_pylist(rows, RANKINGS.schema())

        counts: dict[tuple[str, str], Counter[str]] = {}

        def count(rows: pa.Table) -> None:
            for row in _counts(rows).to_pylist():
                of = counts.setdefault((row["setting"], row["ranker"]), Counter())
                of.update({each: row[f"{each}_sum"] for each in _COUNTED})

        read = [Read([task.parts.instances], INSTANCE_COLUMNS), Read([task.parts.tables[name]], [ID, *columns])]
        part, keys = write_inheriting(artefact, RANKINGS.schema(), ID, RANKINGS.key, read, made, count)
        ranked_counts = tuple(RankedCount(*key, *(counts[key][each] for each in _COUNTED)) for key in sorted(counts))
        return RankedPart(part, keys, ranked_counts)

    def chosen(self, _: RankTask) -> Mapping[str, Collection[str]]:
        """Return the rankers."""
        names: set[str] = set()
        for ranking in self.rankings.values():
            names |= {*ranking.options.ranker, *simplicity_rankers(ranking.options)}
            if "average" in ranking.options.ranker:
                names |= {*ranking.options.average_of}
        kinds = {name.partition(":")[0] for name in names}
        formats = ("safetensors",) if "regressor" in kinds else ()
        return {"lexbeam.transforms.simplification.ranking.rankers:RANKERS": kinds, FORMATS: formats}


def _counts(rows: pa.Table) -> pa.Table:
    """Return what `RankedCount` has by setting and ranker, each in a column that ends in `_sum`."""
    by = ["setting", "ranker"]
    other = pc.invert(rows["is_target"])
    flags = {
        "candidates": other,
        "phrases": pc.and_(other, pc.match_substring(rows["form"], " ")),
        "unknown": pc.and_(other, pc.invert(rows["known"])),
        "kept": pc.and_(rows["is_target"], rows["chosen"]),
    }
    table = pa.table({name: rows[name] for name in (*by, ID)} | {name: of.cast("int64") for name, of in flags.items()})
    found = table.group_by([*by, ID]).aggregate([(name, "sum") for name in flags])
    has = pc.greater(found["candidates_sum"], 0).cast("int64")
    columns = {name: found[f"{name}_sum"] for name in flags} | {"instances": has}
    columns["kept"] = pc.multiply(has, found["kept_sum"])
    table = pa.table({name: found[name] for name in by} | columns)
    return table.group_by(by).aggregate([(name, "sum") for name in _COUNTED])


def _ranked(batch: Sequence[InstanceRows], task: RankTask, rankings: Rankings) -> Iterator[Row]:
    for setting, ranking in sorted(rankings.items()):
        ranking = ranking._replace(regressed=task.regressed)
        ranked = [_candidates(joined, setting) for joined in batch]
        often = _frequencies(ranked, ranking)
        for name in ranking.options.ranker:
            least = RANKERS[name.partition(":")[0]].least
            by, margin = simplicity_ranker(name, ranking.options), ranking.options.min_simpler or 0.0
            gained = gains(by, ranked, ranking) if by is not None else [None] * len(ranked)
            for group, scored, of, gain in zip(ranked, scores_of(name, ranked, ranking), often, gained, strict=True):
                for row in rows_of(group, scored, least, ranking.options.keep_target, of, gain, margin):
                    yield {**row, "setting": setting, "ranker": name}


def _candidates(joined: InstanceRows, setting: str) -> Ranked:
    rows = [row for rows in joined.rows.values() for row in rows if row["setting"] == setting]
    remaining = [row for row in rows if row.get("kept", True) and row.get("reason") is None]
    target = joined.instance.target.lower()
    remaining = [row for row in remaining if row["form"] != target]
    return Ranked(
        joined.instance,
        [row["form"] for row in remaining],
        [row["score"] for row in remaining],
        [row["votes"] for row in remaining],
    )


def _frequencies(ranked: Sequence[Ranked], ranking: RankerInputs) -> list[dict[str, float]]:
    if ranking.options.keep_target != "if-more-frequent":
        return [{} for _ in ranked]
    values = iter(frequencies(*words_of(ranked), ranking, ranking.lists[0]))
    return [{word: next(values) or 0.0 for word in (*group.forms, group.instance.target.lower())} for group in ranked]
