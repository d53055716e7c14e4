"""Candidates stage by stage, and what is lost at each stage.

lexbeam show DIR --stages grotesco
lexbeam show DIR --stages grotesco,2f1c... --stages-setting thesaurus
lexbeam show DIR --funnel all
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.simplification.instances import (
    CANDIDATES,
    FUNNEL,
    INSTANCES,
    RANKINGS,
    SELECTIONS,
    SIMPLIFICATIONS,
    SUBSTITUTES,
)
from transforms.common.code.registry import Registry
from transforms.common.errors import UsageError, nearest
from transforms.common.options.fields import option
from transforms.common.publish.snapshots import Snapshot
from transforms.common.publish.views import View
from transforms.common.shown import Block, columns_with, number
from transforms.common.store.join import Rows, joined
from transforms.common.store.tables import read_rows
from transforms.simplification.evaluation.lists import folded
from transforms.simplification.records import ID

__all__ = ["EVALUATION_VIEWS", "FunnelOptions", "StagesOptions", "funnel_of", "marked", "stage_rows", "stages_of"]

_COLUMNS = {
    INSTANCES.name: ("target", "sentence", "start", "end"),
    SUBSTITUTES.name: ("substitute", "annotators", "gold_rank", "is_target"),
    CANDIDATES.name: ("setting", "form", "lemma", "rank", "score", "reason"),
    SELECTIONS.name: ("setting", "form", "kept", "reason", "note", "merged_into", "score"),
    RANKINGS.name: ("setting", "ranker", "form", "rank", "place", "is_target"),
    SIMPLIFICATIONS.name: ("setting", "ranker", "form", "changed", "reason"),
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
        help="candidates stage by stage, of targets, whatever their capitals, or of instances by their ids",
        metavar="TARGET",
    )
    stages_setting: str | None = option(None, help="of this setting", metavar="SETTING")
    stages_most: int = option(5, help="of so many instances, the first by id", least=1)


@dataclass(frozen=True, kw_only=True)
class FunnelOptions:
    """Options of the view `funnel`."""

    funnel: str = option(help="what is lost at each stage of this setting, by reason; all: of each", metavar="SETTING")


def marked(sentence: str, start: int, end: int) -> str:
    """Return a sentence with its target in double brackets.

    >>> marked("Un trabajo arduo.", 11, 16)
    'Un trabajo [[arduo]].'
    """
    return f"{sentence[:start]}[[{sentence[start:end]}]]{sentence[end:]}"


def stage_rows(
    tables: Mapping[str, Sequence[str]], ids: Sequence[str], setting: str | None = None
) -> Iterator[dict[str, Any]]:
    """Yield a row for each candidate of instances, and for gold that is none, stage by stage.

    Args:
        tables: the paths of the parts of the tables that are published.
        ids: the instances.
        setting: of this one alone.

    Yields:
        Rows: instance, setting, ranker (null where there is none), form, lemma; its rank and
        annotators in gold; its rank in generation, its last score, whether it was selected, its
        rank, whether it was chosen; where it was dropped, for which reason. Ordered as they stand
        at the last stage that they reach.
    """
    given = {name: tables[name] for name in _COLUMNS if name in tables}
    columns = {name: _COLUMNS[name] for name in given}
    for identifier, rows in joined(given, columns, ID, ids):
        for one in rows[INSTANCES.name]:
            stages = {name: rows.get(name, []) for name in list(_COLUMNS)[2:]}
            settings = sorted({row["setting"] for some in stages.values() for row in some})
            for name in settings:
                if setting is None or name == setting:
                    own = {table: [row for row in some if row["setting"] == name] for table, some in stages.items()}
                    for row in _of_setting(one, rows.get(SUBSTITUTES.name, []), own):
                        yield {"instance_id": identifier, "setting": name, **row}


def _of_setting(instance: Mapping[str, Any], gold: Rows, stages: Mapping[str, Rows]) -> Iterator[dict[str, Any]]:
    of_gold = {folded(one["substitute"]): one for one in gold if not one["is_target"]}
    whole = marked(instance["sentence"], instance["start"], instance["end"])
    forms: dict[str, dict[str, Any]] = {}
    for one in stages[CANDIDATES.name]:
        own = _row(forms, one["form"])
        own |= {"lemma": one["lemma"], "generated": one["rank"], "score": one["score"]}
        if one["reason"] is not None:
            own |= {"stage": "generation", "reason": one["reason"]}
    for one in stages[SELECTIONS.name]:
        own = _row(forms, one["form"])
        own |= {"selected": one["kept"], "score": one["score"], "merged_into": one["merged_into"]}
        reason = one["note"] if one["kept"] else one["reason"]
        if reason is not None:
            own |= {"stage": "selection", "reason": reason}
    for word, one in of_gold.items():
        if not any(folded(form) == word for form in forms):
            own = _row(forms, one["substitute"])
            own |= {"stage": "generation", "reason": "not_generated"}
    later = [*stages[RANKINGS.name], *stages[SIMPLIFICATIONS.name]]
    for ranker in sorted({one["ranker"] for one in later}) or [None]:
        places = {r["form"]: r for r in stages[RANKINGS.name] if r["ranker"] == ranker and not r["is_target"]}
        made = [r for r in stages[SIMPLIFICATIONS.name] if r["ranker"] == ranker]
        chosen = {r["form"] for r in made if r["changed"]}
        found = []
        for form, own in forms.items():
            ranked = places.get(form)
            known = of_gold.get(folded(form), {})
            more = {
                "sentence": whole,
                "target": instance["target"],
                "ranker": ranker,
                "gold_rank": known.get("gold_rank"),
                "annotators": known.get("annotators"),
                "ranked": None if ranked is None else ranked["rank"],
                "chosen": form in chosen if ranked is not None else None,
            }
            found.append((_place(own, ranked), {**own, **more}))
        for _, row in sorted(found, key=lambda pair: pair[0]):
            yield row


def _row(forms: dict[str, dict[str, Any]], form: str) -> dict[str, Any]:
    return forms.setdefault(form, {"form": form, "generated": None, "selected": None})


def _place(own: Mapping[str, Any], ranked: Mapping[str, Any] | None) -> tuple[Any, ...]:
    if ranked is not None:
        return (0, ranked["place"], own["form"])
    through = own["selected"] is not False and own["generated"] is not None
    return (
        1 + (not through) + (own["generated"] is None) + (own.get("reason") == "not_generated"),
        own["generated"] or 0,
        own["form"],
    )


def stages_of(snapshot: Snapshot, options: StagesOptions) -> pa.Table:
    """Return the candidates of instances stage by stage, see `stage_rows`.

    Raises:
        UsageError: no instance has such a target or id, or there is no such setting.
    """
    asked = {folded(name) for name in options.stages}
    targets: set[str] = set()
    ids: list[str] = []
    for rows in read_rows(snapshot.paths(INSTANCES.name), ["instance_id", "target"]):
        for one in rows.to_pylist():
            word = folded(one["target"])
            targets.add(word)
            if word in asked or one["instance_id"] in asked:
                ids.append(one["instance_id"])
    if not ids:
        hint = nearest(folded(options.stages[0]), targets)
        raise UsageError(f"`stages`: no instance has the target or the id {', '.join(options.stages)!r}{hint}")
    tables = {name: snapshot.paths(name) for name in _COLUMNS if name in snapshot.tables}
    ids = sorted(ids)[: options.stages_most]
    found = list(stage_rows(tables, ids, options.stages_setting))
    if not found and options.stages_setting is not None:
        known = sorted({row["setting"] for row in stage_rows(tables, ids)})
        hint = nearest(options.stages_setting, known) or f"; there are {', '.join(known) or 'none'}"
        raise UsageError(f"`stages_setting`: there is nothing of setting {options.stages_setting!r}{hint}")
    return pa.Table.from_pylist(found, _SHOWN)


def _tell_stages(snapshot: Snapshot, options: StagesOptions) -> Iterator[Block]:
    groups: dict[tuple[str, str, str | None], Rows] = {}
    for row in stages_of(snapshot, options).to_pylist():
        groups.setdefault((row["instance_id"], row["setting"], row["ranker"]), []).append(row)
    last = None
    for (identifier, setting, ranker), rows in groups.items():
        if identifier != last:
            yield f"{identifier}  {rows[0]['sentence']}"
        last = identifier
        yield f"  {setting}" + ("" if ranker is None else f", {ranker}")
        heads = [
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
        yield columns_with(heads, [_cells(row) for row in rows], indent=4)


def _cells(row: Mapping[str, Any]) -> list[str]:
    kept = {None: "", True: "yes", False: "no"}
    into = f" {row['merged_into']}" if row["merged_into"] else ""
    numbers = ["" if row[name] is None else str(row[name]) for name in ("gold_rank", "generated", "ranked")]
    lemma = row["lemma"] if row["lemma"] != row["form"] else None
    return [
        row["form"],
        lemma or "",
        numbers[0],
        numbers[1],
        number(row["score"]),
        kept[row["selected"]],
        numbers[2],
        "chosen" if row["chosen"] else "",
        f"{row['reason'] or ''}{into}",
    ]


def funnel_of(snapshot: Snapshot, options: FunnelOptions) -> pa.Table:
    """Return the rows of simplification/funnel of a setting, or of all, stage by stage.

    Raises:
        UsageError: there is no such setting.
    """
    rows = snapshot.read(FUNNEL.name)
    known = pc.unique(rows["setting"]).to_pylist()
    if options.funnel != "all":
        if options.funnel not in known:
            hint = nearest(options.funnel, known) or f"; there are {', '.join(known) or 'none'}"
            raise UsageError(f"`funnel`: there is no setting {options.funnel!r}{hint}")
        rows = rows.filter(pc.equal(rows["setting"], options.funnel))
    stages = FUNNEL.schema().field("stage").metadata[b"range"].decode().split(", ")
    order = sorted(
        range(rows.num_rows),
        key=[
            (
                one["setting"],
                one["ranker"] or "",
                stages.index(one["stage"]),
                one["reason"] is None,
                -one["gold_candidates"],
                one["reason"] or "",
            )
            for one in rows.to_pylist()
        ].__getitem__,
    )
    return rows.take(pa.array(order, pa.int64()))


def tell_funnel(snapshot: Snapshot, options: FunnelOptions) -> Iterator[Block]:
    """Yield what is lost at each stage, and what goes on."""
    groups: dict[str, Rows] = {}
    for row in funnel_of(snapshot, options).to_pylist():
        groups.setdefault(row["setting"], []).append(row)
    for setting, rows in groups.items():
        yield f"{setting}: what becomes of candidates and of gold"
        heads = [
            ("stage", "<"),
            ("ranker", "<"),
            ("reason", "<"),
            ("candidates", ">"),
            ("gold among them", ">"),
            ("instances lost", ">"),
            ("instances left", ">"),
        ]
        cells = [
            [
                row["stage"],
                row["ranker"] or "",
                row["reason"] or "go on",
                str(row["candidates"]),
                str(row["gold_candidates"]),
                "" if row["instances_lost"] is None else str(row["instances_lost"]),
                "" if row["instances_left"] is None else str(row["instances_left"]),
            ]
            for row in rows
        ]
        yield columns_with(heads, cells, indent=2)


EVALUATION_VIEWS: Registry[View[Any]] = Registry(
    {
        "stages": View(
            StagesOptions,
            stages_of,
            _tell_stages,
            doc="candidates of targets, or of instances by their ids, by stage, with their rank in gold",
        ),
        "funnel": View(
            FunnelOptions,
            funnel_of,
            tell_funnel,
            doc="what is lost at each stage of a setting, by reason; all: of each",
        ),
    },
    what="view",
    group="lexbeam.simplification_evaluation_views",
)
