"""What a folder holds, and how its last run went, as metrics in Prometheus's text format: for a textfile collector.

    write_metrics("/var/lib/node_exporter/lexbeam.prom", state)

How many lines there are follows from tables, reasons, stages and sections, never from documents. Each has the folder
as a label, so that one collector takes the files of many folders.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from lexbeam.transforms.common.code.version import own_build
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.publish.history import last_success, published_at, untold_publications
from lexbeam.transforms.common.publish.run_log import DRIVER, RunLine, read_run_log
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import read_rows

STATES = ("stale", "failed", "held")
_REASON = "reason"
_ESCAPED = str.maketrans({"\\": "\\\\", "\n": "\\n", '"': '\\"'})
# What is summed over the lines of a stage.
_STAGES: dict[str, tuple[Callable[[RunLine], float], str]] = {
    "stage_seconds": (lambda line: line.seconds, "Work of a stage when it made something last, summed over workers."),
    "stage_artefacts": (lambda line: line.elements, "Artefacts that a stage made then."),
    "stage_documents": (lambda line: line.documents, "Documents in what a stage made then."),
    "stage_tokens": (lambda line: line.tokens, "Tokens in what a stage made then."),
}


class FolderState(NamedTuple):
    """What metrics are made from.

    Attributes:
        out: the folder.
        snapshot: what is published there; None: nothing.
        newest: when the newest input file was changed, in seconds since 1970; None: there is none, or nobody knows.
        states: of each section that is stale, or that the last run failed at or held back, which of `STATES`.
        failed: whether the last run failed, or was held back.
        explains: its tables of which column `reason` says why something was left out.
        seconds: that the last run took; None: it is not known.
    """

    out: str
    snapshot: Snapshot | None
    newest: float | None
    states: Mapping[str, Sequence[str]]
    failed: bool
    explains: Sequence[str] = ()
    seconds: float | None = None


class _Metric(NamedTuple):
    """A metric: its name without what all have in front, what it means, and its samples: labels and a value."""

    name: str
    doc: str
    samples: Sequence[tuple[dict[str, str], float]]


def check_metrics_file(path: str) -> None:
    """Check that a path is one of this machine.

    Raises:
        UsageError: it is on an object store, or elsewhere.
    """
    if not files.is_local(path):
        raise UsageError("must be a file on this machine, from which a collector takes it")


def write_metrics(path: str, state: FolderState) -> None:
    """Write the metrics of a folder to a file, which a reader finds whole or as it was before."""
    files.write_bytes(path, exposition(state, time.time()).encode())


def exposition(state: FolderState, now: float) -> str:
    """Return the metrics of a folder in the text format of Prometheus.

    Args:
        state: of the folder.
        now: the time, in seconds since 1970, that ages are counted to.
    """
    lines: list[str] = []
    for name, doc, samples in _metrics(state, now):
        if samples:
            lines += [f"# HELP lexbeam_{name} {doc}", f"# TYPE lexbeam_{name} gauge"]
            lines += [f"lexbeam_{name}{_labels({'folder': state.out, **of})} {value!r}" for of, value in samples]
    return "".join(line + "\n" for line in lines)


def _labels(labels: Mapping[str, str]) -> str:
    escaped = (f'{name}="{text.translate(_ESCAPED)}"' for name, text in labels.items())
    return f"{{{','.join(escaped)}}}"


def _metrics(state: FolderState, now: float) -> Iterator[_Metric]:
    snapshot = state.snapshot
    yield _Metric("info", "Version and commit of the Lexbeam that wrote this.", [(own_build()._asdict(), 1)])
    yield _one("written_timestamp_seconds", "When this was written; ages are counted to it.", now)
    yield _one("failed", "Whether the last run or refresh failed, or was held back.", int(state.failed))
    yield _one("run_seconds", "What the last run or refresh took.", state.seconds)
    yield from _when("newest_document", "When the newest input file was changed", state.newest, now)
    success = None if snapshot is None else last_success(snapshot.out, snapshot.name)
    yield from _when("last_success", "When a run or refresh ended well last, with or without a change", success, now)
    sections = sorted({*state.states, *(snapshot.sections if snapshot else ())})
    yield _Metric(
        "section_state",
        "Whether a section is stale, or the last run failed at it or held it back.",
        [({"section": n, "state": s}, int(s in state.states.get(n, ()))) for n in sections for s in STATES],
    )
    if snapshot is None:
        return
    yield _Metric("snapshot_info", "The snapshot that readers see.", [({"snapshot": snapshot.name}, 1)])
    at = published_at(snapshot.out, snapshot.name)
    yield _one("published_timestamp_seconds", "When readers got the snapshot that they see.", at)
    untold = len(untold_publications(snapshot.out))
    yield _one("untold_publications", "Publications that --on-publish has not ended well for yet.", untold)
    rows = [({"table": name}, entry["rows"]) for name, entry in sorted(snapshot.tables.items())]
    yield _Metric("table_rows", "Rows of a published table.", rows)
    rejects = _rejects(snapshot, state.explains)
    counts = [({"table": table, _REASON: reason}, count) for (table, reason), count in sorted(rejects.items())]
    yield _Metric("rejected_records", "Input records that were left out, by reason.", counts)
    yield from _of_stages(read_run_log(snapshot.out, snapshot.name))


def _one(name: str, doc: str, value: float | None) -> _Metric:
    return _Metric(name, doc, [] if value is None else [({}, value)])


def _when(name: str, doc: str, at: float | None, now: float) -> Iterator[_Metric]:
    yield _one(f"{name}_timestamp_seconds", f"{doc}.", at)
    yield _one(f"{name}_age_seconds", f"{doc}, before this was written.", None if at is None else max(0.0, now - at))


def _rejects(snapshot: Snapshot, explains: Sequence[str]) -> dict[tuple[str, str], int]:
    found: Counter[tuple[str, str]] = Counter()
    for table in snapshot.tables.keys() & explains:
        for rows in read_rows(snapshot.paths(table), [_REASON]):
            for counted in rows.column(_REASON).value_counts().to_pylist():
                found[table, str(counted["values"])] += counted["counts"]
    return dict(found)


def _of_stages(log: Sequence[RunLine]) -> Iterator[_Metric]:
    stages = sorted({line.stage for line in log if line.worker != DRIVER})
    for name, (value, doc) in _STAGES.items():
        sums = [({"stage": stage}, sum(value(line) for line in log if line.stage == stage)) for stage in stages]
        yield _Metric(name, doc, sums)
    sections = [({"section": line.stage}, line.seconds) for line in log if line.worker == DRIVER]
    yield _Metric("section_seconds", "What making a section took last, from its start to its end.", sections)
