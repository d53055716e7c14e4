"""Labelled files read: the rows of a file as sorted runs of instances, in a staging file.

A run is as many rows as fit in memory, in the order of `content_key`; `settling` merges the runs of
all files. A row that gives no instance is a reject.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from schemas.complexity.instances import KINDS
from schemas.rejects import RejectRow
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.receipts import File
from transforms.common.store.runs import Run, RunWriter
from transforms.complexity.instances.instance import Located, content_key, in_flag_order, locate_given, split_of
from transforms.complexity.instances.layouts import LAYOUTS, About, Entry, FileRows
from transforms.formats.ingest.staging import RejectStage, StagedRejects
from transforms.formats.records.base import BadRecord, ReaderOptions, Reject
from transforms.formats.records.text_cleaning import clean_field, clean_value
from transforms.intake.row_files import RowFile, entries_of

__all__ = ["ORDER", "READ", "ROWS", "LoadOptions", "Loaded"]

LONGEST_TOKEN = 1000  # code points: no word and no expression is longer

_LABEL = pa.struct(
    [("group", pa.string()), ("complexity", pa.float64()), ("annotations", pa.int32()), ("spread", pa.float64())]
)
ROWS = pa.schema(
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
ORDER = ("key", "source", "line")


@dataclass(frozen=True, kw_only=True)
class LoadOptions:
    """What decides how files are read.

    Attributes:
        layout: a key of `LAYOUTS`.
        kind: single or mwe: others are rejects; all: none is.
        genre: of rows that do not say.
        language: of rows that do not say.
        engine_language: likewise, where nothing else says either.
        reader: how rows are cut into cells.
    """

    layout: str
    kind: str = "all"
    genre: str | None = None
    language: str | None = None
    engine_language: str | None = None
    reader: ReaderOptions = field(default_factory=ReaderOptions)


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """Receipt of a file.

    Attributes:
        name, bytes, sha256: of the file.
        rows: the staging file of its instances, see `ROWS`.
        runs: its sorted runs.
        instances: how many there are.
        labelled: how many of them have a label.
        rejects: where its rejects are staged.
        reasons: rejects by reason.
        examples: the first rejects.
        notes: what was done to read it, and how often, see `Source`.
    """

    name: str
    bytes: int
    sha256: str
    rows: File
    runs: tuple[Run, ...]
    instances: int
    labelled: int
    rejects: StagedRejects
    reasons: dict[str, int]
    examples: tuple[RejectRow, ...]
    notes: dict[str, int]


def _read(artefact: Artefact, task: RowFile, options: LoadOptions) -> Loaded:
    """Read a file.

    Raises:
        LexbeamError: it is of another layout, or has changed since its digest was taken.
    """

    def read(given: FileRows, name: str) -> Iterator[Entry | Reject]:
        about = About(name, options.genre, options.language)
        return LAYOUTS[options.layout].read(given, about)

    instances = labelled = 0
    with (
        RejectStage(artefact) as rejects,
        artefact.writing(".arrow") as stream,
        RunWriter(stream, ROWS, ORDER) as writer,
    ):
        notes: Counter[str] = Counter()
        for source, entry in entries_of(task, options.reader, read, notes):
            row = _row(source, entry, options) if isinstance(entry, Entry) else entry
            if isinstance(row, Reject):
                rejects.add(RejectRow(source, row.position, "load", row.reason, row.detail))
                continue
            instances += 1
            labelled += bool(row["labels"])
            writer.add(row, len(row["sentence"] or "") + len(row["token"]))
    return Loaded(
        name=task.name,
        bytes=task.size,
        sha256=task.sha256,
        rows=artefact.file(".arrow"),
        runs=tuple(writer.runs),
        instances=instances,
        labelled=labelled,
        rejects=rejects.staged(),
        reasons=dict(sorted(rejects.reasons.items())),
        examples=tuple(rejects.examples),
        notes=dict(sorted((+notes).items())),
    )


def _row(source: str, entry: Entry, options: LoadOptions) -> dict[str, Any] | Reject:
    """Return the staged row of an instance, its texts cleaned and its target located."""
    line = str(entry.line)
    if options.kind != "all" and entry.kind != options.kind:
        kinds = " or ".join(kind for kind in KINDS if kind == options.kind)
        return Reject(line, "other_kind", f"{entry.kind}, not {kinds}")
    try:
        token = clean_value(entry.token).strip()
        sentence = clean_value(entry.sentence or "").strip() or None
        if not token:
            raise BadRecord("empty", "no token")
        if len(token) > LONGEST_TOKEN:
            raise BadRecord("too_large", f"a token of {len(token)} characters")
        found = (
            Located(None, None, ())
            if sentence is None
            else locate_given(entry.sentence or "", sentence, token, entry.offsets)
        )
    except BadRecord as error:
        return Reject(line, error.reason, error.detail)
    flags = [*found.flags]
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
        "key": content_key(kind=entry.kind, genre=genre, sentence=sentence, token=token, start=found.start),
        "source": source,
        "line": entry.line,
        "kind": entry.kind,
        "token": token,
        "genre": genre,
        "language": language,
        "sentence": sentence,
        "start": found.start,
        "end": found.end,
        "source_id": source_id,
        "flags": in_flag_order(flags),
        "published_split": split_of(source),
        "labels": [label._asdict() for label in entry.labels],
    }


def _chosen(_: RowFile, options: LoadOptions) -> dict[str, tuple[str, ...]]:
    return {"transforms.complexity.instances.layouts:LAYOUTS": (options.layout,)}


READ: Stage[RowFile, LoadOptions, Loaded] = Stage(
    name="complexity/read", receipt=Loaded, build=_read, chosen=_chosen, unit="files"
)
