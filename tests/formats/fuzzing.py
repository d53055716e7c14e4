"""Fuzzing of every reader, and of what is above them: made inputs, and what must hold of them.

    python tests/formats/fuzzing.py --inputs 1000000 --workers 2
    python tests/formats/fuzzing.py --format csv --seed 7 --only 123456

The inputs are shared out among the formats; Ctrl-C ends it earlier. Printed is, by format, how many
inputs there were, how many records, documents and rejects, of how many inputs the records were
counted without the readers (`counting.py`), and how many failed. A failure is told with the seed
and the number by which `--only` makes it again, alone, and shows the shortest input found that
fails so.

It lies among the tests since it needs their independent counts; the suite runs 10,000 inputs of
each format. Of each input it must hold:

- nothing is raised, and reasons are those of `REASONS`;
- documents and rejects are the records counted without the readers, where these can be counted:
  not of what is damaged when it is packed, and not where what comes before a break counts;
- positions are unique within a source, blocks have no gaps; what is cut short has a reject;
- texts, fields and tokens are NFC without NUL and surrogates, with 30 marks in a row at most,
  cleaning changes them no more, and they come back from Arrow and Parquet as they were; offsets
  show the tokens;
- a PDF, a picture, a program is one reject of its reason in every format, and no text is one;
- sources are published names; what is noted (`Source.notes`) is what options asked for;
- a stream that gives few bytes at a time, and small inner limits, change nothing;
- it takes less than `SECONDS` of processor time.

Adding a reader without inputs in `fuzz_formats.MAKERS` fails a test.
"""

import argparse
import faulthandler
import multiprocessing
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import NamedTuple

from fuzz_above import ABOVE
from fuzz_checking import Tables, Wrong, check, watched
from fuzz_formats import MAKERS
from fuzz_mutating import Input, Member, input_of

NAMES = (*MAKERS, *ABOVE)
CHUNK = 500
# Ingestion is of the same inputs as documents, and writes each into a file and a folder of its own.
SHARES = {"ingestion": 0.1}
HANGS = 300  # seconds after which a chunk is given up; it takes one
SHOWN = 20


class Result(NamedTuple):
    """What a range of inputs came to: counts by name, and failures by number."""

    name: str
    counts: Counter[str]
    failures: dict[int, str]


def fuzz(name: str, seed: int, numbers: Iterable[int]) -> Result:
    """Check inputs of a format, or of something above the formats."""
    counts: Counter[str] = Counter()
    failures: dict[int, str] = {}
    tables, numbers = Tables(), list(numbers)
    with watched(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of patterns with two meanings
        for number in numbers:
            try:
                found = _one(name, seed, number, tables)
            except Wrong as error:
                failures[number] = str(error)
                continue
            counts.update(found._asdict())
        try:
            tables.flush()
        except Wrong:
            failures |= _each(name, seed, numbers)
    counts["inputs"] = len(numbers)
    return Result(name, counts, failures)


def _one(name, seed, number, tables):
    rng = random.Random(f"{seed} {name} {number} check")
    try:
        if name in ABOVE:
            return ABOVE[name](rng)
        return check(input_of(name, seed, number), rng, tables)
    except Wrong:
        raise
    except Exception as error:
        raise Wrong(f"raised {type(error).__name__}: {error}") from error


def _each(name: str, seed: int, numbers: list[int]) -> dict[int, str]:
    """Return which inputs cannot be put into tables."""
    failures = {}
    for number in numbers:
        tables = Tables()
        try:
            _one(name, seed, number, tables)
            tables.flush()
        except Wrong as error:
            failures[number] = str(error)
    return failures


def shortest(made: Input, fails: Callable[[Input], bool]) -> Input:
    """Return an input with as much as can be cut out of it so that it still fails."""
    size = len(made.data) // 2
    while size:
        place = 0
        while place < len(made.data):
            data = made.data[:place] + made.data[place + size :]
            cut = made._replace(data=data, members=made.members and [Member(data)])
            if fails(cut):
                made = cut
            else:
                place += size
        size //= 2
    return made


def _show(name: str, seed: int, number: int) -> int:
    """Print an input, what is wrong with it, and the shortest that fails alike."""
    failures = fuzz(name, seed, [number]).failures or _each(name, seed, [number])
    cause = failures.get(number)
    print(f"{name}, seed {seed}, number {number}: {cause or 'nothing is wrong'}")
    if name in ABOVE:
        return int(cause is not None)
    made = input_of(name, seed, number)
    print(f"file {made.name!r}, format {made.asked}, options {made.options}\n{made.data!r}")
    plain = made.members is not None and [member.data for member in made.members] == [made.data]
    if cause is not None and plain:

        def fails(cut: Input) -> bool:
            tables = Tables()
            try:
                check(cut, random.Random(f"{seed} {name} {number} check"), tables)
                tables.flush()
            except Wrong as error:
                return str(error)[:20] == cause[:20]
            return False

        with watched():
            print(f"shortest:\n{shortest(made, fails).data!r}")
    return int(cause is not None)


def _chunk(name: str, seed: int, first: int, last: int) -> Result:
    # What hangs in C hears no signal; the process that does ends with a traceback.
    faulthandler.dump_traceback_later(HANGS, exit=True)
    result = fuzz(name, seed, range(first, last))
    faulthandler.cancel_dump_traceback_later()
    return result


def _results(names: list[str], seed: int, inputs: int, workers: int) -> Iterator[Result]:
    total = sum(SHARES.get(name, 1) for name in names)
    each = {name: max(1, round(inputs * SHARES.get(name, 1) / total)) for name in names}
    tasks = [
        (name, seed, first, min(each[name], first + CHUNK))
        for first in range(0, max(each.values()), CHUNK)
        for name in names
        if first < each[name]
    ]
    if not workers:
        for task in tasks:
            yield fuzz(task[0], seed, range(*task[2:]))
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context)
    waiting = {pool.submit(_chunk, *task): task for task in tasks}
    try:
        for done in as_completed(waiting):
            try:
                yield done.result()
            except Exception as error:
                name, _, first, last = waiting[done]
                cause = f"{first} to {last - 1}: {type(error).__name__}: {error}"
                yield Result(name, Counter(inputs=last - first), {first: cause})
    finally:
        pool.shutdown(cancel_futures=True)


def _until_stopped(results: Iterator[Result]) -> Iterator[Result]:
    """Yield results until Ctrl-C, so that what was counted up to there is printed."""
    try:
        yield from results
    except KeyboardInterrupt:
        print("stopped before the end")


def main(words: list[str] | None = None) -> int:
    """Fuzz what is asked for; print a table, and return 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--format", nargs="+", default=["all"], choices=("all", *NAMES))
    parser.add_argument("--inputs", type=int, default=10_000, help="of all formats together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=0, help="0: this process")
    parser.add_argument("--only", type=int, help="number of the one input to show")
    options = parser.parse_args(words)
    names = list(NAMES) if "all" in options.format else options.format
    if options.only is not None:
        return max(_show(name, options.seed, options.only) for name in names)
    counts = {name: Counter[str]() for name in names}
    failed = 0
    results = _results(names, options.seed, options.inputs, options.workers)
    for result in _until_stopped(results):
        counts[result.name].update(result.counts)
        counts[result.name]["failures"] += len(result.failures)
        for number, cause in sorted(result.failures.items()):
            failed += 1
            if failed <= SHOWN:
                again = f"--format {result.name!r} --seed {options.seed} --only {number}"
                print(f"{again}: {cause[:300]}", flush=True)
    columns = ("inputs", "records", "documents", "rejects", "known", "failures")
    print("".join(f"{name:>14}" for name in ("", *columns)))
    total: Counter[str] = Counter()
    for name, found in {**counts, "all": total}.items():
        print(f"{name:>14}" + "".join(f"{found[column]:>14,}" for column in columns))
        total.update(found)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
