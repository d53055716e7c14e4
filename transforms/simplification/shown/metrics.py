"""What a person reads of the metrics of simplification."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from schemas.simplification.rankings import STAGES
from transforms.common.shown import Block, Grid

__all__ = ["place_of", "told_metrics"]

_LISTS = ("potential_at_k", "precision_at_k", "recall_at_k", "f1_at_k")
_LEAST = ("map_at_k", "accuracy_at_k_top1")
_MINUS = " minus "


def told_metrics(rows: pa.Table) -> Iterator[Block]:
    """Yield the metrics of each stage, a line for a system and a column for a metric.

    Potential, Precision, Recall and F1 are those at the greatest k. Intervals of MAP and
    Accuracy@n@top1, other values of k, and differences are left to the table.
    """
    by_stage: dict[str, list[dict[str, Any]]] = {}
    for row in rows.to_pylist():
        if _MINUS not in row["system"]:
            by_stage.setdefault(row["subset"], []).append(row)
    for stage in STAGES:
        if stage in by_stage:
            yield from _stage(stage, by_stage[stage])


def _stage(stage: str, rows: list[dict[str, Any]]) -> Iterator[Block]:
    measured = {(row["system"], row["metric"], row["k"] or 0): row for row in rows}
    columns = sorted({(metric, k) for _, metric, k in measured}, key=place_of)
    most = max((k for metric, k in columns if metric in _LISTS), default=0)
    lists = [one for one in columns if one[0] in _LISTS and one[1] == most]
    others = [one for one in columns if one[0] not in (*_LISTS, *_LEAST)]
    for part in (lists, others, *([one for one in columns if one[0] == name] for name in _LEAST)):
        systems = sorted({system for system, *column in measured if tuple(column) in part})
        if systems:
            cells = tuple((system, *(_cell(measured.get((system, *column))) for column in part)) for system in systems)
            yield Grid((stage, *(_head(*column) for column in part)), cells)


def place_of(column: tuple[str, int]) -> tuple[int, str, int]:
    """Return where a metric at k stands among others: as they are told."""
    metric, k = column
    order = (*_LISTS, *_LEAST, "trank_at_k", "precision", "accuracy", "changed")
    return (order.index(metric) if metric in order else len(order), metric, k)


def _head(metric: str, k: int) -> str:
    known = {
        "accuracy_at_k_top1": "accuracy@{}@top1",
        "map_at_k": "MAP@{}",
        "f1_at_k": "F1@{}",
        "trank_at_k": "TRank-at-{}",
    }
    if not k:
        return metric
    return known.get(metric, metric.removesuffix("_at_k") + "@{}").format(k)


def _cell(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return ""
    if row["value"] is None:
        return str(row["reason"])
    value = f"{row['value']:.3f}"
    if row["low"] is not None and row["metric"] not in _LEAST:
        value += f" ({row['low']:.3f} to {row['high']:.3f})"
    return value
