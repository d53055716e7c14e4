"""Beam glue of ingestion.

    MakeOfFiles       a DoFn: (key, Unit or ListedUnit) -> (key, receipt)
    ListFiles         PCollection[InputPatterns] -> PCollection[(name, ListedUnit)], and [(name, Unit)] of large files
    CutLarge          PCollection[(name, Unit)] -> PCollection[(name, Unit)], pieces in the place of large files
    IngestFiles       PCollection[(name, Unit or ListedUnit)] -> PCollection[Ingested]
    KeepGone          both of what ListFiles returns -> PCollection[Ingested], what is kept of files that have gone,
                      and PCollection[str], the keys of their names
    SettleDuplicates  PCollection[Ingested] -> PCollection[AnnotateTask], with the duplicates
    KeepAcceptable    PCollection[T] -> PCollection[T], empty if the input is not good enough
    staged_rows       receipt with rejects and inputs -> (table, Staged)

Counters (namespace `ingest`): records, documents, rejects.
"""

import logging
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.schemas.common_tables import NOT_COUNTED, REJECTS
from lexbeam.schemas.corpus_tables import INPUTS
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.shown import amount
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace
from lexbeam.transforms.common.store.batches import BatchReader
from lexbeam.transforms.common.store.classes import Staged
from lexbeam.transforms.common.store.ptransforms import Each, MakeArtefact, Once, SpreadOverLanes
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.formats.ingest import cut_files
from lexbeam.transforms.formats.ingest.cut_files import Cut, CutFile, LargeFile, looked_at, units_of
from lexbeam.transforms.formats.ingest.duplicates import (
    AnnotateTask,
    Decision,
    RecordOccurrence,
    by_bucket,
    decide,
    repeated,
)
from lexbeam.transforms.formats.ingest.file_changes import KnownDigests
from lexbeam.transforms.formats.ingest.ingestion import (
    Ingest,
    Ingested,
    IngestOptions,
    Unit,
    YearChecks,
    acceptable,
    lacking,
    readers_chosen,
)
from lexbeam.transforms.formats.ingest.input_listing import (
    UNIT_BYTES,
    FileListing,
    InputPatterns,
    ListedUnit,
    ListingWriter,
    find_files,
    listed_units,
    opened,
    settle_bits,
    shares_of,
    unit_of,
)
from lexbeam.transforms.formats.ingest.kept_files import (
    Gone,
    GoneTask,
    KeepPart,
    KeepTask,
    KeptPart,
    ListGone,
    gone_keys,
)
from lexbeam.transforms.formats.ingest.staged_records import StageFile

T = TypeVar("T")


_LARGE = "large"


class _List(beam.DoFn):
    """Write a listing of input files; large ones are units of their own."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def process(self, element: InputPatterns) -> Iterator[Any]:
        # Of a run alone: made again, for whatever reason, it may find other files.
        artefact = Artefact(files.join(self._folder, secrets.token_hex(16)))
        with artefact.writing("-listed.arrow") as stream, ListingWriter(stream) as writer:
            for file in find_files(element):
                if file.size >= UNIT_BYTES:
                    yield beam.pvalue.TaggedOutput(_LARGE, (file.name, unit_of([file])))
                else:
                    writer.add(file)
        yield 0, writer.listing(artefact.file("-listed.arrow"))


def _units(element: tuple[int, Iterable[FileListing]], workspace: Workspace | None) -> Iterator[tuple[str, ListedUnit]]:
    listings = sorted(element[1], key=lambda listing: listing.rows.path)
    for unit in listed_units(listings, settle_bits(listings, workspace)):
        yield f"\0{unit.bucket:016x}", unit  # no file's name


@dataclass
class ListFiles(beam.PTransform):
    """List input files; return units of those that share one, which workers open, and units of large ones.

    Attributes:
        workspace: where the number of units is kept; None: units follow from the files alone.
        folder: of this run alone, for the listings.
    """

    workspace: Workspace | None
    folder: str

    def expand(self, patterns: beam.PCollection[InputPatterns]) -> Any:
        listed = (
            patterns
            | "ShareListing" >> beam.FlatMap(shares_of)
            | "DealOutListing" >> beam.Reshuffle()
            | "WriteListing" >> beam.ParDo(_List(self.folder)).with_outputs(_LARGE, main="listings")
        )
        shared = listed["listings"] | "GatherListings" >> beam.GroupByKey()
        return shared | "ListUnits" >> beam.FlatMap(_units, self.workspace), listed[_LARGE]


def _numbered(element: tuple[int, Iterable[tuple[str, Any]]]) -> Iterator[tuple[int, Any]]:
    yield from enumerate(unit for _, unit in sorted(element[1], key=itemgetter(0)))


class NumberUnits(beam.PTransform):
    """Number units, in the order of their names: PCollection[(name, unit)] -> PCollection[(number, unit)]."""

    def expand(self, units: beam.PCollection[tuple[str, Any]]) -> beam.PCollection[tuple[int, Any]]:
        return (
            units
            | "GatherAll" >> beam.WithKeys(0)
            | "GroupAll" >> beam.GroupByKey()
            | "Number" >> beam.FlatMap(_numbered)
        )


class MakeOfFiles(MakeArtefact):
    """Make an artefact of the files of a unit, which are looked up in its listing."""

    def process(self, element: tuple[Any, Unit | ListedUnit]) -> Iterator[tuple[Any, Any]]:
        """Yield the key and the receipt."""
        key, listed = element
        unit = opened(listed) if isinstance(listed, ListedUnit) else listed
        if unit is not None:
            yield from self.of_unit(key, unit, listed)

    def of_unit(self, key: Any, unit: Unit, _: Unit | ListedUnit) -> Iterator[tuple[Any, Any]]:
        """Yield the key and the receipt of a unit that is opened."""
        return super().process((key, unit))


class _Ingest(MakeOfFiles):
    """Take in a unit, the digests of whose files are looked up in those that are known."""

    def __init__(self, workspace: Workspace, options: IngestOptions, check_content: bool) -> None:
        super().__init__(workspace, Ingest(options))
        self._check_content = check_content

    def of_unit(self, key: Any, unit: Unit, listed: Unit | ListedUnit) -> Iterator[tuple[Any, Any]]:
        """Yield the key and the receipt of a unit that is opened."""
        if unit.piece is not None:  # the digest of its file was taken as it was cut
            yield from super().of_unit(key, unit, listed)
            return
        digests = KnownDigests(self._workspace, listed)
        if not self._check_content:
            unit = digests.fill(unit)
        yield from super().of_unit(key, unit, listed)
        if not self._workspace.looked:
            digests.keep(unit.files, unit.readings)


def _size(task: tuple[str, Unit | ListedUnit]) -> float:
    return task[1].size


@dataclass
class IngestFiles(beam.PTransform):
    """Take in units of files, each as one element.

    Attributes:
        check_content: whether files are read even if size and time of change say that they are those of before.
    """

    workspace: Workspace
    options: IngestOptions
    lanes: int
    check_content: bool = False

    def expand(self, units: beam.PCollection[tuple[str, Unit | ListedUnit]]) -> beam.PCollection[Ingested]:
        return (
            units
            | "SpreadUnits"
            >> SpreadOverLanes(weight=_size, lanes=self.lanes, workspace=self.workspace, stage=Ingest.name)
            | "IngestUnit" >> beam.ParDo(_Ingest(self.workspace, self.options, self.check_content))
            | "Receipts" >> beam.Values()
        )


def _listings(element: tuple[str, ListedUnit]) -> Iterator[File]:
    for file, *_ in element[1].spans:
        yield file


def _names(element: tuple[str, Unit]) -> Iterator[str]:
    for file in element[1].files:
        yield file.name


def _gone_tasks(
    listed: tuple[File, ...], large: tuple[str, ...], parts: tuple[KeptPart, ...]
) -> Iterator[tuple[int, GoneTask]]:
    files_listed = {file.path: file for file in listed}
    keys = gone_keys([files_listed[path] for path in sorted(files_listed)], large, [part.inputs for part in parts])
    gone = np.sort(np.concatenate(list(keys)))
    if len(gone):
        yield 0, GoneTask(gone.tobytes())


def _keep_tasks(
    element: tuple[int, tuple[GoneTask, Gone]], parts: tuple[KeptPart, ...]
) -> Iterator[tuple[int, KeepTask]]:
    _, (_, gone) = element
    for number, part in enumerate(parts):
        yield number, KeepTask(part, gone.keys)


def _hexadecimal(element: tuple[int, tuple[GoneTask, Gone]]) -> str:
    return element[1][0].keys.hex()


@dataclass
class KeepGone(beam.PTransform):
    """Take in what was published of files that are no longer listed; return it, and the keys of their names."""

    workspace: Workspace
    parts: tuple[KeptPart, ...]
    keep: KeepPart
    lanes: int

    def expand(self, units: Any) -> Any:
        shared, large = units
        sides = {"parts": self.parts}
        # No file has the empty name: so something is looked for even if none is listed.
        always = shared.pipeline | "Always" >> beam.Create([""], reshuffle=False)
        named = (large | "NamesOf" >> beam.FlatMap(_names), always) | "AllNamed" >> beam.Flatten()
        listed = {"listed": shared | "ListingsOf" >> beam.FlatMap(_listings), "large": named}
        gone = listed | "ListGone" >> Once(self.workspace, ListGone(), _gone_tasks, sides, with_task=True)
        kept = gone | "KeepParts" >> Each(
            self.workspace,
            self.keep,
            _keep_tasks,
            sides,
            lanes=self.lanes,
            weight=attrgetter("part.documents.rows"),
            noted=True,
        )
        return kept | "Kept" >> beam.Values(), gone | "KeysOfGone" >> beam.Map(_hexadecimal)


def _name(stage: StageFile) -> str:
    return stage.records.path.rpartition("/")[2]


def _files(element: Ingested) -> Iterator[tuple[str, StageFile]]:
    for stage in element.stages:
        yield _name(stage), stage


# The fields of a `RecordOccurrence`. There is one for each record: plain tuples take a third of what named ones do.
_Occurrence = tuple[str, int, str, str, int]


def _hashes(batch: pa.RecordBatch) -> npt.NDArray[np.uint64]:
    return content_hashes(batch["key"])


def _keyed(element: Ingested) -> tuple[str, Ingested]:
    return str(element.keys.path), element


def _list_hashes(element: Ingested) -> Iterator[tuple[int, tuple[str, bytes]]]:
    with BatchReader() as reader:
        hashes = [_hashes(reader.read(element.keys, number)) for number in range(len(element.stages))]
    for bucket, of_bucket in by_bucket(np.concatenate(hashes)) if hashes else ():
        yield bucket, (str(element.keys.path), of_bucket.tobytes())


def _find_repeated(element: tuple[int, Iterable[tuple[str, bytes]]]) -> Iterator[tuple[str, bytes]]:
    paths, packed = zip(*element[1], strict=True)
    for path, found in zip(paths, repeated([np.frombuffer(each, np.uint64) for each in packed]), strict=True):
        if len(found):
            yield path, found.tobytes()


def _occurrences(element: tuple[str, dict[str, Iterable[Any]]]) -> Iterator[tuple[str, _Occurrence]]:
    _, joined = element
    wanted = np.frombuffer(b"".join(joined["repeated"]), np.uint64)
    with BatchReader() as reader:
        for receipt in joined["receipts"] if len(wanted) else ():
            for number, stage in enumerate(receipt.stages):
                batch = reader.read(receipt.keys, number)
                columns = batch.filter(pa.array(np.isin(_hashes(batch), wanted))).to_pydict().values()
                for key, source, ordinal, position, place in zip(*columns, strict=True):
                    yield key, (source, ordinal, position, _name(stage), place)


def _decide(element: tuple[str, Iterable[_Occurrence]], mode: str) -> Iterator[tuple[str, Decision]]:
    for decision in decide((RecordOccurrence(*row) for row in element[1]), mode):
        yield decision.file, decision


def _join(element: tuple[str, dict[str, Iterable[Any]]]) -> Iterator[AnnotateTask]:
    _, joined = element
    for stage in joined["files"]:
        yield AnnotateTask(stage, tuple(sorted(joined["decisions"])))


@dataclass
class SettleDuplicates(beam.PTransform):
    """Decide on records with equal keys; `mode` is one of `DUPLICATES`."""

    mode: str

    def expand(self, receipts: beam.PCollection[Ingested]) -> beam.PCollection[AnnotateTask]:
        # Of most records no more is shuffled than eight bytes: only of those that may be duplicates what decides.
        suspects = (
            receipts
            | "ListHashes" >> beam.FlatMap(_list_hashes)
            | "GroupHashes" >> beam.GroupByKey()
            | "FindRepeated" >> beam.FlatMap(_find_repeated)
        )
        decisions = (
            {"receipts": receipts | "KeyReceipts" >> beam.Map(_keyed), "repeated": suspects}
            | "JoinByKeys" >> beam.CoGroupByKey()
            | "ListOccurrences" >> beam.FlatMap(_occurrences)
            | "GroupByKey" >> beam.GroupByKey()
            | "DecideOnDuplicates" >> beam.FlatMap(_decide, self.mode)
        )
        stage = receipts | "ListStageFiles" >> beam.FlatMap(_files)
        return (
            {"files": stage, "decisions": decisions}
            | "JoinByFile" >> beam.CoGroupByKey()
            | "MakeTasks" >> beam.FlatMap(_join)
        )


_Counts = tuple[int, int, int, frozenset[int]]  # records, rejects, those by a rule among them, years


def _counts(element: Ingested) -> _Counts:
    by_rule = sum(number for reason, number in element.reasons.items() if reason in NOT_COUNTED)
    return element.counts["records"], element.counts["rejects"], by_rule, frozenset(element.years)


def _union(years: Iterable[frozenset[int]]) -> frozenset[int]:
    return frozenset().union(*years)


def _gate(element: Any, share: float, year_checks: YearChecks, counts: _Counts) -> Iterator[Any]:
    records, rejected, by_rule, years = counts
    # Where no document is left, there is nothing to compare, and nothing lacks a year.
    if acceptable(records, rejected - by_rule, share) and (records == rejected or not lacking(years, year_checks)):
        yield element


@dataclass
class KeepAcceptable(beam.PTransform):
    """Let elements pass only if few enough of the records in `receipts` were rejected.

    Their documents must also have the years that other sections of the run need. So a hopeless
    corpus fails before the long work of annotation; the driver says why.
    """

    receipts: beam.PCollection
    share: float
    year_checks: YearChecks = field(default_factory=dict)

    def expand(self, elements: beam.PCollection[T]) -> beam.PCollection[T]:
        counts = (
            self.receipts
            | "CountRecords" >> beam.Map(_counts)
            | "SumRecords" >> beam.CombineGlobally(beam.combiners.TupleCombineFn(sum, sum, sum, _union))
        )
        return elements | "Gate" >> beam.FlatMap(
            _gate, self.share, self.year_checks, counts=beam.pvalue.AsSingleton(counts)
        )


def staged_rows(receipt: Any) -> Iterator[tuple[str, Staged]]:
    """Yield the staged rejects and rows of `corpus/inputs` of a receipt, with the names of their tables."""
    for table, file in ((REJECTS, receipt.rejects), (INPUTS, receipt.inputs)):
        if file is not None:
            yield table.name, file


log = logging.getLogger("lexbeam")

_WHY = "why"


def _look(element: tuple[str, Unit], options: IngestOptions) -> Iterator[Any]:
    name, unit = element
    if len(unit.files) > 1 or unit.size < cut_files.CUT_BYTES:
        yield element
        return
    way = looked_at(unit.files[0], options)
    if isinstance(way, LargeFile):
        yield beam.pvalue.TaggedOutput(_LARGE, (name, way))
    else:
        yield element
        yield beam.pvalue.TaggedOutput(_WHY, (way, (1, unit.size)))


def _pieces(element: tuple[str, tuple[LargeFile, Cut]]) -> Iterator[Any]:
    name, (task, receipt) = element
    for unit in units_of(task, receipt):
        yield name, unit
    if receipt.why:
        yield beam.pvalue.TaggedOutput(_WHY, (receipt.why, (1, task.file.size)))


def _tell(element: tuple[str, tuple[int, int]]) -> None:
    why, (number, size) = element
    log.info(
        "%s of %.1f GB in all cannot be cut (%s): one worker reads each from start to end",
        amount(number, "files"),
        size / 1e9,
        why,
    )


class _Cut(MakeArtefact):
    """Cut a file, whose digest is looked up in those that are known."""

    def __init__(self, workspace: Workspace, options: IngestOptions, check_content: bool) -> None:
        entries = readers_chosen(options.format, options.reader)
        super().__init__(workspace, CutFile(), entries=entries, with_task=True)
        self._check_content = check_content

    def process(self, element: tuple[str, LargeFile]) -> Iterator[tuple[Any, Any]]:
        """Yield the key, and the task with its receipt."""
        name, task = element
        unit = Unit((task.file,), task.file.size)
        digests = KnownDigests(self._workspace, unit)
        if not self._check_content:
            task = replace(task, file=digests.fill(unit).files[0])
        yield from super().process((name, task))
        if not (task.file.known or self._workspace.looked):
            digests.keep([task.file], [task.read[0]])


def _bytes(task: tuple[str, LargeFile]) -> float:
    return task[1].file.size


@dataclass
class CutLarge(beam.PTransform):
    """Put pieces in the place of large files; the log has how many there are that cannot be cut, and why."""

    workspace: Workspace
    options: IngestOptions
    lanes: int
    check_content: bool = False

    def expand(self, units: beam.PCollection[tuple[str, Unit]]) -> beam.PCollection[tuple[str, Unit]]:
        looked = units | "LookAtLarge" >> beam.FlatMap(_look, self.options).with_outputs(_LARGE, _WHY, main="units")
        cut_files = (
            looked[_LARGE]
            | "SpreadLarge"
            >> SpreadOverLanes(weight=_bytes, lanes=self.lanes, workspace=self.workspace, stage=CutFile.name)
            | "CutFile" >> beam.ParDo(_Cut(self.workspace, self.options, self.check_content))
            | "ListPieces" >> beam.FlatMap(_pieces).with_outputs(_WHY, main="units")
        )
        (
            (looked[_WHY], cut_files[_WHY])
            | "AllWhole" >> beam.Flatten()
            | "SumWhole" >> beam.CombinePerKey(beam.combiners.TupleCombineFn(sum, sum))
            | "TellWhole" >> beam.Map(_tell)
        )
        return (looked["units"], cut_files["units"]) | "AllUnits" >> beam.Flatten()
