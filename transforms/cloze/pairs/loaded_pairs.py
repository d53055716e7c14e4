"""Pairs loaded: of files and parts of corpora as staged rows; then equal ones joined, texts annotated, targets found.

A record that gives no pair is a reject. The pairs of an article lie side by side. Memory is that of a batch for each
run, and of the pairs that are annotated at a time.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from lexbeam.schemas.cloze import PAIR_INPUTS, PAIR_REJECTS, PAIRS
from lexbeam.transforms.cloze.pairs.pair import (
    TEXTS,
    LengthOptions,
    RawPair,
    Row,
    annotate_pairs,
    give_places,
    join_rows,
    pair_row,
)
from lexbeam.transforms.cloze.pairs.pair_layouts import (
    LAYOUTS,
    CutOptions,
    InputText,
    PairEntry,
    ReadOptions,
    corpus_pairs,
)
from lexbeam.transforms.common.batched import batched
from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.publish.forgotten import Forgotten
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.staged import MergeTask
from lexbeam.transforms.corpora.annotated_corpora import PartPair
from lexbeam.transforms.formats.ingest.ingestion import InputFile, Unit, acceptable
from lexbeam.transforms.formats.readers.registry import printable
from lexbeam.transforms.formats.records.base import BadRecord, Reject
from lexbeam.transforms.formats.records.scripts import check_script
from lexbeam.transforms.formats.sources.readings import FileReading
from lexbeam.transforms.intake.intake_staging import Loaded, LoadedCounts, RowSchema, Staging, stage_unit
from lexbeam.transforms.intake.settling import (
    Settled,
    TaskStages,
    TextAnnotationOptions,
    chosen_engine,
    engine_of,
    grouped_rows,
    write_tables,
)

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
    chosen: dict[str, tuple[str, ...]] = {"lexbeam.transforms.cloze.pairs.pair_layouts:LAYOUTS": (layout,)}
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


_ANNOTATED = 64  # pairs that are annotated at a time, and their code points
_CHARACTERS = 1 << 19


@dataclass(frozen=True, kw_only=True)
class SettledPairs(Settled):
    """Receipt of a part: its file, and counts for the summary of the run.

    Attributes:
        flags: pairs by flag.
        targets: targets by kind, and how many of them were found.
        languages: pairs by language; empty: of none.
        articles: passages that differ.
        repeated: records that joined a pair that was there.
        words: tokens of summaries and of passages.
    """

    flags: dict[str, int]
    targets: dict[str, tuple[int, int]]
    languages: dict[str, int]
    articles: int
    repeated: int
    words: tuple[int, int]


def acceptable_records(counts: LoadedCounts, share: float) -> bool:
    """Return whether few enough of all records were rejected, see `acceptable`."""
    faults = counts.rejected - counts.reasons.get("forgotten", 0)
    return acceptable(counts.records + counts.rejected, faults, share)


class _Tally:
    """Counts for the receipt of a part."""

    def __init__(self) -> None:
        self.flags: Counter[str] = Counter()
        self.targets: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self.languages: Counter[str] = Counter()
        self.articles = self.repeated = 0
        self.words = [0, 0]
        self._article = ""

    def add(self, pair: Row) -> None:
        self.flags.update(pair["flags"])
        for target in pair["targets"]:
            self.targets[target["kind"]] += 1
            self.found[target["kind"]] += target["token"] is not None
        self.languages[pair["language"] or ""] += 1
        self.articles += pair["article_id"] != self._article
        self._article = pair["article_id"]
        self.repeated += pair["rows"] - 1
        for place, name in enumerate(TEXTS):
            self.words[place] += len(pair[f"{name}_forms"])


def _settle(artefact: Artefact, task: MergeTask, options: TextAnnotationOptions) -> SettledPairs:
    engine = engine_of(options)
    tally = _Tally()

    def batches() -> Iterator[list[list[Row]]]:
        with one_thread():
            joined = (join_rows(rows) for _, rows in grouped_rows(task, ROWS))
            for pairs in batched(joined, _ANNOTATED, size=_characters, largest=_CHARACTERS):
                annotate_pairs(pairs, engine)
                for pair in pairs:
                    give_places(pair)
                    tally.add(pair)
                yield [pairs]

    return SettledPairs(
        tables=write_tables(artefact, (PAIRS,), batches()),
        flags=dict(sorted(tally.flags.items())),
        targets={kind: (tally.targets[kind], tally.found[kind]) for kind in sorted(tally.targets)},
        languages=dict(sorted(tally.languages.items())),
        articles=tally.articles,
        repeated=tally.repeated,
        words=(tally.words[0], tally.words[1]),
    )


def _characters(pair: Row) -> int:
    return sum(len(pair[name]) for name in TEXTS)


SETTLE: Stage[MergeTask, TextAnnotationOptions, SettledPairs] = Stage(
    name="cloze/settle", noun="pairs", receipt=SettledPairs, build=_settle, chosen=chosen_engine, unit="parts"
)
SETTLING = TaskStages.of(SETTLE, PAIR_REJECTS, PAIR_INPUTS)
