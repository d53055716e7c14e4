"""Beam glue of streams.

    PollFiles     PCollection[InputPatterns] -> PCollection[InputFile], unbounded
    LandWindows   PCollection[InputFile] -> PCollection[Landed], a window each

Counters (namespace `stream`): files, documents, rejects.

Of sources that are none of files, each lands what comes as files of a folder, and yields nothing:

    ReadLines     from a socket or a named pipe
    ReadKafka     from a topic of Kafka, by Beam's expansion service
    ReadPubSub    from a subscription of Google Cloud Pub/Sub
"""

import logging
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
from apache_beam.io.restriction_trackers import OffsetRange, OffsetRestrictionTracker
from apache_beam.io.watermark_estimators import ManualWatermarkEstimator
from apache_beam.metrics import Metrics
from apache_beam.transforms.core import RestrictionProvider
from apache_beam.transforms.window import TimestampedValue
from apache_beam.utils.timestamp import Duration, Timestamp

from lexbeam.transforms.annotation.annotate import AnnotateRecords
from lexbeam.transforms.annotation.landed_texts import Landed
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Step, Workspace
from lexbeam.transforms.common.store.ptransforms import MakeArtefact
from lexbeam.transforms.formats.ingest.ingestion import Ingest, InputFile
from lexbeam.transforms.formats.ingest.input_listing import InputPatterns, find_files
from lexbeam.transforms.stream.landing_windows import Land, WindowRule, WindowSteps, intake_of, land_window
from lexbeam.transforms.stream.lines import Feed, LineTaking, land_lines, one_line
from lexbeam.transforms.stream.polling import LandedFiles, LookSign, Polling

log = logging.getLogger("lexbeam")

WAITING = 4  # windows of files that are on their way at most
PATIENCE = 10  # windows of time, after which a file that has not landed is handed on again
_LEAST = 60.0  # seconds of it
_FILES = 1 << 12  # between two thoughts of a sign


class _OneByOne(OffsetRestrictionTracker):
    """Claims calls of which none is made beside another.

    A call that takes some tenths of a second is slow to a runner: it would split what is to come, and make half of it
    elsewhere at the same time, again and again, until many look at the same inputs.
    """

    def try_split(self, fraction_of_remainder: float) -> Any:
        """Return what comes after the call that is being made, if that is what is asked for; else None."""
        return super().try_split(0) if fraction_of_remainder == 0 else None


class _Calls(RestrictionProvider):
    """Numbers the calls of a DoFn that is called again and again, for ever."""

    def initial_restriction(self, element: Any) -> OffsetRange:
        """Return all calls."""
        return OffsetRange(0, 1 << 62)

    def create_tracker(self, restriction: OffsetRange) -> OffsetRestrictionTracker:
        """Return the tracker of calls."""
        return _OneByOne(restriction)

    def restriction_size(self, element: Any, restriction: OffsetRange) -> int:
        """Return that of one call: nobody knows how many are to come."""
        return 1

    def truncate(self, element: Any, restriction: OffsetRange) -> None:
        """Return nothing: a job that is drained calls no more."""
        return


# Parameters of `process` of a DoFn that is called for ever.
CALLS = beam.DoFn.RestrictionParam(_Calls())
WATERMARK = beam.DoFn.WatermarkEstimatorParam(ManualWatermarkEstimator.default_provider())


def advance(watermark: Any) -> Timestamp:
    """Advance a watermark to now, and return it; while a clock that was set back stands before it, it stays."""
    before, now = watermark.current_watermark(), Timestamp.now()
    if before is not None and now < before:
        return before
    watermark.set_watermark(now)
    return now


class _Poll(beam.DoFn):
    """List the inputs again and again, and hand on the files that have settled and have not landed."""

    def __init__(self, workspace: Workspace, steps: WindowSteps, rule: WindowRule, every: float) -> None:
        self._workspace = workspace
        self._intake = intake_of(AnnotateRecords(steps.annotate).place(workspace), steps.ingest)
        self._rule = rule
        self._every = every

    def setup(self) -> None:
        """Begin to look; what is forgotten with this object is found in artefacts."""
        again = max(_LEAST, PATIENCE * self._rule.seconds)
        apart = int(self._every * 0.5e9)
        self._polling = Polling(apart, WAITING * self._rule.most, int(again * 1e9))
        self._landed = LandedFiles(self._workspace, self._intake)
        self._sign = LookSign(self._workspace.root)

    @beam.DoFn.unbounded_per_element()  # type: ignore[untyped-decorator]
    def process(self, element: InputPatterns, tracker: Any = CALLS, watermark: Any = WATERMARK) -> Iterator[Any]:
        """Yield files, and come back after a while."""
        if not tracker.try_claim(tracker.current_restriction().start):
            return
        self._landed.look()
        try:
            there = self._told(find_files(element, perhaps=True))
            found = self._polling.look(self._landed.missing(there), time.monotonic_ns())
        except LexbeamError as error:  # a folder that is away may come back
            log.warning("%s; it is looked for again", error)
            found = []
        now = advance(watermark)
        for file in found:
            yield TimestampedValue(file, now)
        tracker.defer_remainder(Duration(self._every))

    def _told(self, there: Iterable[InputFile]) -> Iterator[InputFile]:
        """Yield files, and give signs that the inputs are being looked at: there may be millions."""
        self._sign.give()
        for number, file in enumerate(there):
            if not number % _FILES:
                self._sign.give()
            yield file


@dataclass
class PollFiles(beam.PTransform):
    """Poll inputs for files that have not landed.

    Attributes:
        workspace: where artefacts lie.
        steps: what is done with files.
        rule: of windows, by which it is bounded how many files are on their way.
        every: seconds between two looks.
    """

    workspace: Workspace
    steps: WindowSteps
    rule: WindowRule
    every: float

    def expand(self, patterns: beam.PCollection[InputPatterns]) -> beam.PCollection[InputFile]:
        return patterns | "Poll" >> beam.ParDo(_Poll(self.workspace, self.steps, self.rule, self.every))


class _LandWindow(beam.DoFn):
    """Land a window of files, those left out that have landed meanwhile."""

    def __init__(self, workspace: Workspace, steps: WindowSteps) -> None:
        self._workspace = workspace
        self._steps = steps
        self._intake = intake_of(AnnotateRecords(steps.annotate).place(workspace), steps.ingest)
        # Each of them checks that this worker is as the driver is.
        made = (Ingest(steps.ingest), AnnotateRecords(steps.annotate).asking(workspace), Land())
        self._makers = {step.name: MakeArtefact(workspace, step) for step in made}
        self._counters = [Metrics.counter("stream", name) for name in _COUNTED]

    def setup(self) -> None:
        """Begin to look at what has landed, of which each look takes in what is new."""
        self._landed = LandedFiles(self._workspace, self._intake)

    def process(self, element: tuple[str, Iterable[InputFile]]) -> Iterator[Landed]:
        """Yield the receipt of the window, if there is anything new in it."""
        self._landed.look()
        files = list(self._landed.missing({file.name: file for file in element[1]}.values()))
        if files:
            receipt = land_window(self._workspace, files, self._steps, self._make)
            for counter, name in zip(self._counters, _COUNTED, strict=True):
                counter.inc(receipt.counts[name])
            yield receipt

    def _make(self, _: Workspace, step: Step[Any, Any], task: Any) -> Any:
        ((_, receipt),) = self._makers[step.name].process(("", task))
        return receipt


_COUNTED = ("files", "documents", "rejects")


def _by_one_key(file: InputFile) -> tuple[str, InputFile]:
    return "", file


@dataclass
class LandWindows(beam.PTransform):
    """Gather files into windows, and land each.

    Windows are of the time at which files come, not of any time that they tell: so none is late, and the same files
    in other windows make the same tables.

    Attributes:
        workspace: where artefacts lie.
        steps: what is done with files.
        rule: when a window ends.
    """

    workspace: Workspace
    steps: WindowSteps
    rule: WindowRule

    def expand(self, files: beam.PCollection[InputFile]) -> beam.PCollection[Landed]:
        return (
            files
            | "ByOneKey" >> beam.Map(_by_one_key).with_output_types(tuple[str, InputFile])
            | "IntoWindows" >> beam.GroupIntoBatches(self.rule.most, max_buffering_duration_secs=self.rule.seconds)
            | "DealOut" >> beam.Reshuffle()
            | "LandWindow" >> beam.ParDo(_LandWindow(self.workspace, self.steps))
        )


_WAIT = 0.5  # seconds for lines: a call must be short, since a checkpoint waits for its end


class _ReadLines(beam.DoFn):
    """Take lines as they come: into the spool, and from there into a file when their window ends."""

    def __init__(self) -> None:
        self._taking: LineTaking | None = None

    @beam.DoFn.unbounded_per_element()  # type: ignore[untyped-decorator]
    def process(self, element: Feed, tracker: Any = CALLS, watermark: Any = WATERMARK) -> Iterator[str]:
        """Take what has come, and come back."""
        if not tracker.try_claim(tracker.current_restriction().start):
            return
        if self._taking is None:
            self._taking = LineTaking.of(element)
        pause = 0.0 if self._taking.take(_WAIT) else 1.0
        advance(watermark)
        tracker.defer_remainder(Duration(pause))
        yield from ()

    def teardown(self) -> None:
        """Let go of the connection and of the folder."""
        if self._taking is not None:
            self._taking.let_go()
        self._taking = None


@dataclass
class ReadLines(beam.PTransform):
    """Land lines of a socket or of a named pipe."""

    feed: Feed

    def expand(self, pipeline: Any) -> beam.PCollection[str]:
        return pipeline | "Feed" >> beam.Create([self.feed], reshuffle=False) | "ReadLines" >> beam.ParDo(_ReadLines())


def _land(element: tuple[str, Iterable[bytes]], folder: str) -> None:
    land_lines(folder, map(one_line, element[1]))


@dataclass
class _LandMessages(beam.PTransform):
    """Land messages: PCollection[bytes] -> PCollection[None]."""

    feed: Feed

    def expand(self, messages: beam.PCollection[bytes]) -> beam.PCollection[None]:
        rule = self.feed.rule
        return (
            messages
            | "ByOneKey" >> beam.WithKeys("").with_output_types(tuple[str, bytes])
            | "IntoFiles" >> beam.GroupIntoBatches(rule.most, max_buffering_duration_secs=rule.seconds)
            | "LandFile" >> beam.Map(_land, self.feed.folder).with_output_types(type(None))
        )


@dataclass
class ReadKafka(beam.PTransform):
    """Land messages of a topic of Kafka; what has landed is committed, and what has not comes again."""

    feed: Feed

    def expand(self, pipeline: Any) -> beam.PCollection[None]:
        """Apply the transform.

        Raises:
            LexbeamError: Beam's expansion service, a Java program, does not run.
        """
        from apache_beam.io.kafka import ReadFromKafka

        servers, _, topic = self.feed.address.partition("/")
        consumer = {"bootstrap.servers": servers, "group.id": "lexbeam", "auto.offset.reset": "earliest"}
        try:
            read = pipeline | "ReadTopic" >> ReadFromKafka(consumer, [topic], commit_offset_in_finalize=True)
        except (RuntimeError, OSError) as error:
            raise LexbeamError(
                "`source` kafka needs Beam's expansion service, which does not run. It takes Java, and a jar that Beam "
                "downloads or finds where the message below says (docs/running/stream.md, "
                f"https://beam.apache.org/documentation/sdks/python-multi-language-pipelines/): {error}"
            ) from error
        return read | "Values" >> beam.Values() | "Land" >> _LandMessages(self.feed)


@dataclass
class ReadPubSub(beam.PTransform):
    """Land messages of a subscription of Pub/Sub."""

    feed: Feed

    def expand(self, pipeline: Any) -> beam.PCollection[None]:
        from apache_beam.io.gcp.pubsub import ReadFromPubSub

        project, _, name = self.feed.address.partition("/")
        read = ReadFromPubSub(subscription=f"projects/{project}/subscriptions/{name}")
        return pipeline | "ReadSubscription" >> read | "Land" >> _LandMessages(self.feed)
