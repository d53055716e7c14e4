"""Beam glue of sources that are none of files: each lands what comes as files of a folder, and yields nothing.

ReadLines    from a socket or a named pipe
ReadKafka    from a topic of Kafka, by Beam's expansion service
ReadPubSub   from a subscription of Google Cloud Pub/Sub
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
from apache_beam.utils.timestamp import Duration

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.stream.connections import Feed
from lexbeam.transforms.stream.landing_folder import land_lines, one_line
from lexbeam.transforms.stream.line_taking import LineTaking
from lexbeam.transforms.stream.ptransforms import CALLS, WATERMARK, advance

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
        """Apply the transform."""
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
        """Apply the transform."""
        from apache_beam.io.gcp.pubsub import ReadFromPubSub

        project, _, name = self.feed.address.partition("/")
        read = ReadFromPubSub(subscription=f"projects/{project}/subscriptions/{name}")
        return pipeline | "ReadSubscription" >> read | "Land" >> _LandMessages(self.feed)
