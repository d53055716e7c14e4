"""Rewriting as a stage: the sentence with the chosen word in the target's place.

REWRITE    the parts of one number of instances, candidates, rankings -> a part of simplifications
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from schemas.simplification.candidates import CANDIDATES
from schemas.simplification.rankings import RANKINGS, SIMPLIFICATIONS
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.tables import PartFile, write_part
from transforms.simplification.records import InstanceRows, JoinTask, Row, instance_rows
from transforms.simplification.selection.filter import replaced

__all__ = ["REWRITE", "Rewritten", "RewrittenCount", "simplified"]

_RANKED = ("setting", "ranker", "form", "is_target", "place", "score", "chosen")
_GENERATED = ("setting", "form", "shown", "before", "reason")


@dataclass(frozen=True)
class RewrittenCount:
    """What became of the targets of a setting and a ranker: `changed`, or the reason why not."""

    setting: str
    ranker: str
    outcome: str
    instances: int


@dataclass(frozen=True)
class Rewritten:
    """Receipt of a part of the simplifications."""

    part: PartFile
    counts: tuple[RewrittenCount, ...]


def simplified(joined: InstanceRows) -> list[Row]:
    """Return the rows of an instance in table simplification/simplifications, by setting, ranker.

    Args:
        joined: the instance with its rows of rankings and candidates.
    """
    generated = {(row["setting"], row["form"]): row for row in joined.rows[CANDIDATES.name] if row["reason"] is None}
    ranked: dict[tuple[str, str], list[Row]] = {}
    for row in joined.rows[RANKINGS.name]:
        ranked.setdefault((row["setting"], row["ranker"]), []).append(row)
    return [_simplified(joined, key, ranked[key], generated) for key in sorted(ranked)]


def _simplified(
    joined: InstanceRows, key: tuple[str, str], rows: Sequence[Row], generated: Mapping[tuple[str, str], Row]
) -> Row:
    instance = joined.instance
    chosen = next(row for row in rows if row["chosen"])
    target = next(row for row in rows if row["is_target"])
    first = next((row for row in rows if row["place"] == 1), None) if chosen["is_target"] else chosen
    row = {
        "instance_id": instance.instance_id,
        "setting": key[0],
        "ranker": key[1],
        "chosen": instance.target,
        "form": None if first is None else first["form"],
        "changed": not chosen["is_target"],
        "reason": None,
        "score": None if first is None else first["score"],
        "target_score": target["score"],
        "article_change": None,
        "sentence_out": instance.sentence,
    }
    if chosen["is_target"]:
        return {**row, "reason": "no_candidate" if first is None else "keep_target"}
    candidate = generated[key[0], chosen["form"]]
    shown = candidate["shown"] if candidate["shown"] is not None else candidate["form"]
    before = candidate["before"]
    sentence, _ = replaced(instance, shown, before)
    if before is not None and instance.before is not None:
        row["article_change"] = f"{instance.before} {before}"
    return {**row, "chosen": shown, "sentence_out": sentence}


def _rewrite(artefact: Artefact, task: JoinTask, _: None) -> Rewritten:
    counts: Counter[tuple[str, str, str]] = Counter()
    columns = {RANKINGS.name: _RANKED, CANDIDATES.name: _GENERATED}

    def tables() -> Iterator[pa.Table]:
        for joined in instance_rows(task, columns):
            rows = simplified(joined)
            for row in rows:
                counts[row["setting"], row["ranker"], row["reason"] or "changed"] += 1
            yield pa.Table.from_pylist(rows, SIMPLIFICATIONS.schema())

    part = write_part(artefact, SIMPLIFICATIONS.schema(), tables(), sort_keys=SIMPLIFICATIONS.key)
    return Rewritten(part, tuple(RewrittenCount(*key, counts[key]) for key in sorted(counts)))


REWRITE: Stage[JoinTask, None, Rewritten] = Stage(
    name="simplification/rewrite", receipt=Rewritten, build=_rewrite, unit="parts"
)
