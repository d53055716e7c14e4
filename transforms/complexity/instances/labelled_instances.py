"""Instances of labelled files: their ids, their rows staged, then merged, annotated, and written with their labels.

The id is a hash of content. It begins with the hash of the sentence and continues with that of kind,
genre, target and place, so that in the order of ids the targets of a sentence follow each other, and
equal targets at the same place are adjacent. Memory holds a batch of each run, and the ids of instances with one key.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow as pa

from lexbeam.schemas.columns import Table
from lexbeam.schemas.complexity import FLAGS, INSTANCES, KINDS, LABELS, LOAD_INPUTS, LOAD_REJECTS
from lexbeam.transforms.annotation.engines.engine import Engine, tokens_of
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.store.staged import MergeTask
from lexbeam.transforms.complexity.instances.labelled_layouts import LAYOUTS
from lexbeam.transforms.formats.ingest.ingestion import Unit
from lexbeam.transforms.formats.ingest.staged_records import RejectStage
from lexbeam.transforms.formats.records.base import BadRecord, Reject
from lexbeam.transforms.formats.records.scripts import check_script
from lexbeam.transforms.formats.records.text_cleaning import clean_field, clean_value
from lexbeam.transforms.intake.intake_staging import Given, LoadedCounts, ReadRowFiles, RejectRule, RowSchema
from lexbeam.transforms.intake.labelled_targets import Cwi2018Row, Located, locate_at_offsets
from lexbeam.transforms.intake.row_files import About, FileRows, in_order
from lexbeam.transforms.intake.settling import Counts, SettleRows, grouped_rows, sentences_of

_SENTENCE, _TARGET, _REST = 12, 8, 12
KEY_DIGITS = _SENTENCE + _TARGET
_SPLITS = ("train", "trial", "dev", "test")


def split_of(name: str) -> str | None:
    """Return the split named by a file's name: train, trial, dev or test, as a separate word.

    >>> split_of("data/lcp_single_train.tsv"), split_of("testimony.tsv")
    ('train', None)
    """
    words = re.split(r"[^a-z]+", name.rpartition("/")[2].lower())
    return next((word for word in reversed(words) if word in _SPLITS), None)


def content_key(*, kind: str, genre: str | None, sentence: str | None, token: str, start: int | None) -> str:
    """Return the first 20 digits of an instance's id, which encode sentence, target and place.

    Instances with the same key differ only in the source's id.
    """
    first = digest(["sentence", sentence] if sentence is not None else ["word", token])
    return first[:_SENTENCE] + digest([kind, genre, token, start])[:_TARGET]


def instance_id(
    *,
    kind: str,
    genre: str | None,
    sentence: str | None,
    token: str,
    start: int | None,
    source_id: str | None = None,
    number: int = 0,
) -> str:
    """Return the id of an instance, 32 hexadecimal digits.

    Args:
        kind: single or mwe.
        sentence: its sentence in NFC; None for a word of a list.
        token: the target as it stands.
        start: where the target starts in the sentence, in code points.
        source_id: its id in the file that it came from.
        number: its place among the instances that agree in all this, from 0.
    """
    key = content_key(kind=kind, genre=genre, sentence=sentence, token=token, start=start)
    return _with_rest(key, source_id, number)


def _with_rest(key: str, source_id: str | None, number: int) -> str:
    return key + digest([source_id, number])[:_REST]


class SettledId(NamedTuple):
    """The id of one of the instances with a key.

    Attributes:
        place: its place among the ids passed to `settle`.
        duplicate_of: the id of the first one, None if it is this one.
    """

    instance_id: str
    place: int
    duplicate_of: str | None


def settle(key: str, source_ids: Sequence[str | None]) -> list[SettledId]:
    """Return the instances of one key in the order of their ids.

    The one with the smallest id is the first, and the others are duplicates of it, whatever the order of
    files and rows.

    Args:
        key: the `content_key` of all of them.
        source_ids: their ids in the file; equal ones are numbered as they come.
    """
    times: dict[str | None, int] = {}
    ids = []
    for place, source_id in enumerate(source_ids):
        number = times.get(source_id, 0)
        times[source_id] = number + 1
        ids.append((_with_rest(key, source_id, number), place))
    ids.sort()
    first = ids[0][0]
    return [SettledId(name, place, None if name == first else first) for name, place in ids]


LONGEST_TOKEN = 1000  # code points; no real word or expression is longer

_LABEL = pa.struct(
    [("group", pa.string()), ("complexity", pa.float64()), ("annotations", pa.int32()), ("spread", pa.float64())]
)
_COLUMNS = pa.schema(
    [
        ("key", pa.string()),
        ("source", pa.string()),
        ("line", pa.int64()),
        ("kind", pa.string()),
        ("token", pa.string()),
        ("genre", pa.string()),
        ("language", pa.string()),
        ("sentence", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("source_id", pa.string()),
        ("flags", pa.list_(pa.string())),
        ("published_split", pa.string()),
        ("labels", pa.list_(_LABEL)),
    ]
)


def _size(row: Mapping[str, Any]) -> int:
    return len(row["sentence"] or "") + len(row["token"])


ROWS = RowSchema(_COLUMNS, ("key", "source", "line"), _size)
RULE = RejectRule(uncounted=("other_kind",))


@dataclass(frozen=True, kw_only=True)
class ReadLabelled(ReadRowFiles[Cwi2018Row]):
    """Read labelled files.

    Attributes:
        layout: a key of `LAYOUTS`.
        kind: single or mwe, others being rejects; or all.
        genre: of rows that name none.
        language: of rows that name none.
        engine_language: of rows for which nothing else names one.
    """

    layout: str
    kind: str = "all"
    genre: str | None = None
    language: str | None = None
    engine_language: str | None = None

    name = "complexity/read"
    schema = ROWS

    def read(self, rows: FileRows, name: str, notes: Counter[str]) -> Iterator[Cwi2018Row | Reject]:
        """Yield instances from the rows of a table."""
        return LAYOUTS[self.layout].read(rows, About(name, self.genre, self.language, notes))

    def rows(self, given: Given[Cwi2018Row], record: Cwi2018Row) -> list[dict[str, Any]]:
        """Return the row of an instance."""
        return [_row(given.source, record, self)]

    def tallied(self, record: Cwi2018Row) -> str:
        """Tally instances with labels."""
        return "labelled" if record.labels else ""

    def chosen(self, task: Unit) -> dict[str, tuple[str, ...]]:
        """Return the layout."""
        return {"lexbeam.transforms.complexity.instances.labelled_layouts:LAYOUTS": (self.layout,)}


def _row(source: str, entry: Cwi2018Row, options: ReadLabelled) -> dict[str, Any]:
    """Return the staged row of an instance, its texts cleaned and its target located.

    Raises:
        BadRecord: `other_kind`, `empty`, `too_large`, `script`, `unsegmented`.
    """
    if options.kind != "all" and entry.kind != options.kind:
        kinds = " or ".join(kind for kind in KINDS if kind == options.kind)
        raise BadRecord("other_kind", f"{entry.kind}, not {kinds}")
    token = clean_value(entry.token).strip()
    sentence = clean_value(entry.sentence or "").strip() or None
    if not token:
        raise BadRecord("empty", "no token")
    check_script(sentence, options.engine_language)
    if len(token) > LONGEST_TOKEN:
        raise BadRecord("too_large", f"a token of {len(token)} characters")
    located = (
        Located(None, None, ())
        if sentence is None
        else locate_at_offsets(entry.sentence or "", sentence, token, entry.offsets)
    )
    flags = [*located.flags]
    if sentence is None:
        flags.append("no_sentence")
    if not entry.labels:
        flags.append("no_label")
    genre, language, source_id = (
        clean_field(value) or None if value else None for value in (entry.genre, entry.language, entry.source_id)
    )
    language = language or options.engine_language
    if language is None:
        flags.append("no_language")
    return {
        "key": content_key(kind=entry.kind, genre=genre, sentence=sentence, token=token, start=located.start),
        "source": source,
        "line": entry.line,
        "kind": entry.kind,
        "token": token,
        "genre": genre,
        "language": language,
        "sentence": sentence,
        "start": located.start,
        "end": located.end,
        "source_id": source_id,
        "flags": in_order(flags, FLAGS),
        "published_split": split_of(source),
        "labels": [label._asdict() for label in entry.labels],
    }


class InstanceTask(NamedTuple):
    """A part of the instances; `labels`: whether to make table labels as well."""

    part: MergeTask
    labels: bool


def task_of(part: MergeTask, counts: LoadedCounts) -> InstanceTask:
    """Return the task of a part."""
    return InstanceTask(part, bool(counts.tally.get("labelled")))


@dataclass(frozen=True, kw_only=True)
class SettleLabelled(SettleRows[InstanceTask]):
    """Give instances their ids, and write them with their labels."""

    name = "complexity/settle"
    noun = "instances"
    tables = (INSTANCES, LABELS)
    rejects = LOAD_REJECTS
    inputs = LOAD_INPUTS

    def tables_of(self, task: InstanceTask) -> tuple[Table, ...]:
        """Return the tables of a part."""
        return self.tables if task.labels else self.tables[:1]

    def merged(self, task: InstanceTask, counts: Counts, rejects: RejectStage) -> Iterator[dict[str, Any]]:
        """Yield instances in the order of their ids, with ids and duplicates."""
        for key, rows in grouped_rows(task.part, ROWS):
            held: list[dict[str, Any]] = []
            for row in rows:
                if held:
                    row["sentence"] = held[0]["sentence"]  # equal, so that memory holds it once
                held.append(row)
            # Rows that differ only in their labels are numbered by these, not by the order of files.
            held.sort(key=lambda row: repr([sorted(label.items()) for label in row["labels"]]))
            for settled in settle(key, [row["source_id"] for row in held]):
                row = held[settled.place]
                row["instance_id"] = settled.instance_id
                row["duplicate_of"] = settled.duplicate_of
                if settled.duplicate_of is not None:
                    row["flags"] = in_order([*row["flags"], "duplicate"], FLAGS)
                yield row

    def finish(self, rows: list[dict[str, Any]], engine: Engine | None) -> None:
        """Annotate instances; each sentence is annotated once."""
        sentences = sentences_of(rows, engine)
        for row in rows:
            row |= dict.fromkeys(("forms", "lemmas", "upos", "position", "tokens", "document_id", "sentence_number"))
            if (sentence := sentences.get(row["sentence"])) is not None:
                row |= {"forms": sentence.forms, "lemmas": sentence.lemmas, "upos": sentence.upos}
                row["position"], row["tokens"] = tokens_of(sentence, row["start"], row["end"])

    def count(self, row: dict[str, Any], counts: Counts) -> None:
        """Count flags, and instances by kind, genre and published split, and those of them with a label."""
        group = json.dumps([row["kind"], row["genre"], row["published_split"]])
        counts["flags"].update(row["flags"])
        counts["groups"][group] += 1
        counts["labelled"][group] += bool(row["labels"])

    def beside(self, row: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the labels of an instance, by group."""
        if not row["labels"]:
            none = dict.fromkeys(("complexity", "annotations", "spread"))
            yield {"instance_id": row["instance_id"], "group": "", **none, "reason": "no_label"}
        for label in sorted(row["labels"], key=itemgetter("group")):
            yield {"instance_id": row["instance_id"], **label, "reason": None}
