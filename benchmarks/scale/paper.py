"""A corpus that nobody has run yet, on paper: what each step costs, from unit costs that were measured.

    costs = unit_costs(token_rows, packed_rows, file_rows)
    on_paper(costs, PAPER)

A cost is split into what a document costs, what a token costs and what a file costs by itself. Long and short
documents were measured: with m and n words each, `c_m = d + m t` and `c_n = d + n t` for the cost of a document
give d and t. What files cost is the difference between many and few with the same documents. Nothing is less than 0.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from benchmarks.scale.figures import STEPS, Row, marginal, select, steps
from lexbeam.transforms.common.portions import parts_for

GIB = 1 << 30
# Of a run on S3, for each object that is written as an artefact: 2,162 requests for 166 receipts and 194 files, what
# is published included (docs/running/object-stores.md).
S3_REQUESTS = 2162 / (166 + 194)


@dataclass(frozen=True, kw_only=True)
class PaperCorpus:
    """The corpus and the cluster.

    Attributes:
        documents, tokens, bytes, files: of the corpus.
        workers: of the cluster, one core and `memory` bytes each.
        memory: bytes of a worker, and of the driver.
        unit_bytes: bytes that are taken in together.
        parts: of each table.
    """

    documents: float
    tokens: float
    bytes: float
    files: float
    workers: int
    memory: float
    unit_bytes: float
    parts: int

    @property
    def units(self) -> float:
        """Pieces of work of each stage before merging."""
        return self.bytes / self.unit_bytes


PAPER = PaperCorpus(
    documents=1e9, tokens=1e11, bytes=1e13, files=1e4, workers=100, memory=4 * GIB, unit_bytes=4 << 20, parts=8
)


class PieceCost(NamedTuple):
    """What a piece of work costs where all are brought together under one key: seconds of CPU, bytes of memory."""

    seconds: float
    bytes: float


def piece_cost(rows: Sequence[Row]) -> PieceCost:
    """Return the cost of a piece from runs that gather many and few; the dearer of the ways of gathering."""
    ways = [select(rows, case=case) for case in sorted({row["case"] for row in rows})]
    costs = [[max(0.0, marginal(way, _value(name), _value("size"))) for way in ways] for name in ("cpu", "peak")]
    return PieceCost(max(costs[0]), max(costs[1]))


class UnitCost(NamedTuple):
    """What a document, a token and a file cost of something: seconds, or bytes, or files."""

    document: float
    token: float
    file: float

    def of(self, corpus: PaperCorpus) -> float:
        """Return what a corpus costs."""
        return self.document * corpus.documents + self.token * corpus.tokens + self.file * corpus.files


def split_cost(short: float, words: float, long: float, more_words: float) -> tuple[float, float]:
    """Return what a document and what a token costs, from the costs of a short and of a long document.

    >>> split_cost(16.0, 60, 204.0, 1000)
    (4.0, 0.2)
    """
    token = max(0.0, (long - short) / (more_words - words))
    return max(0.0, short - words * token), token


def _documents(row: Row) -> float:
    return float(row["documents"])


def _artefacts(kind: str) -> Callable[[Row], float]:
    return lambda row: sum(stage[kind] for stage in row["artefacts"].values())


def _value(name: str) -> Callable[[Row], float]:
    return lambda row: float(row[name])


def _step(name: str) -> Callable[[Row], float]:
    return lambda row: steps(row)[name]


MEASURED: Mapping[str, Callable[[Row], float]] = {
    **{f"cpu {name}": _step(name) for name in STEPS},
    "sent": _value("sent"),
    "returned": _value("returned"),
    "graph": _value("graph"),
    "manifest": _value("manifest"),
    "driver_peak": _value("driver_peak"),
    "worker_peak": _value("worker_peak"),
    "artefact files": _artefacts("files"),
    "artefact bytes": _artefacts("bytes"),
    "published bytes": lambda row: float(row["published"]["bytes"]),
}


def unit_costs(long: Sequence[Row], packed: Sequence[Row], files: Sequence[Row]) -> dict[str, UnitCost]:
    """Return the unit cost of all that was measured.

    Args:
        long: runs of long documents, of two sizes at least.
        packed: of short ones, in few files.
        files: of the same, each a file.
    """
    words = packed[0]["tokens"] / packed[0]["documents"]
    more = long[0]["tokens"] / long[0]["documents"]
    costs = {}
    for name, value in MEASURED.items():
        short = marginal(packed, value, _documents)
        document, token = split_cost(short, words, marginal(long, value, _documents), more)
        costs[name] = UnitCost(document, token, max(0.0, marginal(files, value, _documents) - short))
    return costs


class Limit(NamedTuple):
    """Something that cannot grow without end.

    Attributes:
        what: what grows.
        bound: how far it may.
        documents: how many documents, like those of the corpus, reach the bound; infinite if none do.
        small_files: how many, if each is a file of its own.
    """

    what: str
    bound: str
    documents: float
    small_files: float


def limits(costs: Mapping[str, UnitCost], piece: PieceCost, corpus: PaperCorpus) -> list[Limit]:
    """Return what breaks, the first first; what does not grow is left out."""
    day, memory = 24 * 3600.0, f"{corpus.memory / GIB:g} GiB"
    bounds = (
        ("memory of the driver", memory, corpus.memory, ("driver_peak",), 1),
        ("memory of a worker", memory, corpus.memory, ("worker_peak",), 1),
        ("rows under the key of one part, held by its merge", memory, corpus.memory, ("sent",), corpus.parts),
        ("the merge of one part, one piece of work", "24 h", day, ("cpu merge",), corpus.parts),
        ("one published part", "100 GB", 1e11, ("published bytes",), corpus.parts),
        ("the graph", "2 GiB, the most of a protocol buffer", 2.0 * GIB, ("graph",), 1),
        ("the manifest", "100 MB", 1e8, ("manifest",), 1),
        ("planning and the graph, on one core", "24 h", day, ("cpu plan", "cpu graph"), 1),
    )
    gathered = corpus.memory / piece.bytes / (corpus.units / corpus.documents) if piece.bytes > 0 else math.inf
    found = [Limit("pieces of work under one key", memory, gathered, gathered)]
    for what, bound, most, names, among in bounds:
        large, small = (
            sum(costs[name].of(shape) for name in names) / corpus.documents / among
            for shape in (corpus, replace(corpus, files=corpus.documents))
        )
        if small > 0:
            found.append(Limit(what, bound, most / large if large > 0 else math.inf, most / small))
    return sorted(found, key=lambda limit: (limit.documents, limit.small_files))


def on_paper(costs: Mapping[str, UnitCost], piece: PieceCost, corpus: PaperCorpus) -> Iterator[tuple[str, float, str]]:
    """Yield what the corpus needs: what it is, how much, in which unit."""
    total = 0.0
    for name in STEPS:
        seconds = costs[f"cpu {name}"].of(corpus)
        if seconds > 0:
            total += seconds
            yield f"CPU, {name}", seconds / 3600, "core hours"
    yield "CPU, all steps", total / 3600, "core hours"
    yield f"the same on {corpus.workers} workers, if work is dealt out evenly", total / 3600 / corpus.workers, "hours"
    merge = costs["cpu merge"].of(corpus)
    yield (
        f"merging, on the {min(corpus.parts, corpus.workers)} workers that have a part",
        (merge / 3600 / min(corpus.parts, corpus.workers)),
        "hours",
    )
    yield "parts of a table", corpus.parts, ""
    yield "pieces of work before merging", corpus.units, ""
    yield "rows for the shuffle, sent by workers", costs["sent"].of(corpus) / 1e9, "GB"
    yield "of these under the key of one part", costs["sent"].of(corpus) / 1e9 / corpus.parts, "GB"
    yield "rows from the shuffle", costs["returned"].of(corpus) / 1e9, "GB"
    yield "hottest key: the pieces of a stage, CPU of gathering them", piece.seconds * corpus.units, "s"
    yield "hottest key: the pieces of a stage, held", piece.bytes * corpus.units / GIB, "GiB"
    yield "objects written as artefacts", costs["artefact files"].of(corpus), ""
    yield "requests to S3", S3_REQUESTS * costs["artefact files"].of(corpus), ""
    yield "bytes of artefacts", costs["artefact bytes"].of(corpus) / 1e12, "TB"
    yield "published", costs["published bytes"].of(corpus) / 1e12, "TB"
    yield "memory that the driver gains", costs["driver_peak"].of(corpus) / GIB, "GiB"
    yield "graph gains", costs["graph"].of(corpus) / 1e6, "MB"
    yield "manifest gains", costs["manifest"].of(corpus) / 1e6, "MB"


def with_parts(corpus: PaperCorpus, rows: Sequence[Row]) -> PaperCorpus:
    """Return the corpus with the parts that it has: by today's rule, or as many as earlier runs all had."""
    most = max(rows, key=_documents)
    if most["label"] == "after":
        return replace(corpus, parts=parts_for(rows=int(corpus.documents), tokens=int(corpus.tokens)))
    return replace(corpus, parts=most["stages"]["corpus/merge-documents"]["calls"])
