"""Judgments and labels as tables, and the figures of their agreement."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.complexity import JUDGMENTS, LABELS
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.complexity.labels.aggregation import AggregationOptions, Label, SettledJudgment, label_of
from lexbeam.transforms.complexity.labels.agreement import split_half
from lexbeam.transforms.evaluation.reliability import alpha


def judgment_rows(judged: Sequence[SettledJudgment]) -> pa.Table:
    """Return the rows of `complexity/judgments`."""
    return pa.Table.from_pylist(
        [
            {
                "instance_id": settled.judgment.instance_id,
                "annotator": settled.judgment.annotator,
                "number": settled.number,
                "group": settled.judgment.group,
                "value": settled.judgment.value,
                "weight": settled.weight,
                "kept": settled.counts,
                "reason": settled.reason,
                "source": settled.judgment.source,
            }
            for settled in judged
        ],
        schema=JUDGMENTS.schema(),
    )


def label_rows(judged: Sequence[SettledJudgment], instances: Sequence[str], options: AggregationOptions) -> pa.Table:
    """Return the rows of `complexity/labels`: for each instance, one by all annotators and one by each group.

    Args:
        judged: judgments, with whether they count.
        instances: ids of all instances; those without judgments also have a row.
        options: the rules that decided which count.
    """
    known = set(instances)
    of_instances = sorted((settled for settled in judged if settled.judgment.instance_id in known), key=_by_instance)
    grouped = {key: list(group) for key, group in groupby(of_instances, key=_by_instance)}
    rows: list[dict[str, object]] = []
    for name in sorted(known):
        mine = grouped.get(name, [])
        rows.append(_row(name, "", label_of(mine, options)))
        for group in sorted({settled.judgment.group for settled in mine if settled.judgment.group}):
            part = [settled for settled in mine if settled.judgment.group == group]
            rows.append(_row(name, group, label_of(part, options)))
    return pa.Table.from_pylist(rows, schema=LABELS.schema())


def _by_instance(settled: SettledJudgment) -> str:
    return settled.judgment.instance_id


def _row(name: str, group: str, label: Label) -> dict[str, object]:
    return {"instance_id": name, "group": group, **label._asdict()}


def figures_of(judgments: pa.Table, labels: pa.Table, options: AggregationOptions) -> dict[str, object]:
    """Return the figures of the manifest: numbers of judgments, agreement, the ceiling, by group.

    Alpha is over all judgments that count, reliability over those of instances with a complexity. An
    annotator's judgments of an instance that count as one enter once.

    Args:
        judgments: table `complexity/judgments`.
        labels: table `complexity/labels`.
        options: the rules that made them.
    """
    rows = judgments.to_pylist()
    counted = [row for row in rows if row["kept"]]
    groups = sorted({row["group"] for row in counted if row["group"]})
    reasons = Counter(row["reason"] for row in rows if row["reason"])
    return {
        "judgments": len(rows),
        "kept": len(counted),
        "reasons": dict(sorted(reasons.items())),
        "annotators": len({row["annotator"] for row in counted if row["annotator"]}),
        "unknown_annotator": sum(not row["annotator"] for row in counted),
        "groups": [_agreement(counted, labels, group, options) for group in ["", *groups]],
    }


def _agreement(
    counted: Sequence[Mapping[str, Any]], labels: pa.Table, group: str, options: AggregationOptions
) -> dict[str, object]:
    mine = [row for row in counted if group in ("", row["group"])]
    of_group = labels.filter(pc.equal(labels["group"], group))
    labelled = set(of_group.filter(of_group["complexity"].is_valid())["instance_id"].to_pylist())
    values = _united(mine, options)
    places = {name: at for at, name in enumerate(dict.fromkeys(key[0] for key in values))}
    instances = np.array([places[key[0]] for key in values], np.int64)
    held = np.array(list(values.values()), np.float64)
    keep = np.array([key[0] in labelled for key in values], bool)
    hashes = content_hashes(*([key[at] for key in values] for at in range(3)))
    halves = split_half(instances[keep], hashes[keep], held[keep], seed=options.seed)
    return {
        "group": group,
        "judgments": len(mine),
        "instances": of_group.num_rows,
        "labelled": len(labelled),
        "alpha": alpha(instances, held),
        "split_half": halves.correlation if halves else None,
        "reliability": halves.reliability if halves else None,
        "ceiling": halves.ceiling if halves else None,
        "halves_of": halves.instances if halves else 0,
    }


def _united(counted: Sequence[Mapping[str, Any]], options: AggregationOptions) -> Mapping[tuple[str, str, int], float]:
    """Return values by instance, annotator and number, in order; repeated ones as a mean."""
    grouped: dict[tuple[str, str, int], list[float]] = {}
    for row in counted:
        mean = options.repeated == "mean" and bool(row["annotator"])
        key = row["instance_id"], row["annotator"], 0 if mean else row["number"]
        grouped.setdefault(key, []).append(row["value"])
    return {key: math.fsum(grouped[key]) / len(grouped[key]) for key in sorted(grouped)}
