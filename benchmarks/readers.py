"""Readers against switches: what is read from a folder while one publication follows another.

    python -m benchmarks.readers --switches 200 --folder /dev/shm

A writer publishes corpora one after the other, as fast as it can, while a process per library reads
both tables, again and again: by their names in the folder, from the snapshot that `current` led to
when it was resolved, and from the parts that `open_snapshot` names. Every row says of which corpus
it is and which number it has there. The corpora have parts of other numbers and content, and one
part in common, under the same name in the one table and another in the other.

Printed is how many reads of both tables were whole and of one corpus, how many failed, and how many
were wrong without a word: with rows of two corpora in a table; with rows missing, or there twice;
with a table that has neither rows nor columns; with tables of two corpora.

The writers: `two` publishes two corpora in turn, whose snapshots both stay; `new` publishes another
each time, so that the snapshot before the last is removed; `one` does so with --keep-snapshots 1,
which removes what was seen a moment ago.
"""

import argparse
import itertools
import multiprocessing
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from lexbeam.transforms.common.publish.layout import MARK, locked
from lexbeam.transforms.common.publish.publication import Keep, publish
from lexbeam.transforms.common.publish.sections import Made
from lexbeam.transforms.common.publish.snapshots import find_snapshot, open_snapshot
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.tables import Part, write_part

SCHEMA = pa.schema([("corpus", pa.string()), ("number", pa.int64())])
TABLES = ("documents", "sentences")
COMMON = "all"  # as the corpus of the rows that all corpora have
COMMON_ROWS = 50
PATIENCE = 60.0  # seconds

OUTCOMES = ("whole", "error", "mixed", "incomplete", "empty", "between")
WAYS = ("DIR/<table>", "resolved", "open_snapshot")


class Writer(NamedTuple):
    """How corpora follow one another: how many there are (None: always another), how many stay."""

    corpora: int | None
    keep: int


WRITERS = {"two": Writer(2, 2), "new": Writer(None, 2), "one": Writer(None, 1)}


def sizes(table: str, number: int) -> list[int]:
    """Return the rows of the parts of a table, all but the common one, in the n-th corpus."""
    if table == "documents":
        return [[40, 60], [70, 20]][number % 2]
    return [[90], [30, 50, 10]][number % 2]


def texts(table: str, number: int) -> list[pa.Table]:
    """Return the parts of a table in the n-th corpus."""
    common = _rows(COMMON, range(COMMON_ROWS))
    ends = list(itertools.accumulate(sizes(table, number), initial=0))
    varying = [_rows(f"corpus {number}", range(*ends[n : n + 2])) for n in range(len(ends) - 1)]
    return [common, *varying] if table == "documents" else [*varying, common]


def _rows(corpus: str, numbers: Sequence[int]) -> pa.Table:
    return pa.table({"corpus": [corpus] * len(numbers), "number": list(numbers)}, schema=SCHEMA)


def parts_of(folder: Path, number: int) -> list[Part]:
    """Write the parts of the n-th corpus."""
    made = []
    for table in TABLES:
        for place, rows in enumerate(texts(table, number)):
            artefact = Artefact(str(folder / f"{table}-{number}-{place}"))
            made.append(Part.of(table, place, write_part(artefact, SCHEMA, [rows])))
    return made


def publish_corpus(out: str, number: int, parts: Sequence[Part], keep: int) -> None:
    """Publish the n-th corpus, whose parts are written."""
    made = Made(name="corpus", parts=tuple(parts), entry={"inputs": [[number, str(number)]], "options": {}})
    with locked(out, TABLES):
        publish(out, [made], old=find_snapshot(out), keep=Keep(keep))


def _pyarrow_table(place: Any) -> Iterable[tuple[str, int]]:
    return _tuples(pq.read_table(place))


def _pyarrow_dataset(place: Any) -> Iterable[tuple[str, int]]:
    return _tuples(ds.dataset(place).to_table())


def _tuples(table: pa.Table) -> Iterable[tuple[str, int]]:
    if table.num_columns == 0:  # so Arrow reads a folder without files
        return ()
    return zip(table["corpus"].to_pylist(), table["number"].to_pylist(), strict=True)


def _polars_folder(place: Any) -> Iterable[tuple[str, int]]:
    import polars

    return polars.scan_parquet(place).collect().rows()


def _polars_glob(place: Any) -> Iterable[tuple[str, int]]:
    return _polars_folder(_glob(place))


def _duckdb_glob(place: Any) -> Iterable[tuple[str, int]]:
    import duckdb

    return duckdb.read_parquet(_glob(place)).fetchall()


def _glob(place: Any) -> Any:
    return place if isinstance(place, list) else f"{place}/*.parquet"


Reader = Callable[[Any], Iterable[tuple[str, int]]]
READERS: dict[str, Reader] = {
    "pyarrow.parquet.read_table": _pyarrow_table,
    "pyarrow.dataset": _pyarrow_dataset,
    "polars, folder": _polars_folder,
    "polars, glob": _polars_glob,
    "duckdb, glob": _duckdb_glob,
}


def places(out: str, way: str) -> list[Any]:
    """Return where the tables lie, resolved once for all: folders, or lists of parts."""
    if way == "DIR/<table>":
        return [os.path.join(out, table) for table in TABLES]
    if way == "resolved":
        folder = Path(out, "current").resolve(strict=True)
        return [str(folder / table) for table in TABLES]
    snapshot = open_snapshot(out)
    return [snapshot.paths(table) for table in TABLES]


def corpus_of(table: str, rows: Iterable[tuple[str, int]]) -> tuple[str, int | None]:
    """Return what was read, one of OUTCOMES, and the number of its corpus if it is whole."""
    counts = Counter(rows)
    if not counts:
        return "empty", None
    corpora = {corpus for corpus, _ in counts} - {COMMON}
    if len(corpora) != 1:
        return ("mixed" if corpora else "incomplete"), None
    number = int(corpora.pop().split()[1])
    wanted = Counter(row for part in texts(table, number) for row in _tuples(part))
    return ("whole", number) if counts == wanted else ("incomplete", None)


def read_once(read: Reader, out: str, way: str) -> tuple[str, str]:
    """Read both tables once; return one of OUTCOMES, and the kind of an error."""
    try:
        tables = places(out, way)
    except Exception as error:
        return "error", type(error).__name__
    return read_places(read, tables)


def read_places(read: Reader, tables: Sequence[Any]) -> tuple[str, str]:
    """Read both tables where they lie; return as `read_once` does."""
    try:
        rows = [read(table) for table in tables]
    except Exception as error:
        return "error", type(error).__name__
    judged = [corpus_of(table, read) for table, read in zip(TABLES, rows, strict=True)]
    for outcome in ("mixed", "incomplete", "empty"):
        if outcome in (what for what, _ in judged):
            return outcome, ""
    return ("whole" if judged[0] == judged[1] else "between"), ""


class ReaderOutcomes(NamedTuple):
    """What one library read in one way: how often each outcome came, and each kind of error."""

    reader: str
    way: str
    outcomes: Counter[str]
    errors: Counter[str]


def _read_on(name: str, out: str, ready: Any, enough: Any, stop: Event, results: Any) -> None:
    read = READERS[name]
    outcomes = [ReaderOutcomes(name, way, Counter(), Counter()) for way in WAYS]
    waiting = set(WAYS)
    for way in WAYS:  # modules are loaded before it counts
        read_once(read, out, way)
    ready.release()
    while not stop.is_set():
        for seen in outcomes:
            outcome, kind = read_once(read, out, seen.way)
            seen.outcomes[outcome] += 1
            if kind:
                seen.errors[kind] += 1
            if outcome == "whole" and seen.way in waiting:
                waiting.remove(seen.way)
                enough.release()
    results.put(outcomes)


def measure(
    folder: Path, writer: Writer, switches: int, readers: Sequence[str] = tuple(READERS)
) -> tuple[list[ReaderOutcomes], float]:
    """Publish while `readers` read, so many times or, on a machine where a reader is slow, until each has read once.

    Return what they saw, and the seconds it took. After a minute more nobody is waited for.
    """
    out = str(folder / "out")
    (folder / "parts").mkdir()
    corpora = [parts_of(folder / "parts", n) for n in range(writer.corpora or switches + 1)]
    publish_corpus(out, 0, corpora[0], writer.keep)
    context = multiprocessing.get_context("spawn")
    ready, enough = context.Semaphore(0), context.Semaphore(0)
    stop, results = context.Event(), context.Queue()
    processes = [
        context.Process(target=_read_on, args=(name, out, ready, enough, stop, results), daemon=True)
        for name in readers
    ]
    for process in processes:
        process.start()
    for _ in processes:
        if not ready.acquire(timeout=300):
            raise RuntimeError("a reader does not start")
    start = time.monotonic()
    waiting = len(processes) * len(WAYS)
    try:
        for number in itertools.count(1):
            publish_corpus(out, number % len(corpora), corpora[number % len(corpora)], writer.keep)
            while enough.acquire(block=False):
                waiting -= 1
            if number == switches:
                latest = time.monotonic() + PATIENCE
            if number >= switches and (not waiting or time.monotonic() > latest):
                break
        seconds = time.monotonic() - start
    finally:
        stop.set()  # else readers would go on after an error
    outcomes = [seen for _ in processes for seen in results.get(timeout=300)]
    for process in processes:
        process.join(60)
    order = list(readers)
    return sorted(outcomes, key=lambda seen: (order.index(seen.reader), seen.way)), seconds


def table_of(rows: Iterable[tuple[str, ReaderOutcomes]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    yield "| writer | reader | way | reads | " + " | ".join(OUTCOMES) + " | kinds of error |"
    yield "|" + "---|" * (len(OUTCOMES) + 5)
    for writer, seen in rows:
        numbers = [seen.outcomes[outcome] for outcome in OUTCOMES]
        kinds = ", ".join(f"{kind} {n}" for kind, n in sorted(seen.errors.items()))
        cells = [writer, seen.reader, seen.way, sum(numbers), *numbers, kinds]
        yield ("| " + " | ".join(f"{cell:,}" if cell.__class__ is int else cell for cell in cells) + " |")


def recursive(folder: Path) -> Iterator[str]:
    """Yield lines: how many rows recursive patterns read where one and two corpora were made."""
    out = folder / "out"
    parts = out / "_artefacts" / "corpus" / "merge"
    parts.mkdir(parents=True)
    (out / "_artefacts" / MARK).touch()
    yield "| published | reader | `DIR/**/*.parquet` | `DIR/current/**/*.parquet` |"
    yield "|---|---|---|---|"
    for number in (0, 1):
        publish_corpus(str(out), number, parts_of(parts, number), 2)
        rows = sum(len(part) for table in TABLES for part in texts(table, number))
        for name in ("polars, glob", "duckdb, glob"):
            counts = [len(list(READERS[name](f"{place}/**"))) for place in (out, out / "current")]
            yield f"| a corpus of {rows} rows | {name} | {counts[0]:,} | {counts[1]:,} |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--switches", type=int, default=200)
    parser.add_argument("--folder", type=Path, help="where to work, if not among temporary files")
    parser.add_argument("--writers", nargs="+", choices=WRITERS, default=list(WRITERS))
    parser.add_argument("--recursive", action="store_true", help="print only what recursive patterns read")
    options = parser.parse_args()
    if options.recursive:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            print("\n".join(recursive(Path(folder))))
        return
    rows = []
    for name in options.writers:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            outcomes, seconds = measure(Path(folder), WRITERS[name], options.switches)
        print(f"{name}: {options.switches} switches in {seconds:.0f} s", flush=True)
        rows += [(name, seen) for seen in outcomes]
    print("\n" + "\n".join(table_of(rows)))


if __name__ == "__main__":
    main()
