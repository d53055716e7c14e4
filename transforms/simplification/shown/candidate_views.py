"""The views of candidates: those of chosen words through all stages, and what becomes of them, with gold or without.

lexbeam show es --candidates abordaje
lexbeam show es --candidates abordaje --of-setting thesaurus --kept

lexbeam show DIR --stages grotesco
lexbeam show DIR --stages grotesco,2f1c... --stages-setting thesaurus
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import Table, column
from lexbeam.schemas.simplification import (
    CANDIDATES,
    INSTANCES,
    RANKINGS,
    SELECTIONS,
    SIMPLIFICATIONS,
    SUBSTITUTES,
    generation_reasons,
)
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.sections import owner_of
from lexbeam.transforms.common.publish.snapshots import Snapshot, View
from lexbeam.transforms.common.shown import Block, Grid, Kwic, Use, columns_with, number
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import joined, read_rows
from lexbeam.transforms.common.texts.characters import straight
from lexbeam.transforms.report.panels import Panel, Rows, SectionTable, TableColumn
from lexbeam.transforms.simplification.evaluation.list_measures import folded
from lexbeam.transforms.simplification.generation.target_forms import PROTECTED
from lexbeam.transforms.simplification.records import ID, Row

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


_COLUMNS = {
    INSTANCES.name: ("target", "sentence", "start", "end"),
    SUBSTITUTES.name: ("substitute", "annotators", "gold_rank", "is_target"),
    CANDIDATES.name: ("setting", "form", "lemma", "rank", "score", "reason"),
    SELECTIONS.name: ("setting", "form", "kept", "reason", "note", "merged_into", "score"),
    RANKINGS.name: ("setting", "ranker", "form", "rank", "place", "is_target", "allowed"),
    SIMPLIFICATIONS.name: ("setting", "ranker", "form", "changed", "refused"),
}
_SHOWN = pa.schema(
    [
        ("instance_id", pa.string()),
        ("sentence", pa.string()),
        ("target", pa.string()),
        ("setting", pa.string()),
        ("ranker", pa.string()),
        ("form", pa.string()),
        ("lemma", pa.string()),
        ("gold_rank", pa.int32()),
        ("annotators", pa.int32()),
        ("generated", pa.int32()),
        ("score", pa.float64()),
        ("selected", pa.bool_()),
        ("ranked", pa.int32()),
        ("chosen", pa.bool_()),
        ("stage", pa.string()),
        ("reason", pa.string()),
        ("merged_into", pa.string()),
    ]
)


@dataclass(frozen=True, kw_only=True)
class StagesOptions:
    """Options of the view `stages`."""

    stages: tuple[str, ...] = option(
        help="candidates of targets, whatever their capitals, or of instances by their ids, stage by stage, with gold "
        "where there is any",
        metavar="TARGET",
    )
    stages_setting: str | None = option(None, help="only of this setting", metavar="SETTING")
    stages_most: int = option(5, help="of at most so many instances, the first by id", least=1)


def marked(sentence: str, start: int, end: int) -> str:
    """Return a sentence with its target in double brackets.

    >>> marked("Un trabajo arduo.", 11, 16)
    'Un trabajo [[arduo]].'
    """
    return f"{sentence[:start]}[[{sentence[start:end]}]]{sentence[end:]}"


def stage_rows(tables: Mapping[str, Sequence[str]], ids: Sequence[str], setting: str | None = None) -> Iterator[Row]:
    """Yield a row for each candidate of instances, and for gold that is no candidate, stage by stage.

    Args:
        tables: the paths of the parts of the tables that are published.
        setting: only this one; None: all.

    Yields:
        Rows: instance, setting, ranker (null where there is none), form, lemma; its rank and
        annotators in gold; its rank in generation, its last score, whether it was selected, its
        rank, whether it was chosen; at which stage it was dropped, and why. In the order of the last
        stage that they reach. Without gold these columns are null, and no row is of gold alone.
    """
    paths = {name: tables[name] for name in _COLUMNS if name in tables}
    columns = {name: _COLUMNS[name] for name in paths}
    for identifier, rows in joined(paths, columns, ID, ids):
        for instance in rows[INSTANCES.name]:
            stages = {name: rows.get(name, []) for name in list(_COLUMNS)[2:]}
            settings = sorted({row["setting"] for table_rows in stages.values() for row in table_rows})
            for name in settings:
                if setting is None or name == setting:
                    setting_rows = {
                        table: [row for row in table_rows if row["setting"] == name]
                        for table, table_rows in stages.items()
                    }
                    for row in _of_setting(instance, rows.get(SUBSTITUTES.name, []), setting_rows):
                        yield {"instance_id": identifier, "setting": name, **row}


def _of_setting(instance: Row, gold: list[Row], stages: Mapping[str, list[Row]]) -> Iterator[Row]:
    of_gold = {folded(substitute["substitute"]): substitute for substitute in gold if not substitute["is_target"]}
    whole = marked(instance["sentence"], instance["start"], instance["end"])
    forms: dict[str, Row] = {}
    for record in stages[CANDIDATES.name]:
        shown = _row(forms, record["form"])
        shown |= {"lemma": record["lemma"], "generated": record["rank"], "score": record["score"]}
        if record["reason"] is not None:
            shown |= {"stage": "generation", "reason": record["reason"]}
    for record in stages[SELECTIONS.name]:
        shown = _row(forms, record["form"])
        shown |= {"selected": record["kept"], "score": record["score"], "merged_into": record["merged_into"]}
        reason = record["note"] if record["kept"] else record["reason"]
        if reason is not None:
            shown |= {"stage": "selection", "reason": reason}
    for word, record in of_gold.items():
        if not any(folded(form) == word for form in forms):
            shown = _row(forms, record["substitute"])
            shown |= {"stage": "generation", "reason": "not_generated"}
    later = [*stages[RANKINGS.name], *stages[SIMPLIFICATIONS.name]]
    for ranker in sorted({row["ranker"] for row in later}) or [None]:
        places = {r["form"]: r for r in stages[RANKINGS.name] if r["ranker"] == ranker and not r["is_target"]}
        made = [r for r in stages[SIMPLIFICATIONS.name] if r["ranker"] == ranker]
        chosen = {r["form"] for r in made if r["changed"]}
        refused = dict(one.rsplit(" ", 1) for r in made for one in r["refused"])
        placed = []
        for form, shown in forms.items():
            ranked = places.get(form)
            known = of_gold.get(folded(form), {})
            columns = {
                "sentence": whole,
                "target": instance["target"],
                "ranker": ranker,
                "gold_rank": known.get("gold_rank"),
                "annotators": known.get("annotators"),
                "ranked": None if ranked is None else ranked["rank"],
                "chosen": form in chosen if ranked is not None else None,
            }
            if ranked is not None and (not ranked["allowed"] or form in refused):
                columns |= {"stage": "pipeline", "reason": refused.get(form, "keep_target")}
            placed.append((_place(shown, ranked), {**shown, **columns}))
        for _, row in sorted(placed, key=lambda pair: pair[0]):
            yield row


def _row(forms: dict[str, Row], form: str) -> Row:
    return forms.setdefault(form, {"form": form, "generated": None, "selected": None})


def _place(shown: Row, ranked: Row | None) -> tuple[Any, ...]:
    if ranked is not None:
        return (0, ranked["place"], shown["form"])
    through = shown["selected"] is not False and shown["generated"] is not None
    return (
        1 + (not through) + (shown["generated"] is None) + (shown.get("reason") == "not_generated"),
        shown["generated"] or 0,
        shown["form"],
    )


def stages_of(snapshot: Snapshot, options: StagesOptions) -> pa.Table:
    """Return the candidates of instances stage by stage, see `stage_rows`.

    An instance without candidates has no row.

    Raises:
        UsageError: no instance has such a target or id, or there is no such setting.
    """
    return _stages(snapshot, options, list(_chosen(snapshot, options)))


def _chosen(snapshot: Snapshot, options: StagesOptions) -> dict[str, str]:
    """Return the instances with these targets or ids, the first by id: their sentences, with the target in brackets."""
    if INSTANCES.name not in snapshot.tables:
        raise UsageError(f"{files.shown(snapshot.out)} has no table {INSTANCES.name}: show the folder that has")
    wanted = {folded(name): name for name in options.stages}
    targets: set[str] = set()
    there: set[str] = set()
    instances: dict[str, str] = {}
    for rows in read_rows(snapshot.paths(INSTANCES.name), ["instance_id", *_COLUMNS[INSTANCES.name]]):
        for row in rows.to_pylist():
            targets.add(folded(row["target"]))
            if names := wanted.keys() & {folded(row["target"]), row["instance_id"]}:
                there |= names
                instances[row["instance_id"]] = marked(row["sentence"], row["start"], row["end"])
    for word, name in wanted.items():
        if word not in there:
            raise UsageError(f"`stages`: no instance has the target or the id {name!r}{nearest(word, targets)}")
    return {name: instances[name] for name in sorted(instances)[: options.stages_most]}


def _stages(snapshot: Snapshot, options: StagesOptions, ids: Sequence[str]) -> pa.Table:
    tables = {name: snapshot.paths(name) for name in _COLUMNS if name in snapshot.tables}
    shown = list(stage_rows(tables, ids, options.stages_setting))
    if not shown and options.stages_setting is not None:
        known = sorted({row["setting"] for row in stage_rows(tables, ids)})
        hint = nearest(options.stages_setting, known) or f"; there are {', '.join(known) or 'none'}"
        raise UsageError(f"`stages_setting`: there is nothing of setting {options.stages_setting!r}{hint}")
    return pa.Table.from_pylist(shown, _SHOWN)


def _stage_blocks(snapshot: Snapshot, options: StagesOptions) -> Iterator[Block]:
    instances = _chosen(snapshot, options)
    groups: dict[str, dict[tuple[str, str | None], list[Row]]] = {identifier: {} for identifier in instances}
    for row in _stages(snapshot, options, list(instances)).to_pylist():
        groups[row["instance_id"]].setdefault((row["setting"], row["ranker"]), []).append(row)
    for identifier, sentence in instances.items():
        yield f"{identifier}  {sentence}"
        for (setting, ranker), rows in groups[identifier].items():
            yield f"  {setting}" + ("" if ranker is None else f", {ranker}")
            yield columns_with(_HEADS, [_cells(row) for row in rows], indent=4)
        known = {setting for setting, _ in groups[identifier]}
        for line in without_candidates(snapshot, known, options.stages_setting):
            yield f"  {line}"


_HEADS = [
    ("candidate", "<"),
    ("lemma", "<"),
    ("gold rank", ">"),
    ("generated", ">"),
    ("score", ">"),
    ("selected", "<"),
    ("ranked", ">"),
    ("", "<"),
    ("reason", "<"),
]


def _cells(row: Row) -> list[str]:
    yes_no = {None: "", True: "yes", False: "no"}
    into = f" {row['merged_into']}" if row["merged_into"] else ""
    numbers = ["" if row[name] is None else str(row[name]) for name in ("gold_rank", "generated", "ranked")]
    lemma = row["lemma"] if row["lemma"] != row["form"] else None
    return [
        row["form"],
        lemma or "",
        numbers[0],
        numbers[1],
        number(row["score"]),
        yes_no[row["selected"]],
        numbers[2],
        "chosen" if row["chosen"] else "",
        f"{row['reason'] or ''}{into}",
    ]


STAGES_VIEW: View[Any] = View(
    StagesOptions,
    stages_of,
    _stage_blocks,
    doc="candidates of targets, or of instances by their ids, stage by stage, with any rank in gold",
)
CANDIDATE_VIEWS: Registry[View[Any]] = Registry(
    {"candidates": CANDIDATES_VIEW, "stages": STAGES_VIEW}, what="view", group="lexbeam.simplification_candidate_views"
)


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
        why = {name: reasons[name] for name in generation_reasons() if name in reasons}
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
