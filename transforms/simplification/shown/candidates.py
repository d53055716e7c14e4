"""Candidates for a person: those of chosen words through all stages, and panels of generation.

lexbeam show es --candidates abordaje
lexbeam show es --candidates abordaje --of-setting thesaurus --kept
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.columns import Table, column
from schemas.simplification.candidates import CANDIDATES, REASONS, SELECTIONS
from schemas.simplification.instances import INSTANCES
from schemas.simplification.rankings import RANKINGS
from transforms.common.code.registry import Registry
from transforms.common.errors import UsageError, nearest
from transforms.common.options.fields import option
from transforms.common.publish.snapshots import Snapshot
from transforms.common.publish.views import View
from transforms.common.shown import Block, Grid, Kwic, Use, number
from transforms.common.store import files
from transforms.common.store.tables import read_rows
from transforms.report.panels import Panel, Rows
from transforms.report.section_tables import SectionTable, TableColumn
from transforms.simplification.generation.protection import PROTECTED
from transforms.simplification.records import Row

__all__ = [
    "CANDIDATE_VIEWS",
    "GENERATED",
    "CandidatesOptions",
    "candidate_panels",
    "candidates_of_words",
    "generator_counts",
]

_INSTANCE_COLUMNS = ("instance_id", "target", "sentence", "start", "end")
_LAST = 1 << 30


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
    wanted = {text.casefold(): [] for text in texts}  # type: dict[str, list[Row]]
    targets = set()
    for batch in read_rows(snapshot.paths(INSTANCES.name), list(_INSTANCE_COLUMNS)):
        for row in batch.to_pylist():
            targets.add(row["target"].casefold())
            for name in (row["target"].casefold(), row["instance_id"]):
                if name in wanted:
                    wanted[name].append(row)
    for text in texts:
        if not wanted[text.casefold()]:
            raise UsageError(
                f"`candidates`: no instance has the target or the id {text!r}"
                f"{nearest(text.casefold(), sorted(targets))}"
            )
    return {row["instance_id"]: row for text in texts for row in wanted[text.casefold()]}


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
    """Yield each instance in context, and a line for each of its candidates."""
    rows = candidates_of_words(snapshot, options)
    rankers = [name for name in rows.column_names if name.startswith("rank_")]
    cells: dict[tuple[str, str], list[Row]] = {}
    for row in rows.to_pylist():
        cells.setdefault((row["instance_id"], row["setting"]), []).append(row)
    if not cells:
        yield "no candidates"
    for (_, setting), candidates in cells.items():
        first = candidates[0]
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
                for row in candidates
            ),
            frozenset({0, 3, 4, *range(7, 7 + len(rankers))}),
            2,
            True,
        )


def _shown(value: int | None) -> str:
    return "" if value is None else str(value)


def _selected(row: Row) -> str:
    if row["kept"] is None:
        return ""
    return row["selection"] or ("yes" if row["kept"] else "no")


CANDIDATE_VIEWS: Registry[View[Any]] = Registry(
    {
        "candidates": View(
            CandidatesOptions,
            candidates_of_words,
            _candidate_blocks,
            doc="candidates of targets, whatever their capitals, or of instances by their ids, by stage",
        )
    },
    what="view",
    group="lexbeam.simplification_candidate_views",
)


SECTION = "simplify.generate"


GENERATED = SectionTable(
    "Candidates",
    "What each generator gives, and why some of it does not go on; a form that several give counts for each of them.",
    (
        TableColumn("setting", "name of the setting", pa.string()),
        TableColumn("generator", "what gives them; all: each form counts once", pa.string()),
        TableColumn("kept", "candidates that go on"),
        TableColumn("dropped", "candidates that do not"),
        TableColumn("reasons", "why not", pa.string()),
    ),
)


def generator_counts(section: Mapping[str, Any]) -> Iterator[dict[str, str | int]]:
    """Yield rows of `GENERATED`: setting, generator, how many candidates go on, how many do not, and why not.

    Args:
        section: what the manifest says; its `counts` are by setting, generator and reason.
    """
    by_generator: dict[tuple[str, str], dict[str, int]] = {}
    for count in section["counts"]:
        by_generator.setdefault((count["setting"], count["generator"]), {})[count["reason"]] = count["candidates"]
    for (setting, generator), reasons in by_generator.items():
        why = {name: reasons[name] for name in REASONS if name in reasons}
        yield {
            "setting": setting,
            "generator": generator,
            "kept": reasons.get("kept", 0),
            "dropped": sum(why.values()),
            "reasons": ", ".join(f"{name} {number}" for name, number in why.items()),
        }


def candidate_panels(snapshot: Snapshot) -> list[Panel]:
    """Return the panels of `lexbeam simplify generate`."""
    section = snapshot.section(SECTION)
    settings = pa.Table.from_pylist(
        [
            {
                "setting": setting["setting"],
                "generators": ", ".join(setting["generators"]),
                "combine": setting["combine"],
                "instances": section["instances"],
                "with_candidates": setting["with_candidates"],
                **{name: setting["protected"].get(name, 0) for name in PROTECTED},
            }
            for setting in section["settings"]
        ],
        schema=pa.schema(
            [
                column("setting", pa.string(), "name of the setting"),
                column("generators", pa.string(), "what gives candidates"),
                column("combine", pa.string(), "those of any generator, or of all"),
                column("instances", pa.int64(), "words in their sentences"),
                column("with_candidates", pa.int64(), "those that have a candidate that goes on"),
                *(column(name, pa.int64(), f"protected: {doc}") for name, doc in PROTECTED.items()),
            ]
        ),
    )
    return [
        Rows("Instances with candidates", "By setting; protected words get none.", settings),
        GENERATED.panel(generator_counts(section)),
    ]
