"""Labelled files read: the rows of a file as staged rows of instances, or rejects."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import pyarrow as pa

from lexbeam.schemas.complexity import KINDS
from lexbeam.transforms.common.publish.forgotten import Forgotten
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.complexity.instances.instance import content_key, in_flag_order, split_of
from lexbeam.transforms.complexity.instances.layouts import LAYOUTS
from lexbeam.transforms.formats.ingest.stage import Unit
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Reject
from lexbeam.transforms.formats.records.scripts import check_script
from lexbeam.transforms.formats.records.text_cleaning import clean_field, clean_value
from lexbeam.transforms.intake.cwi2018 import Cwi2018Row
from lexbeam.transforms.intake.header import About, FileRows
from lexbeam.transforms.intake.locating import Located, locate_at_offsets
from lexbeam.transforms.intake.staging import Loaded, RowSchema, Staging
from lexbeam.transforms.intake.unit_files import stage_row_files

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


@dataclass(frozen=True, kw_only=True)
class LabelledReadOptions:
    """How files are read.

    Attributes:
        layout: a key of `LAYOUTS`.
        kind: single or mwe, others being rejects; or all.
        genre: of rows that name none.
        language: of rows that name none.
        engine_language: of rows for which nothing else names one.
        reader: how rows are cut into cells.
        forgotten: the files that are left out; None: none is.
    """

    layout: str
    kind: str = "all"
    genre: str | None = None
    language: str | None = None
    engine_language: str | None = None
    reader: ReaderOptions = field(default_factory=ReaderOptions)
    forgotten: Forgotten | None = None


def _read(artefact: Artefact, unit: Unit, options: LabelledReadOptions) -> Loaded:
    """Read files.

    Raises:
        LexbeamError: one has another layout.
        Superseded: one is no longer what the artefact is named by.
    """

    def read(rows: FileRows, name: str, notes: Counter[str]) -> Iterator[Cwi2018Row | Reject]:
        return LAYOUTS[options.layout].read(rows, About(name, options.genre, options.language, notes))

    def add(source: str, entry: Cwi2018Row) -> None:
        row = _row(source, entry, options)
        staging.add([row])
        staging.tally["labelled"] += bool(row["labels"])

    staging = Staging(artefact, ROWS, "load", forgotten=options.forgotten)
    return stage_row_files(staging, unit, options.reader, read, add, attrgetter("line"))


def _row(source: str, entry: Cwi2018Row, options: LabelledReadOptions) -> dict[str, Any]:
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
        "flags": in_flag_order(flags),
        "published_split": split_of(source),
        "labels": [label._asdict() for label in entry.labels],
    }


def _chosen(_: Unit, options: LabelledReadOptions) -> dict[str, tuple[str, ...]]:
    return {"lexbeam.transforms.complexity.instances.layouts:LAYOUTS": (options.layout,)}


READ: Stage[Unit, LabelledReadOptions, Loaded] = Stage(
    name="complexity/read", noun="intake", receipt=Loaded, build=_read, chosen=_chosen, unit="batches"
)
