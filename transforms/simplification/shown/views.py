"""The view of stages: what becomes of the candidates of words, with gold or without.

lexbeam show DIR --stages grotesco
lexbeam show DIR --stages grotesco,2f1c... --stages-setting thesaurus
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from lexbeam.schemas.simplification import CANDIDATES, INSTANCES, RANKINGS, SELECTIONS, SIMPLIFICATIONS, SUBSTITUTES
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.publish.views import View
from lexbeam.transforms.common.shown import Block, columns_with, number
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.join import Rows, joined
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.simplification.evaluation.lists import folded
from lexbeam.transforms.simplification.records import ID, Row
from lexbeam.transforms.simplification.shown.candidates import CANDIDATES_VIEW, without_candidates

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
        ids: the instances.
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


def _of_setting(instance: Row, gold: Rows, stages: Mapping[str, Rows]) -> Iterator[Row]:
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
    groups: dict[str, dict[tuple[str, str | None], Rows]] = {identifier: {} for identifier in instances}
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
