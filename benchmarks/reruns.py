r"""Reruns of `lexbeam change` with other options, compared with its first run, and the disk space of all.

    python -m benchmarks.reruns --tokens 1000000
    python -m benchmarks.reruns --inputs 'sotu/su*.txt' --dates 'name:su(\d{4})' \
        --slices 1790-1860,1861-1945,1946-2024

`lexbeam corpus` and `lexbeam change --seeds 3` run once, each command in a process of its own; then
the reruns, each with --overwrite: another least count of ranked words, other alignments and numbers
of neighbours, files of targets from the published ranking. Without --inputs the text is a sample
corpus of so many words. It prints seconds and shares of the first `change`, and the sizes of the folder
and of what is published, as multiples of the text, before and after `lexbeam clean`. The exit status is
1 if the median share of a kind of rerun is more than a tenth, as it is with little text: a rerun is
mostly the start of Python.
"""

import argparse
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

import pyarrow.compute as pc
import pyarrow.parquet as pq
import yaml

from benchmarks.measure import lexbeam
from lexbeam.transforms.common.store.files import list_files

Command = Callable[..., object]

BOUND = 0.1
TARGETS = "`--targets` with one, two, three words"


class RerunInput(NamedTuple):
    """Text files by a pattern, the rule for their dates, and slices."""

    inputs: str
    dates: str
    slices: str


class SecondsTaken(NamedTuple):
    """Seconds that a command took: by the clock, and of the processors."""

    seconds: float
    cpu: float


class Disk(NamedTuple):
    """Bytes of a folder, those of its files that are published, and of the text."""

    folder: int
    published: int
    text: int


class RerunFigures(NamedTuple):
    """What was measured: the first `change`, its reruns by kind, disk before and after cleaning."""

    first: SecondsTaken
    reruns: dict[str, list[SecondsTaken]]
    before: Disk
    after: Disk


def sample(folder: Path, tokens: int, command: Command = lexbeam) -> RerunInput:
    """Write a sample corpus."""
    command("sample", "--out", str(folder / "sample"), "--tokens", str(tokens))
    config = yaml.safe_load((folder / "sample" / "config.yaml").read_text("utf-8"))
    inputs = str(folder / "sample" / "corpus" / "*.txt")
    return RerunInput(inputs, config["corpus"]["dates"], config["change"]["slices"])


def measure(folder: Path, source: RerunInput, command: Command = lexbeam, of_a_kind: int = 3) -> RerunFigures:
    """Run all commands, so many reruns of a kind, on a new folder below `folder`."""
    out = folder / "out"
    command(
        "corpus",
        source.inputs,
        "--out",
        str(out),
        "--format",
        "text",
        "--engine",
        "builtin:en",
        "--dates",
        source.dates,
    )
    words = ("change", "--out", str(out), "--slices", source.slices, "--seeds", "3")
    first = _taken(command, words)
    reruns = {
        kind: [_taken(command, (*words, "--overwrite", *more)) for more in options[:of_a_kind]]
        for kind, options in _reruns(folder, _ranked(out)).items()
    }
    text = sum(entry.size for entry in list_files(source.inputs))
    before = _disk(out, text)
    command("clean", str(out))
    return RerunFigures(first, reruns, before, _disk(out, text))


def _reruns(folder: Path, ranked: Sequence[str]) -> dict[str, list[list[str]]]:
    """Return the options of all reruns by kind; files of targets are written into the folder."""
    paths = [folder / f"targets{number}.txt" for number in (1, 2, 3)]
    for number, path in enumerate(paths, 1):
        path.write_text("".join(f"{word}\n" for word in ranked[:number]), "utf-8")
    alignments = ["--alignment", "op,op-,cca"]
    return {
        "`--rank-min-count` 41, 42, 43": [["--rank-min-count", str(n)] for n in (41, 42, 43)],
        "`--alignment op,op-,cca --neighbours` 11, 12, 13": [
            [*alignments, "--neighbours", str(n)] for n in (11, 12, 13)
        ],
        TARGETS: [["--targets", str(path)] for path in paths],
    }


def _ranked(out: Path) -> list[str]:
    """Return the three words that changed most, as docs/reference/tables.md finds them."""
    scores = pq.read_table((out / "current").resolve() / "scores")
    ranked = scores.filter(pc.and_(pc.is_null(scores["seed"]), scores["ranked"]))
    words = ranked.sort_by([("score", "descending"), ("word", "ascending")])["word"].to_pylist()
    first = list(dict.fromkeys(words))[:3]
    if len(first) < 3:
        raise RuntimeError(f"only {len(first)} words are ranked: give more text")
    return first


def _taken(command: Command, words: Sequence[str]) -> SecondsTaken:
    seconds, cpu = time.perf_counter(), _cpu()
    command(*words)
    return SecondsTaken(time.perf_counter() - seconds, _cpu() - cpu)


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _disk(out: Path, text: int) -> Disk:
    return Disk(_bytes(out), _bytes((out / "current").resolve()), text)


def _bytes(folder: Path) -> int:
    """Return the bytes of the files below a folder; a file with several names counts once."""
    states = [path.lstat() for path in folder.rglob("*")]
    return sum({state.st_ino: state.st_size for state in states if S_ISREG(state.st_mode)}.values())


def exceeding(figures: RerunFigures) -> list[str]:
    """Return the kinds of reruns whose median share of the first run is more than a tenth."""
    medians = {
        kind: statistics.median(taken.seconds for taken in runs) / figures.first.seconds
        for kind, runs in figures.reruns.items()
    }
    return [kind for kind, share in medians.items() if share > BOUND]


def report(figures: RerunFigures) -> Iterator[str]:
    """Yield the lines of docs/reliability.md."""
    whole = figures.first.seconds
    yield f"| then, with `--overwrite` | seconds | share of the first `change` ({whole:.0f} s) |"
    yield "|---|---|---|"
    for kind, runs in figures.reruns.items():
        seconds = ", ".join(f"{taken.seconds:.1f}" for taken in runs)
        shares = [100 * taken.seconds / whole for taken in runs]
        yield f"| {kind} | {seconds} | {min(shares):.0f} to {max(shares):.0f} % |"
    cpu = [taken.cpu for runs in figures.reruns.values() for taken in runs]
    yield f"\nCPU seconds: first {figures.first.cpu:.0f}, reruns {min(cpu):.0f} to {max(cpu):.0f}"
    yield f"\n| {figures.before.text / 1e6:.1f} MB of text | folder | published |\n|---|---|---|"
    for when, disk in (("after all runs", figures.before), ("after `lexbeam clean`", figures.after)):
        cells = [
            f"{size / 1e6:.0f} MB, {size / disk.text:.1f} times the text" for size in (disk.folder, disk.published)
        ]
        yield f"| {when} | {cells[0]} | {cells[1]} |"


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--inputs", metavar="GLOB", help="text files; else a sample corpus")
    parser.add_argument("--dates", metavar="RULE", help="with --inputs: as of `lexbeam corpus`")
    parser.add_argument("--slices", metavar="SPEC", help="with --inputs: as of `lexbeam change`")
    parser.add_argument("--tokens", type=int, default=1_000_000, help="words of the sample")
    parser.add_argument("--folder", type=Path, help="where to work, if not among temporary files")
    options = parser.parse_args()
    own_text = (options.inputs, options.dates, options.slices)
    if any(own_text) and not all(own_text):
        parser.error("--inputs, --dates and --slices go together")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        source = RerunInput(*own_text) if all(own_text) else sample(Path(folder), options.tokens)
        figures = measure(Path(folder), source)
    print("\n".join(report(figures)))
    return 1 if exceeding(figures) else 0


if __name__ == "__main__":
    sys.exit(main())
