"""Runs of loaded files merged: ids settled, sentences annotated, parts of the tables written.

Part `bucket` of `parts` holds the keys of its range, so that the parts follow each other in the
order of ids. Memory is that of a batch for each run, and of the ids of what has one key.
"""

import heapq
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.complexity import INSTANCES, LABELS, LOAD_REJECTS
from transforms.annotation.base import Engine, load_engine
from transforms.common.artefacts import Artefact, Stage
from transforms.common.batches import BatchReader
from transforms.common.blas import one_thread
from transforms.common.tables import PartFile, sort_rows, write_part, write_rows
from transforms.complexity.annotating import annotate_sentences, tokens_of
from transforms.complexity.instances import in_flag_order, settle
from transforms.complexity.loading import Loaded, Run
from transforms.formats.ingest import acceptable
from transforms.formats.staging import REJECT

__all__ = [
    "LIST_REJECTS", "SETTLE", "PartTask", "SettleOptions", "Settlement", "acceptable_files",
    "part_tasks",
]  # fmt: skip

LEFT_OUT = "other_kind"
_DIGITS = 8  # of a key, that say its part
_ANNOTATED = 256  # instances that are annotated at a time


class PartTask(NamedTuple):
    """What becomes part `bucket` of `parts`; `labels`: whether table labels is made, too."""

    bucket: int
    parts: int
    labels: bool
    loaded: tuple[Loaded, ...]


@dataclass(frozen=True, kw_only=True)
class SettleOptions:
    """What decides how sentences are annotated.

    Attributes:
        engine: its specification; empty: none.
        fingerprint: what identifies engine and model.
    """

    engine: str = ""
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
    faults = sum(
        number for one in files for reason, number in one.reasons.items() if reason != LEFT_OUT
    )
    return acceptable(sum(one.instances for one in files) + faults, faults, share)


def part_tasks(loaded: Iterable[Loaded], parts: int) -> list[PartTask]:
    """Return what each part is made from: all files, in the order of their names."""
    files = tuple(sorted(loaded, key=lambda one: one.name))
    labels = any(one.labelled for one in files)
    return [PartTask(bucket, parts, labels, files) for bucket in range(parts)]


def _identity(task: PartTask, options: SettleOptions) -> Any:
    files = sorted(one.rows.sha256 for one in task.loaded)
    return [task.bucket, task.parts, task.labels, files, options.fingerprint]


def _settle(artefact: Artefact, task: PartTask, options: SettleOptions) -> Settlement:
    engine = load_engine(options.engine) if options.engine else None
    flags: Counter[str] = Counter()
    groups: Counter[tuple[str, str | None, str | None]] = Counter()
    labelled: Counter[tuple[str, str | None, str | None]] = Counter()
    labels: list[Mapping[str, Any]] = []

    def batches() -> Iterator[pa.Table]:
        with BatchReader() as reader, one_thread():
            for rows in _some(_instances(reader, task)):
                for row in rows:
                    group = row["kind"], row["genre"], row["published_split"]
                    flags.update(row["flags"])
                    groups[group] += 1
                    labelled[group] += bool(row["labels"])
                    if task.labels:
                        labels.extend(_labels(row))
                yield _annotated(rows, engine)

    with artefact.writing(".parquet") as stream:
        count = write_rows(stream, INSTANCES.schema(), batches(), sort_keys=INSTANCES.key)
    instances = PartFile(artefact.file(".parquet"), count)
    part = None
    if task.labels:
        found = pa.Table.from_pylist(labels, schema=LABELS.schema())
        with artefact.writing("-labels.parquet") as stream:
            write_rows(stream, found.schema, [found], sort_keys=LABELS.key)
        part = PartFile(artefact.file("-labels.parquet"), len(labels))
    return Settlement(
        instances=instances,
        labels=part,
        flags=dict(sorted(flags.items())),
        groups=tuple((*key, groups[key], labelled[key]) for key in sorted(groups, key=repr)),
    )


def _instances(reader: BatchReader, task: PartTask) -> Iterator[dict[str, Any]]:
    """Yield the rows of a part in the order of their ids, with ids and duplicates."""
    runs = [_run_rows(reader, one, run, task) for one in task.loaded for run in one.runs]
    merged = heapq.merge(*runs, key=itemgetter("key", "source", "line"))
    for key, rows in groupby(merged, key=itemgetter("key")):
        first: dict[str, Any] | None = None
        held = []
        for row in rows:
            if first is None:
                first = row
            row["sentence"] = first["sentence"]  # the same: it is kept once
            held.append(row)
        for settled in settle(key, [row["source_id"] for row in held]):
            row = held[settled.place]
            row["instance_id"] = settled.instance_id
            row["duplicate_of"] = settled.duplicate_of
            if settled.duplicate_of is not None:
                row["flags"] = in_flag_order([*row["flags"], "duplicate"])
            yield row


def _run_rows(
    reader: BatchReader, one: Loaded, run: Run, task: PartTask
) -> Iterator[dict[str, Any]]:
    low, high = (_border(bucket, task.parts) for bucket in (task.bucket, task.bucket + 1))
    start = max(bisect_right(run.keys, low) - 1, 0)
    for place in range(start, len(run.keys)):
        if run.keys[place] >= high:
            return
        for row in reader.read(one.rows, run.ordinal + place).to_pylist():
            if low <= row["key"] < high:
                yield row


def _border(bucket: int, parts: int) -> str:
    """Return the first digits that a key of a bucket may have; of the one after the last, `g`."""
    if bucket == parts:
        return "g"
    return f"{-(-(bucket << 4 * _DIGITS) // parts):0{_DIGITS}x}"


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
            "instance_id": row["instance_id"], "group": "", "complexity": None,
            "annotations": None, "spread": None, "reason": "no_label",
        }  # fmt: skip
    for label in sorted(row["labels"], key=itemgetter("group")):
        yield {"instance_id": row["instance_id"], **label, "reason": None}


def _annotated(rows: Sequence[dict[str, Any]], engine: Engine | None) -> pa.Table:
    """Return rows of table instances; each sentence is annotated once."""
    texts = list(dict.fromkeys(row["sentence"] for row in rows if row["sentence"] is not None))
    found = dict(zip(texts, annotate_sentences(texts, engine), strict=True))
    made = []
    for row in rows:
        sentence = found.get(row["sentence"])
        values: dict[str, Any] = {
            "forms": None,
            "lemmas": None,
            "upos": None,
            "position": None,
            "tokens": None,
        }
        if sentence is not None:
            position, tokens = tokens_of(sentence, row["start"], row["end"])
            values = {
                "forms": sentence.forms, "lemmas": sentence.lemmas, "upos": sentence.upos,
                "position": position, "tokens": tokens,
            }  # fmt: skip
        made.append({**row, **values, "document_id": None, "sentence_number": None})
    return pa.Table.from_pylist(made, schema=INSTANCES.schema())


def _reject_identity(task: Sequence[Loaded], _: None) -> Any:
    return sorted(one.rejects.file.sha256 for one in task if one.rejects.file is not None)


def _list_rejects(artefact: Artefact, task: Sequence[Loaded], _: None) -> PartFile:
    with ExitStack() as stack:
        reader = stack.enter_context(BatchReader())
        staged = [
            reader.read(one.rejects.file, ordinal)
            for one in task
            if one.rejects.file is not None
            for ordinal in range(one.rejects.batches)
        ]
        rows = pa.Table.from_batches(staged, REJECT).select(LOAD_REJECTS.schema().names)
        rows = sort_rows(rows, LOAD_REJECTS.key)
        return write_part(artefact, LOAD_REJECTS.schema(), [rows], sort_keys=LOAD_REJECTS.key)


def _chosen(_: PartTask, options: SettleOptions) -> dict[str, tuple[str, ...]]:
    kind = options.engine.partition(":")[0]
    return {"transforms.annotation.base:ENGINES": (kind,) if kind else ()}


SETTLE: Stage[PartTask, SettleOptions, Settlement] = Stage(
    name="complexity/settle",
    receipt=Settlement,
    identity=_identity,
    build=_settle,
    chosen=_chosen,
    unit="parts",
)
LIST_REJECTS: Stage[Sequence[Loaded], None, PartFile] = Stage(
    name="complexity/list-rejects",
    receipt=PartFile,
    identity=_reject_identity,
    build=_list_rejects,
    unit="tables",
)
