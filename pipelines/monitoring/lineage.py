"""Events of OpenLineage: what a run reads and writes, for whoever keeps a map of data sets.

    with told_lineage("events.jsonl", sections):
        ...                                     # events of runs, which become those of OpenLineage

A run is a job, and each of its sections is one whose parent it is: START when it begins, COMPLETE when its tables are
published, FAIL when it fails, ABORT where another one has failed or somebody ends the run. Nothing here fails a run:
what cannot be sent is warned of, once, without an address or a key.
"""

import logging
import os
import threading
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import pyarrow.parquet as pq

from lexbeam.pipelines.monitoring.events import (
    Event,
    RunFailed,
    RunFinished,
    RunStarted,
    SectionsHeld,
    SectionStarted,
    SnapshotPublished,
    hearing,
    run_id,
)
from lexbeam.transforms.common.code.version import VERSION, own_build
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.publish.snapshots import Snapshot, open_kept
from lexbeam.transforms.common.store import files

if TYPE_CHECKING:
    from openlineage.client import OpenLineageClient

log = logging.getLogger("lexbeam")

_SECONDS = 5.0  # that a server has to take an event; it is not tried again
_STANDARD = ("OPENLINEAGE_URL", "OPENLINEAGE_CONFIG", "OPENLINEAGE__TRANSPORT")


class ReadFolder(NamedTuple):
    """A table that a section reads: its folder, and its name."""

    folder: str
    table: str


class LineageSection(NamedTuple):
    """What is known of a section before it is made.

    Attributes:
        name: its name.
        doc: what its command does, in a line.
        inputs: files, folders and globs that it takes in.
        reads: the tables that it reads.
    """

    name: str
    doc: str
    inputs: tuple[str, ...]
    reads: tuple[ReadFolder, ...]


def check_lineage_place(place: str) -> None:
    """Check where events are to go.

    Raises:
        UsageError: it is neither a file of this machine nor the URL of a server, or it holds a secret.
    """
    if files.is_local(place):
        return
    parts = urlsplit(place)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("must be a file on this machine, or a URL that begins with http:// or https://")
    if "@" in parts.netloc or parts.query:  # command lines are noted, and seen by others
        raise UsageError("must have no name, key or query in the URL: give the key as OPENLINEAGE_API_KEY")


@contextmanager
def told_lineage(place: str | None, sections: Iterable[LineageSection]) -> Iterator[None]:
    """Send events of OpenLineage while the block emits those of a run.

    Args:
        place: a file, to which they are added, or the URL of a server; None: where the variables of OpenLineage's
            own client say, and nowhere if there are none.
        sections: those of the run, which are looked at if anything is sent.
    """
    if place is None and not any(name.startswith(_STANDARD) for name in os.environ):
        yield
        return
    own = logging.getLogger("openlineage")
    before = own.level
    own.setLevel(logging.CRITICAL + 1)  # what it says of errors may hold addresses with keys
    try:
        with hearing(_Lineage(place, sections)):
            yield
    finally:
        own.setLevel(before)


class _Lineage(logging.Handler):
    """Turns events of a run into those of OpenLineage."""

    def __init__(self, place: str | None, sections: Iterable[LineageSection]) -> None:
        super().__init__()
        self._place = place
        self._listed = sections
        self._sections: dict[str, LineageSection] = {}
        self._thread = threading.get_ident()
        self._client: OpenLineageClient | None = None
        self._begun: list[str] = []
        self._published: Snapshot | None = None
        self._errors: list[RunFailed | SectionsHeld] = []
        self._has_warned = False

    def emit(self, record: logging.LogRecord) -> None:
        """Send what follows from an event; nothing is raised."""
        event: object = record.msg
        if record.thread != self._thread:  # of another run, or of progress
            return
        try:
            self._hear(event)
        except ImportError:
            self._warn("the extra openlineage is not installed")
        except Exception as error:
            self._warn(_reason(error))

    def _hear(self, event: object) -> None:
        match event:
            case RunStarted():
                self._sections = {section.name: section for section in self._listed}
                self._send("START", event, None)
            case SectionStarted() if event.section not in self._begun:  # else it is begun anew
                self._begun.append(event.section)
                self._send("START", event, event.section)
            case SnapshotPublished():
                self._published = open_kept(str(event.folder), event.snapshot)
            case RunFailed() | SectionsHeld():
                self._errors.append(event)
            case RunFinished():
                self._finish(event)

    def _finish(self, event: RunFinished) -> None:
        for section in self._begun:
            published = self._published
            if published is not None and section in published.sections and section not in published.held:
                self._send("COMPLETE", event, section)
            else:
                self._send("FAIL" if self._error_of(section) else "ABORT", event, section)
        ended = {"failed": "FAIL", "held": "FAIL", "interrupted": "ABORT"}
        self._send(ended.get(event.outcome, "COMPLETE"), event, None)

    def _error_of(self, section: str | None) -> RunFailed | SectionsHeld | None:
        """Return what went wrong with a section; of the run, what went wrong last."""
        for error in reversed(self._errors):
            at = error.sections if isinstance(error, SectionsHeld) else (error.section,)
            if section is None or section in at:
                return error
        return None

    def _send(self, kind: str, event: Event, section: str | None) -> None:
        """Send an event of a section, or of the run, at the time of one of ours."""
        try:
            self._sent(kind, event, section)
        except ImportError:
            raise
        except Exception as error:  # the others are sent all the same
            self._warn(_reason(error))

    def _sent(self, kind: str, event: Event, section: str | None) -> None:
        from openlineage.client import event_v2

        if self._client is None:
            self._client = _client(self._place)
        known = None if section is None else self._sections.get(section)
        published = self._published if kind == "COMPLETE" else None
        producer = f"urn:lexbeam:{VERSION}"
        event_v2.set_producer(producer)  # of facets
        self._client.emit(
            event_v2.RunEvent(
                eventTime=event.time,
                producer=producer,
                eventType=event_v2.RunState(kind),
                run=event_v2.Run(_run_of(section), self._run_facets(kind, event, section)),
                job=event_v2.Job(_namespace(), _job(str(event.folder), section), _job_facets(known)),
                inputs=[] if known is None else list(_inputs(known, published)),
                outputs=[] if published is None or section is None else list(_outputs(published, section)),
            )
        )

    def _run_facets(self, kind: str, event: Event, section: str | None) -> dict[str, Any]:
        from openlineage.client.facet_v2 import error_message_run, parent_run, processing_engine_run

        facets: dict[str, Any] = {
            "processing_engine": processing_engine_run.ProcessingEngineRunFacet(
                version=str(own_build()), name="lexbeam"
            )
        }
        if section is not None:
            facets["parent"] = parent_run.ParentRunFacet(
                run=parent_run.Run(_run_of(None)), job=parent_run.Job(_namespace(), _job(str(event.folder), None))
            )
        error = self._error_of(section) if kind == "FAIL" else None
        if error is not None:
            facets["errorMessage"] = error_message_run.ErrorMessageRunFacet(error.message, "Python")
        return facets

    def _warn(self, reason: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            where = "where OPENLINEAGE_* say" if self._place is None else self._place
            log.warning("events of OpenLineage cannot be sent to %s: %s; the run goes on without", where, reason)


def _reason(error: BaseException) -> str:
    """Return what an error is, without what it quotes: addresses may hold keys."""
    status = getattr(getattr(error, "response", None), "status_code", None)
    cause = error.__cause__
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return f"{type(error).__name__}{'' if status is None else f', status {status}'}"


def _client(place: str | None) -> "OpenLineageClient":
    """Return a client that sends to a place, or where OpenLineage's variables say."""
    from openlineage.client import OpenLineageClient
    from openlineage.client.transport.file import FileConfig, FileTransport
    from openlineage.client.transport.http import HttpConfig, HttpTransport

    # The address of a checkout that a command happens to be given in may hold a key, and says nothing of the data.
    config: Any = {"facets": {"source_code_location": {"disabled": True}}}
    if place is None:
        return OpenLineageClient(config=config)
    if files.is_local(place):
        return OpenLineageClient(transport=FileTransport(FileConfig(place, append=True)), config=config)
    parts = urlsplit(place)
    to: dict[str, Any] = {
        "url": f"{parts.scheme}://{parts.netloc}",
        "endpoint": parts.path.strip("/") or os.environ.get("OPENLINEAGE_ENDPOINT", "api/v1/lineage"),
        "timeout": _SECONDS,
        "retry": {"total": 0, "connect": 0, "read": 0},
    }
    if key := os.environ.get("OPENLINEAGE_API_KEY"):
        to["auth"] = {"type": "api_key", "apiKey": key}
    return OpenLineageClient(transport=HttpTransport(HttpConfig.from_dict(to)), config=config)


def _namespace() -> str:
    return os.environ.get("OPENLINEAGE_NAMESPACE") or "lexbeam"


def _job(folder: str, section: str | None) -> str:
    return folder if section is None else f"{folder}:{section}"


def _run_of(section: str | None) -> str:
    run = run_id()
    return run if section is None else str(uuid.uuid5(uuid.UUID(run), section))


def _job_facets(known: LineageSection | None) -> dict[str, Any]:
    from openlineage.client.facet_v2 import documentation_job, job_type_job

    kind = job_type_job.JobTypeJobFacet("BATCH", "LEXBEAM", "RUN" if known is None else "SECTION")
    facets: dict[str, Any] = {"jobType": kind}
    if known is not None:
        facets["documentation"] = documentation_job.DocumentationJobFacet(known.doc)
    return facets


def _named(path: str) -> tuple[str, str]:
    """Return namespace and name of a data set by its path, as OpenLineage names files and objects."""
    if files.is_local(path):
        return "file", files.absolute(path)
    parts = urlsplit(path)
    return f"{parts.scheme}://{parts.netloc}", parts.path.strip("/") or "/"


def _inputs(known: LineageSection, published: Snapshot | None) -> Iterator[Any]:
    from openlineage.client import event_v2
    from openlineage.client.facet_v2 import input_statistics_input_dataset

    facets: dict[str, Any] = {}
    entry = published.sections[known.name].get("inputs") if published else None
    if isinstance(entry, Mapping) and len(known.inputs) == 1:
        facets["inputStatistics"] = input_statistics_input_dataset.InputStatisticsInputDatasetFacet(
            size=entry["bytes"], fileCount=entry["files"]
        )
    for path in known.inputs:
        yield event_v2.InputDataset(*_named(path), inputFacets=facets)
    for folder, table in known.reads:
        yield event_v2.InputDataset(*_named(files.join(folder, *table.split("/"))))


def _outputs(published: Snapshot, section: str) -> Iterator[Any]:
    from openlineage.client import event_v2
    from openlineage.client.facet_v2 import output_statistics_output_dataset

    for table in sorted(published.sections[section]["parts"]):
        named = _named(files.join(published.out, *table.split("/")))
        parts = published.parts(table)
        statistics = output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
            rowCount=sum(part.rows for part in parts), size=sum(part.bytes for part in parts), fileCount=len(parts)
        )
        facets = dict(_table_facets(published, table))
        yield event_v2.OutputDataset(*named, facets=facets, outputFacets={"outputStatistics": statistics})


def _table_facets(published: Snapshot, table: str) -> Iterator[tuple[str, Any]]:
    """Yield what is said of a published table: its columns, what a row is, and the snapshot."""
    from openlineage.client.facet_v2 import dataset_version_dataset, documentation_dataset, schema_dataset

    yield "version", dataset_version_dataset.DatasetVersionDatasetFacet(published.name)
    for path in published.paths(table)[:1]:
        with files.open_read(path) as stream:
            schema = pq.read_schema(stream)
        fields = [
            schema_dataset.SchemaDatasetFacetFields(
                field.name, str(field.type), (field.metadata or {}).get(b"doc", b"").decode() or None
            )
            for field in schema
        ]
        yield "schema", schema_dataset.SchemaDatasetFacet(fields)
        if row := (schema.metadata or {}).get(b"lexbeam.row"):
            yield "documentation", documentation_dataset.DocumentationDatasetFacet(row.decode())
