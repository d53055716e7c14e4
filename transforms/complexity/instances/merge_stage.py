"""Staged instances merged: ids assigned, sentences annotated, parts of instances and labels written.

Memory holds a batch of each run, and the ids of instances with one key.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from lexbeam.schemas.complexity import INSTANCES, LABELS, LOAD_INPUTS, LOAD_REJECTS
from lexbeam.transforms.annotation.engines.engine import Engine
from lexbeam.transforms.annotation.engines.texts import tokens_of
from lexbeam.transforms.common.batched import batched
from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.merge import MergeTask
from lexbeam.transforms.complexity.instances.instance import in_flag_order, settle
from lexbeam.transforms.complexity.instances.read_stage import ROWS
from lexbeam.transforms.formats.ingest.stage import acceptable
from lexbeam.transforms.intake.merging import (
    Settled,
    TaskStages,
    TextAnnotationOptions,
    chosen_engine,
    engine_of,
    grouped_rows,
    sentences_of,
    write_tables,
)
from lexbeam.transforms.intake.staging import LoadedCounts

LEFT_OUT = "other_kind"
_ANNOTATED = 256  # instances that are annotated at a time


class InstanceTask(NamedTuple):
    """A part of the instances; `labels`: whether to make table labels as well."""

    part: MergeTask
    labels: bool


@dataclass(frozen=True, kw_only=True)
class SettledInstances(Settled):
    """Receipt of a part: its files, and figures for the summary.

    Attributes:
        flags: instances by flag.
        groups: instances by kind, genre and published split, and those of them with a label.
    """

    flags: dict[str, int]
    groups: tuple[tuple[str, str | None, str | None, int, int], ...]


def acceptable_rows(counts: LoadedCounts, share: float) -> bool:
    """Return whether few enough rows of all files were rejected, see `acceptable`.

    Instances left out because of their kind do not count.
    """
    forgotten = counts.reasons.get("forgotten", 0)
    faults = counts.rejected - forgotten - counts.reasons.get(LEFT_OUT, 0)
    return acceptable(counts.records + forgotten + faults, faults, share)


def task_of(part: MergeTask, counts: LoadedCounts) -> InstanceTask:
    """Return the task of a part."""
    return InstanceTask(part, bool(counts.tally.get("labelled")))


def _settle(artefact: Artefact, task: InstanceTask, options: TextAnnotationOptions) -> SettledInstances:
    engine = engine_of(options)
    flags: Counter[str] = Counter()
    groups: Counter[tuple[str, str | None, str | None]] = Counter()
    labelled: Counter[tuple[str, str | None, str | None]] = Counter()

    def batches() -> Iterator[list[list[dict[str, Any]]]]:
        with one_thread():
            for rows in batched(_instances(task.part), _ANNOTATED):
                for row in rows:
                    group = row["kind"], row["genre"], row["published_split"]
                    flags.update(row["flags"])
                    groups[group] += 1
                    labelled[group] += bool(row["labels"])
                labels = [[label for row in rows for label in _labels(row)]] if task.labels else []
                yield [_annotated(rows, engine), *labels]

    return SettledInstances(
        tables=write_tables(artefact, (INSTANCES, LABELS) if task.labels else (INSTANCES,), batches()),
        flags=dict(sorted(flags.items())),
        groups=tuple((*key, groups[key], labelled[key]) for key in sorted(groups, key=repr)),
    )


def _instances(task: MergeTask) -> Iterator[dict[str, Any]]:
    """Yield the rows of a part in the order of their ids, with ids and duplicates."""
    for key, rows in grouped_rows(task, ROWS):
        first: dict[str, Any] | None = None
        held = []
        for row in rows:
            if first is None:
                first = row
            row["sentence"] = first["sentence"]  # equal, so that memory holds it once
            held.append(row)
        # Rows that differ only in their labels are numbered by these, not by the order of files.
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


def _annotated(rows: Sequence[dict[str, Any]], engine: Engine | None) -> list[dict[str, Any]]:
    """Return rows of table instances; each sentence is annotated once."""
    sentences = sentences_of(rows, engine)
    made = []
    for row in rows:
        sentence = sentences.get(row["sentence"])
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
    return made


SETTLE: Stage[InstanceTask, TextAnnotationOptions, SettledInstances] = Stage(
    name="complexity/settle",
    noun="instances",
    receipt=SettledInstances,
    build=_settle,
    chosen=chosen_engine,
    unit="parts",
)
SETTLING = TaskStages.of(SETTLE, LOAD_REJECTS, LOAD_INPUTS)
