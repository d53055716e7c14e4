"""Files and parts of corpora read: their pairs as sorted runs, in a staging file.

A unit of files, or a part of a corpus, becomes one staging file, whose rows `settling` merges with
those of all others. What gives no pair is a reject.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import pyarrow as pa

from schemas.rejects import RejectRow
from transforms.cloze.pairs.corpus_pairs import corpus_pairs
from transforms.cloze.pairs.cutting import CutOptions
from transforms.cloze.pairs.layout import InputText, ReadOptions
from transforms.cloze.pairs.layouts import LAYOUTS
from transforms.cloze.pairs.pair import Given, LengthOptions, pair_row
from transforms.common.store.artefacts import Artefact, Stage, Superseded
from transforms.common.store.receipts import File
from transforms.common.store.runs import Run, RunWriter
from transforms.corpora.corpus import PartPair
from transforms.formats.ingest.stage import Unit
from transforms.formats.ingest.staging import RejectStage, StagedRejects
from transforms.formats.readers.registry import printable
from transforms.formats.records.base import BadRecord, Reject

__all__ = ["ORDER", "READ", "READ_CORPUS", "ROWS", "CorpusOptions", "InputPairs", "LoadOptions", "Loaded"]

_TARGET = pa.struct(
    [
        ("kind", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("form", pa.string()),
        ("options", pa.list_(pa.string())),
        ("label", pa.int32()),
    ]
)
ANNOTATION = {
    "forms": pa.list_(pa.string()),
    "lemmas": pa.list_(pa.string()),
    "upos": pa.list_(pa.string()),
    "starts": pa.list_(pa.int32()),
    "ends": pa.list_(pa.int32()),
    "sentences": pa.list_(pa.int32()),
}
ROWS = pa.schema(
    [
        ("key", pa.string()),
        ("article_id", pa.string()),
        ("source", pa.string()),
        ("number", pa.int64()),
        ("position", pa.string()),
        ("language", pa.string()),
        ("genre", pa.string()),
        ("source_id", pa.string()),
        ("summary", pa.string()),
        ("passage", pa.string()),
        ("flags", pa.list_(pa.string())),
        ("target", _TARGET),
        # Of pairs that come annotated.
        *((f"summary_{name}", kind) for name, kind in ANNOTATION.items()),
        *((f"passage_{name}", kind) for name, kind in ANNOTATION.items()),
    ]
)
ORDER = ("key", "source", "number", "position")
# Bytes of a row besides its texts; of a token with its annotation.
_OVERHEAD, _TOKEN = 500, 60


@dataclass(frozen=True, kw_only=True)
class LoadOptions:
    """What decides how files become pairs: how they are read, and how long texts may be."""

    read: ReadOptions
    lengths: LengthOptions


@dataclass(frozen=True, kw_only=True)
class CorpusOptions:
    """What decides how the documents of a corpus become pairs."""

    cut: CutOptions
    lengths: LengthOptions
    language: str | None = None
    genre: str | None = None


class InputPairs(NamedTuple):
    """What became of an input file: name, bytes, SHA-256, records that are in pairs, rejects."""

    name: str
    bytes: int
    sha256: str
    records: int
    rejects: int


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """Receipt of a unit.

    Attributes:
        inputs: a count for each file; of a part of a corpus there is one.
        rows: the staging file, see `ROWS`.
        runs: its sorted runs.
        records: how many rows it has.
        rejects: where the rejects are staged.
        reasons: rejects by reason.
        examples: the first rejects.
    """

    inputs: tuple[InputPairs, ...]
    rows: File
    runs: tuple[Run, ...]
    records: int
    rejects: StagedRejects
    reasons: dict[str, int]
    examples: tuple[RejectRow, ...]

    @property
    def name(self) -> str:
        """The name of its first file, by which units are in order."""
        return self.inputs[0].name


class _Writing:
    """Takes what records are, by source, and stages them."""

    def __init__(self, writer: RunWriter, rejects: RejectStage, lengths: LengthOptions) -> None:
        self._writer = writer
        self._rejects = rejects
        self._lengths = lengths
        self.records = 0

    def add(self, source: str, number: int, entry: Given | Reject) -> None:
        """Add a record: the `number`th of its file."""
        if isinstance(entry, Given):
            try:
                row = pair_row(entry, self._lengths)
            except BadRecord as error:
                entry = Reject(entry.position, error.reason, error.detail)
        if isinstance(entry, Reject):
            detail = " ".join(printable(entry.detail).split())
            self._rejects.add(RejectRow(source, entry.position, "pairs", entry.reason, detail))
            return
        size = _OVERHEAD + len(row["summary"]) + len(row["passage"])
        if entry.annotation is not None:
            size += _TOKEN * len(entry.annotation["passage_forms"])
        self._writer.add({**row, "source": source, "number": number}, size)
        self.records += 1


def _read(artefact: Artefact, unit: Unit, options: LoadOptions) -> Loaded:
    """Read the files of a unit.

    Raises:
        LexbeamError: a file is of another layout.
        Superseded: a file is no longer what the artefact is named by.
    """
    layout = LAYOUTS[options.read.layout]
    inputs = []
    with (
        RejectStage(artefact) as rejects,
        artefact.writing(".arrow") as stream,
        RunWriter(stream, ROWS, ORDER) as writer,
    ):
        writing = _Writing(writer, rejects, options.lengths)
        for file, reading in zip(unit.files, unit.readings, strict=True):
            before = writing.records, rejects.count
            text = InputText(file.name, file.path, reading.open)
            for number, (source, entry) in enumerate(layout(text, options.read)):
                if reading.broken is not None:
                    break
                writing.add(source, number, entry)
            if reading.broken is not None:
                again = replace(unit, broken=(*unit.broken, (file.name, reading.broken)))
                raise Superseded(unit, again)
            counts = writing.records - before[0], rejects.count - before[1]
            inputs.append(InputPairs(file.name, reading.bytes, reading.sha256, *counts))
    return _loaded(artefact, tuple(inputs), writer, writing, rejects)


def _read_corpus(artefact: Artefact, part: PartPair, options: CorpusOptions) -> Loaded:
    """Read the documents of a part of a corpus, with their annotation."""
    with (
        RejectStage(artefact) as rejects,
        artefact.writing(".arrow") as stream,
        RunWriter(stream, ROWS, ORDER) as writer,
    ):
        writing = _Writing(writer, rejects, options.lengths)
        found = corpus_pairs(part, options.cut, options.language, options.genre)
        for source, entry in found:  # where they stand in the part says nothing
            writing.add(source, 0, entry)
    # Of a corpus no file has a name that tells it apart: its content does.
    sha256 = part.documents.sha256
    count = InputPairs(sha256, part.documents.bytes, sha256, writing.records, rejects.count)
    return _loaded(artefact, (count,), writer, writing, rejects)


def _loaded(
    artefact: Artefact, inputs: tuple[InputPairs, ...], writer: RunWriter, writing: _Writing, rejects: RejectStage
) -> Loaded:
    return Loaded(
        inputs=inputs,
        rows=artefact.file(".arrow"),
        runs=tuple(writer.runs),
        records=writing.records,
        rejects=rejects.staged(),
        reasons=dict(sorted(rejects.reasons.items())),
        examples=tuple(rejects.examples),
    )


def _chosen(_: Unit, options: LoadOptions) -> dict[str, tuple[str, ...]]:
    return {"transforms.cloze.pairs.layouts:LAYOUTS": (options.read.layout,)}


READ: Stage[Unit, LoadOptions, Loaded] = Stage(
    name="cloze/read",
    receipt=Loaded,
    build=_read,
    unused={"options.read.reader.layers": "pairs have no layers"},
    chosen=_chosen,
    unit="batches",
)
READ_CORPUS: Stage[PartPair, CorpusOptions, Loaded] = Stage(
    name="cloze/read-corpus", receipt=Loaded, build=_read_corpus, unit="parts"
)
