"""Runs of loaded files merged: ids settled, sentences annotated, parts of the tables written.

Part `bucket` of `parts` holds the keys of its range, so that the parts follow each other in the
order of ids. Memory is that of a batch for each run, and of the ids of what has one key, however
long the part: its labels wait on disk until its instances are written.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.complexity.instances import INSTANCES, LABELS, LOAD_REJECTS
from transforms.annotation.engines.registry import Engine, load_engine
from transforms.annotation.engines.texts import annotate_sentences, tokens_of
from transforms.common.blas import one_thread
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.batches import BatchReader
from transforms.common.store.identity import Fingerprinted
from transforms.common.store.runs import SortedRows, rows_of_part
from transforms.common.store.side_rows import SideRows
from transforms.common.store.tables import PartFile, write_rows
from transforms.complexity.instances.instance import in_flag_order, settle
from transforms.complexity.instances.read_stage import ORDER, Loaded
from transforms.formats.ingest.merges import list_rejects
from transforms.formats.ingest.stage import acceptable
from transforms.formats.ingest.staging import StagedRejects

__all__ = ["LIST_REJECTS", "SETTLE", "PartTask", "SettleOptions", "Settlement", "acceptable_files", "part_tasks"]

LEFT_OUT = "other_kind"
_ANNOTATED = 256  # instances that are annotated at a time


class PartTask(NamedTuple):
    """What becomes part `bucket` of `parts`; `labels`: whether table labels is made, too."""

    bucket: int
    parts: int
    labels: bool
    loaded: tuple[SortedRows, ...]


@dataclass(frozen=True, kw_only=True)
class SettleOptions:
    """What decides how sentences are annotated.

    Attributes:
        engine: its specification; empty: none.
        fingerprint: what identifies engine and model.
    """

    engine: Fingerprinted = ""
    fingerprint: str = ""


@dataclass(frozen=True, kw_only=True)
class Settlement:
    """Receipt of a part: its files, and what the driver tells.

    Attributes:
        instances: the part of `complexity/instances`.
        labels: that of `complexity/labels`, or None.
        flags: instances by flag.
        groups: instances by kind, genre and published split, and those of them with a label.
    """

    instances: PartFile
    labels: PartFile | None
    flags: dict[str, int]
    groups: tuple[tuple[str, str | None, str | None, int, int], ...]


def acceptable_files(loaded: Iterable[Loaded], share: float) -> bool:
    """Return whether few enough of the rows of all files were rejected, see `acceptable`.

    Instances of another kind than was asked for are left out by rule, and do not count.
    """
    files = list(loaded)
    faults = sum(number for one in files for reason, number in one.reasons.items() if reason != LEFT_OUT)
    return acceptable(sum(one.instances for one in files) + faults, faults, share)


def part_tasks(loaded: Iterable[Loaded], parts: int) -> list[PartTask]:
    """Return what each part is made from: all files, in the order of their names."""
    files = sorted(loaded, key=lambda one: one.name)
    labels = any(one.labelled for one in files)
    rows = tuple(SortedRows(one.rows, one.runs) for one in files)
    return [PartTask(bucket, parts, labels, rows) for bucket in range(parts)]


def _settle(artefact: Artefact, task: PartTask, options: SettleOptions) -> Settlement:
    engine = load_engine(options.engine) if options.engine else None
    flags: Counter[str] = Counter()
    groups: Counter[tuple[str, str | None, str | None]] = Counter()
    labelled: Counter[tuple[str, str | None, str | None]] = Counter()

    def batches(labels: SideRows | None) -> Iterator[pa.Table]:
        with BatchReader() as reader, one_thread():
            for rows in _some(_instances(reader, task)):
                for row in rows:
                    group = row["kind"], row["genre"], row["published_split"]
                    flags.update(row["flags"])
                    groups[group] += 1
                    labelled[group] += bool(row["labels"])
                if labels is not None:
                    labels.add([label for row in rows for label in _labels(row)])
                yield _annotated(rows, engine)

    def write(labels: SideRows | None) -> PartFile:
        with artefact.writing(".parquet") as stream:
            schema = INSTANCES.schema()
            count = write_rows(stream, schema, batches(labels), sort_keys=INSTANCES.key)
        return PartFile(artefact.file(".parquet"), count)

    part = None
    if task.labels:
        with SideRows(LABELS.schema()) as held:
            instances = write(held)
            part = _write_labels(artefact, held.batches())
    else:
        instances = write(None)
    return Settlement(
        instances=instances,
        labels=part,
        flags=dict(sorted(flags.items())),
        groups=tuple((*key, groups[key], labelled[key]) for key in sorted(groups, key=repr)),
    )


def _write_labels(artefact: Artefact, labels: Iterable[pa.RecordBatch]) -> PartFile:
    """Write labels, which are in the order of instances and groups, as their rows came."""
    with artefact.writing("-labels.parquet") as stream:
        count = write_rows(stream, LABELS.schema(), labels, sort_keys=LABELS.key)
    return PartFile(artefact.file("-labels.parquet"), count)


def _instances(reader: BatchReader, task: PartTask) -> Iterator[dict[str, Any]]:
    """Yield the rows of a part in the order of their ids, with ids and duplicates."""
    runs = [(one.rows, run) for one in task.loaded for run in one.runs]
    merged = rows_of_part(runs, reader, ORDER, task.bucket, task.parts)
    for key, rows in groupby(merged, key=itemgetter("key")):
        first: dict[str, Any] | None = None
        held = []
        for row in rows:
            if first is None:
                first = row
            row["sentence"] = first["sentence"]  # the same: it is kept once
            held.append(row)
        # Rows equal in all but their labels are numbered by these, not by the order of files.
        held.sort(key=_labels_of)
        for settled in settle(key, [row["source_id"] for row in held]):
            row = held[settled.place]
            row["instance_id"] = settled.instance_id
            row["duplicate_of"] = settled.duplicate_of
            if settled.duplicate_of is not None:
                row["flags"] = in_flag_order([*row["flags"], "duplicate"])
            yield row


def _labels_of(row: Mapping[str, Any]) -> str:
    return repr([sorted(label.items()) for label in row["labels"]])


def _some(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    held = []
    for row in rows:
        held.append(row)
        if len(held) == _ANNOTATED:
            yield held
            held = []
    if held:
        yield held


def _labels(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of table labels of an instance, by group."""
    if not row["labels"]:
        yield {
            "instance_id": row["instance_id"],
            "group": "",
            "complexity": None,
            "annotations": None,
            "spread": None,
            "reason": "no_label",
        }
    for label in sorted(row["labels"], key=itemgetter("group")):
        yield {"instance_id": row["instance_id"], **label, "reason": None}


def _annotated(rows: Sequence[dict[str, Any]], engine: Engine | None) -> pa.Table:
    """Return rows of table instances; each sentence is annotated once."""
    texts = list(dict.fromkeys(row["sentence"] for row in rows if row["sentence"] is not None))
    found = dict(zip(texts, annotate_sentences(texts, engine), strict=True))
    made = []
    for row in rows:
        sentence = found.get(row["sentence"])
        values: dict[str, Any] = {"forms": None, "lemmas": None, "upos": None, "position": None, "tokens": None}
        if sentence is not None:
            position, tokens = tokens_of(sentence, row["start"], row["end"])
            values = {
                "forms": sentence.forms,
                "lemmas": sentence.lemmas,
                "upos": sentence.upos,
                "position": position,
                "tokens": tokens,
            }
        made.append({**row, **values, "document_id": None, "sentence_number": None})
    return pa.Table.from_pylist(made, schema=INSTANCES.schema())


def _list_rejects(artefact: Artefact, task: Sequence[StagedRejects], _: None) -> PartFile:
    return list_rejects(artefact, LOAD_REJECTS, task)


def _chosen(_: PartTask, options: SettleOptions) -> dict[str, tuple[str, ...]]:
    kind = options.engine.partition(":")[0]
    return {"transforms.annotation.engines.registry:ENGINES": (kind,) if kind else ()}


SETTLE: Stage[PartTask, SettleOptions, Settlement] = Stage(
    name="complexity/settle",
    receipt=Settlement,
    build=_settle,
    unordered=("task.loaded",),
    chosen=_chosen,
    unit="parts",
)
LIST_REJECTS: Stage[Sequence[StagedRejects], None, PartFile] = Stage(
    name="complexity/list-rejects", receipt=PartFile, build=_list_rejects, unordered=("task",), unit="tables"
)
