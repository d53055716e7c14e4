"""The view of candidates: those of chosen words, through all stages.

lexbeam show es --candidates abordaje
lexbeam show es --candidates abordaje --of-setting thesaurus --kept
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import Table
from lexbeam.schemas.simplification import CANDIDATES, INSTANCES, RANKINGS, SELECTIONS
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.sections import owner_of
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.publish.views import View
from lexbeam.transforms.common.shown import Block, Grid, Kwic, Use, number
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.common.texts.apostrophes import straight
from lexbeam.transforms.simplification.records import Row

_INSTANCE_COLUMNS = ("instance_id", "target", "sentence", "start", "end")
_LAST = 1 << 30
SECTION = "simplify.generate"


@dataclass(frozen=True, kw_only=True)
class CandidatesOptions:
    """Options of the view `candidates`."""

    candidates: tuple[str, ...] = option(
        help="candidates of targets, whatever their capitals, or of instances by their ids, stage by stage",
        metavar="TARGET",
    )
    of_setting: str | None = option(None, help="only of this setting", metavar="NAME")
    kept: bool = option(False, help="only those that generation lets through")


def candidates_of_words(snapshot: Snapshot, options: CandidatesOptions) -> pa.Table:
    """Return a row for each candidate of chosen instances, by instance, setting and rank.

    Where later stages are published, the row also has whether selection keeps the candidate (`kept`,
    `selection`) and its rank by each ranker (`rank_NAME`).

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
    joined_rows = []
    for row in rows:
        selection = selected.get(_key(row))
        joined = {name: instances[row["instance_id"]][name] for name in _INSTANCE_COLUMNS} | row
        joined["kept"] = None if selection is None else selection["kept"]
        joined["selection"] = None if selection is None else selection["reason"] or selection["note"]
        for ranker in sorted(ranked):
            joined[f"rank_{ranker}"] = ranked[ranker].get(_key(row))
        joined_rows.append(joined)
    return pa.Table.from_pylist(joined_rows, _schema(ranked))


def _schema(ranked: Row) -> pa.Schema:
    instances, candidates = INSTANCES.schema(), CANDIDATES.schema()
    fields = [instances.field(name) for name in _INSTANCE_COLUMNS]
    fields += [field for field in candidates if field.name not in _INSTANCE_COLUMNS]
    fields += [pa.field("kept", pa.bool_()), pa.field("selection", pa.string())]
    fields += [pa.field(f"rank_{ranker}", pa.int32()) for ranker in sorted(ranked)]
    return pa.schema([pa.field(field.name, field.type) for field in fields])


def _instances(snapshot: Snapshot, texts: Sequence[str]) -> dict[str, Row]:
    """Return the instances with these targets or ids, by id, in the order in which they were named."""
    if INSTANCES.name not in snapshot.tables:
        raise UsageError(f"{files.shown(snapshot.out)} has no table {INSTANCES.name}: show the folder that has")
    wanted = {straight(text.casefold()): [] for text in texts}  # type: dict[str, list[Row]]
    targets = set()
    for batch in read_rows(snapshot.paths(INSTANCES.name), list(_INSTANCE_COLUMNS)):
        for row in batch.to_pylist():
            targets.add(straight(row["target"].casefold()))
            for name in (straight(row["target"].casefold()), row["instance_id"]):
                if name in wanted:
                    wanted[name].append(row)
    for text in texts:
        if not wanted[straight(text.casefold())]:
            raise UsageError(
                f"`candidates`: no instance has the target or the id {text!r}"
                f"{nearest(text.casefold(), sorted(targets))}"
            )
    return {row["instance_id"]: row for text in texts for row in wanted[straight(text.casefold())]}


def _rows(snapshot: Snapshot, table: Table, ids: pa.Array) -> list[Row]:
    """Return the rows of instances; none where the table is not published."""
    if table.name not in snapshot.tables:
        return []
    matching: list[Row] = []
    for batch in read_rows(snapshot.paths(table.name)):
        matching += batch.filter(pc.is_in(batch["instance_id"], value_set=ids)).to_pylist()
    return matching


def _key(row: Row) -> tuple[str, ...]:
    return row["instance_id"], row["setting"], row["form"]


def _order(row: Row) -> tuple[Any, ...]:
    return (row["instance_id"], row["setting"], row["rank"] or _LAST, row["reason"] or "", row["form"])


def _check_setting(snapshot: Snapshot, setting: str | None) -> None:
    if setting is None:
        return
    known: set[str] = set()
    for batch in read_rows(snapshot.paths(CANDIDATES.name), ["setting"]):
        known.update(pc.unique(batch["setting"]).to_pylist())
    if setting not in known:
        hint = nearest(setting, known) or f"; there are {', '.join(sorted(known)) or 'none'}"
        raise UsageError(f"`of_setting`: there is no setting {setting!r}{hint}")


def _candidate_blocks(snapshot: Snapshot, options: CandidatesOptions) -> Iterator[Block]:
    """Yield each instance in context, a line for each of its candidates, and settings that give it none."""
    rows = candidates_of_words(snapshot, options)
    instances = _instances(snapshot, options.candidates)
    rankers = [name for name in rows.column_names if name.startswith("rank_")]
    cells: dict[str, dict[str, list[Row]]] = {identifier: {} for identifier in sorted(instances)}
    for row in rows.to_pylist():
        cells[row["instance_id"]].setdefault(row["setting"], []).append(row)
    for identifier, by_setting in cells.items():
        text, start, end = (instances[identifier][name] for name in ("sentence", "start", "end"))
        use = Use(text[:start], text[start:end], text[end:], "")
        for setting, candidates in by_setting.items():
            yield Kwic((use._replace(where=setting),))
            yield _grid(candidates, rankers)
        for line in () if options.kept else without_candidates(snapshot, by_setting, options.of_setting):
            yield Kwic((use._replace(where=line),))
        if options.kept and not by_setting:
            yield Kwic((use._replace(where="no candidate that generation lets through"),))


def _grid(candidates: Sequence[Row], rankers: Sequence[str]) -> Grid:
    heads = ("rank", "form", "lemma", "score", "votes", "reason", "selected", *rankers)
    cells = tuple(
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
        for row in candidates
    )
    return Grid(heads, cells, frozenset({0, 3, 4, *range(7, 7 + len(rankers))}), 2, True)


def without_candidates(snapshot: Snapshot, there: Collection[str], only: str | None) -> Iterator[str]:
    """Yield a line for each setting that gives an instance no candidate, with what may be the reason.

    Args:
        snapshot: with what the manifest says of generation, or nothing is yielded.
        there: the settings that give it one.
        only: of this setting alone; None: of all.
    """
    owner = owner_of(snapshot.manifest, CANDIDATES.name)
    settings = snapshot.section(owner).get("settings", ()) if owner is not None else ()
    for setting in settings:
        name = setting["setting"]
        if name not in there and only in (None, name):
            why = " or the word is protected" if setting["protected"] else ""
            yield f"{name}: no candidates, since no generator gives any{why}"


def _shown(value: int | None) -> str:
    return "" if value is None else str(value)


def _selected(row: Row) -> str:
    if row["kept"] is None:
        return ""
    return row["selection"] or ("yes" if row["kept"] else "no")


CANDIDATES_VIEW: View[Any] = View(
    CandidatesOptions,
    candidates_of_words,
    _candidate_blocks,
    doc="candidates of targets, whatever their capitals, or of instances by their ids, by stage",
)
