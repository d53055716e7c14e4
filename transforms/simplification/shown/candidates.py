"""Candidates of chosen words through all stages, for `lexbeam show`.

lexbeam show es --candidates abordaje
lexbeam show es --candidates abordaje --of-setting thesaurus --kept
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.columns import Table
from schemas.simplification.instances import CANDIDATES, INSTANCES, RANKINGS, SELECTIONS
from transforms.common.code.registry import Registry
from transforms.common.errors import UsageError, nearest
from transforms.common.options.fields import option
from transforms.common.publish.snapshots import Snapshot
from transforms.common.publish.views import View
from transforms.common.shown import Block, Grid, Kwic, Use, number
from transforms.common.store import files
from transforms.common.store.tables import read_rows

__all__ = ["CANDIDATE_VIEWS", "CandidatesOptions", "candidates_of_words"]

_OWN = ("instance_id", "target", "sentence", "start", "end")
_LAST = 1 << 30


@dataclass(frozen=True, kw_only=True)
class CandidatesOptions:
    """Options of the view `candidates`."""

    candidates: tuple[str, ...] = option(
        help="the candidates of targets, whatever their capitals, or of instances by their ids, stage by stage",
        metavar="TARGET",
    )
    of_setting: str | None = option(None, help="of this setting", metavar="NAME")
    kept: bool = option(False, help="those alone that generation lets through")


def candidates_of_words(snapshot: Snapshot, options: CandidatesOptions) -> pa.Table:
    """Return a row for each candidate of chosen instances, by instance, setting and rank.

    Beside what generation says of it stand, where these stages are published, whether selection
    keeps it (`kept`, `selection`) and its rank by each ranker (`rank_NAME`).

    Raises:
        UsageError: no instance has such a target or id, or there is no such setting.
    """
    instances = _instances(snapshot, options.candidates)
    ids = pa.array(list(instances), pa.string())
    rows = _rows(snapshot, CANDIDATES, ids)
    _check_setting(snapshot, options.of_setting)
    if options.of_setting is not None:
        rows = [row for row in rows if row["setting"] == options.of_setting]
    if options.kept:
        rows = [row for row in rows if row["reason"] is None]
    rows.sort(key=_order)
    selected = {_key(row): row for row in _rows(snapshot, SELECTIONS, ids)}
    ranked: dict[str, dict[tuple[str, ...], int]] = {}
    for row in _rows(snapshot, RANKINGS, ids):
        ranked.setdefault(row["ranker"], {})[_key(row)] = row["rank"]
    found = []
    for row in rows:
        own = selected.get(_key(row))
        joined = {name: instances[row["instance_id"]][name] for name in _OWN} | row
        joined["kept"] = None if own is None else own["kept"]
        joined["selection"] = None if own is None else own["reason"] or own["note"]
        for ranker in sorted(ranked):
            joined[f"rank_{ranker}"] = ranked[ranker].get(_key(row))
        found.append(joined)
    return pa.Table.from_pylist(found, _schema(ranked))


def _schema(ranked: Mapping[str, Any]) -> pa.Schema:
    instances, candidates = INSTANCES.schema(), CANDIDATES.schema()
    fields = [instances.field(name) for name in _OWN]
    fields += [field for field in candidates if field.name not in _OWN]
    fields += [pa.field("kept", pa.bool_()), pa.field("selection", pa.string())]
    fields += [pa.field(f"rank_{ranker}", pa.int32()) for ranker in sorted(ranked)]
    return pa.schema([pa.field(field.name, field.type) for field in fields])


def _instances(snapshot: Snapshot, asked: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the instances that are asked for, by id, in the order in which they are asked for."""
    if INSTANCES.name not in snapshot.tables:
        raise UsageError(f"{files.shown(snapshot.out)} has no table {INSTANCES.name}: show the folder that has")
    wanted = {text.casefold(): [] for text in asked}  # type: dict[str, list[dict[str, Any]]]
    targets = set()
    for some in read_rows(snapshot.paths(INSTANCES.name), list(_OWN)):
        for row in some.to_pylist():
            targets.add(row["target"].casefold())
            for name in (row["target"].casefold(), row["instance_id"]):
                if name in wanted:
                    wanted[name].append(row)
    for text in asked:
        if not wanted[text.casefold()]:
            raise UsageError(
                f"`candidates`: no instance has the target or the id {text!r}"
                f"{nearest(text.casefold(), sorted(targets))}"
            )
    return {row["instance_id"]: row for text in asked for row in wanted[text.casefold()]}


def _rows(snapshot: Snapshot, table: Table, ids: pa.Array) -> list[dict[str, Any]]:
    """Return the rows of instances; none where the table is not published."""
    if table.name not in snapshot.tables:
        return []
    found: list[dict[str, Any]] = []
    for some in read_rows(snapshot.paths(table.name)):
        found += some.filter(pc.is_in(some["instance_id"], value_set=ids)).to_pylist()
    return found


def _key(row: Mapping[str, Any]) -> tuple[str, ...]:
    return row["instance_id"], row["setting"], row["form"]


def _order(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (row["instance_id"], row["setting"], row["rank"] or _LAST, row["reason"] or "", row["form"])


def _check_setting(snapshot: Snapshot, setting: str | None) -> None:
    if setting is None:
        return
    known: set[str] = set()
    for some in read_rows(snapshot.paths(CANDIDATES.name), ["setting"]):
        known.update(pc.unique(some["setting"]).to_pylist())
    if setting not in known:
        hint = nearest(setting, known) or f"; there are {', '.join(sorted(known)) or 'none'}"
        raise UsageError(f"`of_setting`: there is no setting {setting!r}{hint}")


def _told(snapshot: Snapshot, options: CandidatesOptions) -> Iterator[Block]:
    """Yield each instance in context, and a line for each of its candidates."""
    rows = candidates_of_words(snapshot, options)
    rankers = [name for name in rows.column_names if name.startswith("rank_")]
    cells: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows.to_pylist():
        cells.setdefault((row["instance_id"], row["setting"]), []).append(row)
    if not cells:
        yield "no candidates"
    for (_, setting), own in cells.items():
        first = own[0]
        text, start, end = first["sentence"], first["start"], first["end"]
        yield Kwic((Use(text[:start], text[start:end], text[end:], setting),))
        heads = ("rank", "form", "lemma", "score", "votes", "reason", "selected", *rankers)
        yield Grid(
            heads,
            tuple(
                (
                    _shown(row["rank"]),
                    row["shown"] or row["form"],
                    row["lemma"] or "",
                    number(row["score"]),
                    _shown(row["votes"]),
                    row["reason"] or "",
                    _selected(row),
                    *(_shown(row[name]) for name in rankers),
                )
                for row in own
            ),
            frozenset({0, 3, 4, *range(7, 7 + len(rankers))}),
            2,
            True,
        )


def _shown(value: int | None) -> str:
    return "" if value is None else str(value)


def _selected(row: Mapping[str, Any]) -> str:
    if row["kept"] is None:
        return ""
    return row["selection"] or ("yes" if row["kept"] else "no")


CANDIDATE_VIEWS: Registry[View[Any]] = Registry(
    {
        "candidates": View(
            CandidatesOptions,
            candidates_of_words,
            _told,
            doc="candidates of targets, whatever their capitals, or of instances by their ids, by stage",
        )
    },
    what="view",
    group="lexbeam.simplification_candidate_views",
)
