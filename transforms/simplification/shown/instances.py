"""Questions to tables of instances: words in their sentences, with what people gave for them.

lexbeam show alexsis --instances 20
lexbeam show alexsis --instances 5 --of folclórico,labrarse --flag several
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.columns import column
from schemas.simplification.instances import FLAGS, INSTANCES, JUDGMENTS, SUBSTITUTES
from transforms.common.code.registry import Registry
from transforms.common.errors import UsageError, nearest
from transforms.common.options.fields import option
from transforms.common.publish.snapshots import Snapshot
from transforms.common.publish.views import View
from transforms.common.shown import Block, Kwic, Use, listed
from transforms.common.store import files
from transforms.common.store.tables import read_rows
from transforms.report.panels import Panel, Rows

__all__ = ["INSTANCE_VIEWS", "InstancesOptions", "instance_panels", "instances_shown"]

_COLUMNS = (
    "instance_id",
    "language",
    "target",
    "lemma",
    "upos",
    "feats",
    "sentence",
    "start",
    "end",
    "judgment",
    "flags",
)
QUOTED = 20


@dataclass(frozen=True, kw_only=True)
class InstancesOptions:
    """Options of the view `instances`."""

    instances: int = option(20, help="words to simplify, in their sentences, the first by id", least=1)
    of: tuple[str, ...] = option((), help="of these targets alone, whatever their capitals", metavar="TARGET")
    judgment: str | None = option(None, help="those that people judge so", choices=tuple(JUDGMENTS))
    flag: str | None = option(None, help="those that have this flag", choices=tuple(FLAGS))


def instances_shown(snapshot: Snapshot, options: InstancesOptions) -> pa.Table:
    """Return instances with their substitutes, most annotators first, and how many gave each.

    Raises:
        UsageError: no instances are published, or none of such targets.
    """
    if INSTANCES.name not in snapshot.tables:
        raise UsageError(
            f"{files.shown(snapshot.out)} has no table {INSTANCES.name}: `lexbeam simplify instances` makes it"
        )
    asked = {name.casefold(): name for name in options.of}
    kept: list[dict[str, Any]] = []
    there: set[str] = set()
    for row in _rows(snapshot, options):
        folded = row["target"].casefold()
        there.add(folded)
        if (not asked or folded in asked) and len(kept) < options.instances:
            kept.append(row)
        if not asked and len(kept) == options.instances:
            break
    for folded, name in asked.items():
        if folded not in there:
            raise UsageError(f"`of`: no instance has the target {name!r}{nearest(folded, there)}")
    if not kept:
        raise UsageError("no instance is such a one: nothing can be shown")
    gold = _substitutes(snapshot, [row["instance_id"] for row in kept])
    for row in kept:
        own = sorted(gold.get(row["instance_id"], []), key=_by_rank)
        row["substitutes"] = [one["substitute"] for one in own]
        row["annotators"] = [one["annotators"] for one in own]
    return pa.Table.from_pylist(kept, _SHOWN)


_SHOWN = pa.schema(
    [
        *(INSTANCES.schema().field(name) for name in _COLUMNS),
        column("substitutes", pa.list_(pa.string()), "what people gave, the first ranks first"),
        column("annotators", pa.list_(pa.int32()), "how many gave each; null where ranks are known"),
    ]
)


def _rows(snapshot: Snapshot, options: InstancesOptions) -> Iterator[dict[str, Any]]:
    for rows in read_rows(snapshot.paths(INSTANCES.name), list(_COLUMNS)):
        if options.judgment is not None:
            rows = rows.filter(pc.equal(rows["judgment"], options.judgment))
        for row in rows.to_pylist():
            if options.flag is None or options.flag in row["flags"]:
                yield row


def _substitutes(snapshot: Snapshot, names: list[str]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    if SUBSTITUTES.name in snapshot.tables:
        wanted = pa.array(names, pa.string())
        for rows in read_rows(snapshot.paths(SUBSTITUTES.name)):
            own = rows.filter(pc.is_in(rows["instance_id"], value_set=wanted))
            for row in own.to_pylist():
                found.setdefault(row["instance_id"], []).append(row)
    return found


def _by_rank(row: dict[str, Any]) -> tuple[int, str]:
    return row["gold_rank"] or 0, row["substitute"]


def _told(row: dict[str, Any]) -> str:
    pairs = zip(row["substitutes"], row["annotators"], strict=True)
    gold = [text if number is None else f"{text} {number}" for text, number in pairs]
    return listed(gold, most=6) or row["upos"] or ""


def _tell(snapshot: Snapshot, options: InstancesOptions) -> Iterator[Block]:
    rows = instances_shown(snapshot, options).to_pylist()
    yield f"{len(rows)} words in their sentences; what people gave for them, and how many"
    yield Kwic(tuple(_use(row) for row in rows))


def _use(row: dict[str, Any]) -> Use:
    text, start, end = row["sentence"], row["start"], row["end"]
    return Use(text[:start], text[start:end], text[end:], _told(row))


def instance_panels(snapshot: Snapshot, _: Iterable[str] = ()) -> list[Panel]:
    """Return the first instances in their sentences, for the report."""
    if not snapshot.tables[INSTANCES.name]["rows"]:
        return []
    rows = [
        {
            "sentence": row["sentence"],
            "target": row["target"],
            "lemma": row["lemma"],
            "part of speech": row["upos"],
            "substitutes": _told(row) or None,
        }
        for row in instances_shown(snapshot, InstancesOptions(instances=QUOTED)).to_pylist()
    ]
    schema = pa.schema(
        [
            column("sentence", pa.string(), "the sentence"),
            column("target", pa.string(), "the word to simplify"),
            column("lemma", pa.string(), "its lemma", nullable=True),
            column("part of speech", pa.string(), "its part of speech", nullable=True),
            column("substitutes", pa.string(), "what people gave, and how many of them", nullable=True),
        ]
    )
    text = f"{len(rows)} words to simplify in their sentences, the first by id."
    return [Rows("Words to simplify", text, pa.Table.from_pylist(rows, schema))]


INSTANCE_VIEWS: Registry[View[Any]] = Registry(
    {
        "instances": View(
            InstancesOptions,
            instances_shown,
            _tell,
            doc="words to simplify, in their sentences, the first by id, with people's substitutes",
        )
    },
    what="view",
    group="lexbeam.simplification_instance_views",
)
