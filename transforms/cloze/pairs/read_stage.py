"""Files and parts of corpora read: their pairs as staged rows; a record that gives no pair is a reject."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from lexbeam.transforms.cloze.pairs.cutting import CutOptions
from lexbeam.transforms.cloze.pairs.documents import corpus_pairs
from lexbeam.transforms.cloze.pairs.layouts import LAYOUTS
from lexbeam.transforms.cloze.pairs.pair import LengthOptions, RawPair, pair_row
from lexbeam.transforms.cloze.pairs.read_options import InputText, PairEntry, ReadOptions
from lexbeam.transforms.common.publish.forgotten import Forgotten
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.corpora.annotated_corpora import PartPair
from lexbeam.transforms.formats.ingest.ingestion import InputFile, Unit
from lexbeam.transforms.formats.readers.registry import printable
from lexbeam.transforms.formats.records.base import BadRecord, Reject
from lexbeam.transforms.formats.records.scripts import check_script
from lexbeam.transforms.formats.sources.readings import FileReading
from lexbeam.transforms.intake.staging import Loaded, RowSchema, Staging
from lexbeam.transforms.intake.unit_files import stage_unit

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
_COLUMNS = pa.schema(
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
STAGE = "pairs"  # of rejects
# Bytes of a row besides its texts; of a token with its annotation.
_OVERHEAD, _TOKEN = 500, 60


def _size(row: Mapping[str, Any]) -> int:
    return _OVERHEAD + len(row["summary"]) + len(row["passage"]) + _TOKEN * len(row.get("passage_forms") or ())


ROWS = RowSchema(_COLUMNS, ("key", "source", "number", "position"), _size)


@dataclass(frozen=True, kw_only=True)
class PairReadOptions:
    """What decides how files become pairs: how they are read, how long texts may be, and what is left out."""

    read: ReadOptions
    lengths: LengthOptions
    forgotten: Forgotten | None = None


@dataclass(frozen=True, kw_only=True)
class CorpusPairOptions:
    """What decides how the documents of a corpus become pairs."""

    cut: CutOptions
    lengths: LengthOptions
    language: str | None = None
    genre: str | None = None


def _add(
    staging: Staging,
    source: str,
    number: int,
    entry: RawPair | Reject,
    lengths: LengthOptions,
    engine_language: str | None = None,
) -> None:
    """Stage a record: the `number`th of its file."""
    try:
        if isinstance(entry, Reject):
            raise BadRecord(entry.reason, entry.detail)
        check_script(f"{entry.passage}\n{entry.summary}", engine_language)
        staging.add([{**pair_row(entry, lengths), "source": source, "number": number}])
    except BadRecord as error:
        detail = " ".join(printable(error.detail).split())
        staging.reject(source, entry.position, BadRecord(error.reason, detail))


def _read(artefact: Artefact, unit: Unit, options: PairReadOptions) -> Loaded:
    """Read the files of a unit.

    Raises:
        LexbeamError: a file is of another layout.
        Superseded: a file is no longer what the artefact is named by.
    """
    layout = LAYOUTS[options.read.layout]
    read, how = layout.read, options.read
    assert read is not None  # `READ_CORPUS` reads folders
    if layout.format is not None:
        how = replace(how, format=layout.format)

    with Staging(artefact, ROWS, STAGE, forgotten=options.forgotten) as staging:

        def entries(
            file: InputFile, reading: FileReading, _: Counter[str]
        ) -> Iterator[tuple[int, tuple[str, PairEntry]]]:
            return enumerate(staging.remembered(read(InputText(file.name, file.path, reading.open), how)))

        def add(numbered: tuple[int, tuple[str, PairEntry]]) -> None:
            number, (source, entry) = numbered
            _add(staging, source, number, entry, options.lengths, how.engine_language)

        inputs = stage_unit(staging, unit, entries, add)
    return staging.loaded(inputs)


def _read_corpus(artefact: Artefact, part: PartPair, options: CorpusPairOptions) -> Loaded:
    """Read the documents of a part of a corpus, with their annotation."""
    # Parts of corpora have the same names: their content identifies them.
    with Staging(artefact, ROWS, STAGE, name=part.documents.sha256) as staging:
        entries = corpus_pairs(part, options.cut, options.language, options.genre)
        for source, entry in entries:  # their places in the part mean nothing
            _add(staging, source, 0, entry, options.lengths)
    return staging.loaded(size=part.documents.bytes)


def _chosen(_: Unit, options: PairReadOptions) -> dict[str, tuple[str, ...]]:
    layout = options.read.layout
    chosen: dict[str, tuple[str, ...]] = {"lexbeam.transforms.cloze.pairs.layouts:LAYOUTS": (layout,)}
    if (format := LAYOUTS[layout].format) is not None:
        chosen["lexbeam.transforms.formats.readers.registry:READERS"] = (format,)
    return chosen


READ: Stage[Unit, PairReadOptions, Loaded] = Stage(
    name="cloze/read",
    noun="intake",
    receipt=Loaded,
    build=_read,
    unused={"options.read.reader.layers": "pairs have no layers"},
    chosen=_chosen,
    unit="batches",
)
READ_CORPUS: Stage[PartPair, CorpusPairOptions, Loaded] = Stage(
    name="cloze/read-corpus", noun="intake", receipt=Loaded, build=_read_corpus, unit="parts"
)
