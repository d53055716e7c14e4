"""A text of 10,000 sentences, from the file to its sentences with simpler words.

    python -m benchmarks simplification_text

The text is English news of BBC (LEXBEAM_DATA/bbc) in one file; its hard words (below 4 in Zipf) get candidates of
WordNet, which are inflected, filtered by form and by part of speech in place, ranked by senses, and put in: `lexbeam
simplify instances`, `generate`, `select`, `rank` and `rewrite`, each a process of its own, with the engine
`builtin:en`. Timed are all five, with imports and files that are checked; what is compiled once is compiled before.
Beside seconds by the clock stand those of CPU, which other work on the machine does not change so much. Memory is
the peak of resident memory of the process that takes most, for a text of a fifth as many sentences and for the whole.
"""

import shutil
import statistics
import sys
from pathlib import Path

from benchmarks.measure import BenchmarkRow, Skipped, data_folder
from benchmarks.small_files import Used, used
from lexbeam.transforms.annotation.engines.known_engines import load_splitter

SENTENCES = 10_000
REPEATS = 3
SECONDS, GROWTH = 300.0, 1.25

_ENGINE = ("--engine", "builtin:en")
_INFLECTOR = ("--inflector", "lemminflect")
_WORDS = ("--wordlist", "frequency=wordfreq:en")
_STAGES = (
    ("generate", "--generators", "wordnet", *_INFLECTOR, *_WORDS),
    ("select", "--filters", "morphology,pos", *_INFLECTOR, *_ENGINE),
    ("rank", "--ranker", "senses", *_WORDS),
    ("rewrite",),
)


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the rows."""
    data = data_folder()
    news = sorted((data / "bbc").glob("*/*.txt")) if data else []
    if not news or not Path("/usr/share/wordnet").is_dir():
        raise Skipped("needs bbc in LEXBEAM_DATA, and WordNet where Debian has it")
    texts = {number: folder / f"{number}.txt" for number in (SENTENCES // 5, SENTENCES)}
    for number, path in texts.items():
        write_text(news, number, path)
    peak = max(of.memory for of in _run(folder, texts[SENTENCES // 5]))  # compiles what is compiled once
    runs = [_run(folder, texts[SENTENCES]) for _ in range(REPEATS)]
    clock = [sum(of.wall for of in run) for run in runs]
    cpu = [sum(of.cpu for of in run) for run in runs]
    peaks = [max(of.memory for of in run) for run in runs]
    note = "all runs: " + ", ".join(f"{wall:.0f} (CPU {busy:.0f})" for wall, busy in zip(clock, cpu, strict=True))
    growth = statistics.median(peaks) / peak
    sizes = f"{peak / 2**20:.0f} and {statistics.median(peaks) / 2**20:.0f} MiB"
    return [
        BenchmarkRow(
            f"a text of {SENTENCES:,} sentences simplified", statistics.median(clock), SECONDS, True, "s", note
        ),
        BenchmarkRow("  peak memory over that of a fifth of it", growth, GROWTH, True, "x", sizes),
    ]


def write_text(news: list[Path], sentences: int, path: Path) -> None:
    """Write the first sentences of texts as one text, a paragraph of theirs a paragraph."""
    split = load_splitter("en")
    paragraphs = []
    for file in news:
        lines = [line.strip() for line in file.read_text("utf-8", "replace").splitlines() if line.strip()]
        for line, found in zip(lines, split.annotate(lines), strict=True):
            end = (found[min(len(found), sentences) - 1].ends or [0])[-1]
            paragraphs.append(line[:end])
            sentences -= len(found)
            if sentences <= 0:
                path.write_text("\n\n".join(paragraphs) + "\n", "utf-8")
                return
    raise Skipped(f"the texts have {sentences:,} sentences too few")


def _run(folder: Path, text: Path) -> list[Used]:
    """Simplify a text; return what each stage used."""
    out = str(folder / "simplified")
    shutil.rmtree(out, ignore_errors=True)
    cache = ("--cache", str(folder / "cache"))
    found = ("--targets", "complex", "--zipf-below", "4", *_ENGINE)
    stages = [("instances", str(text), "--out", out, *found), *((name, out, *rest) for name, *rest in _STAGES)]
    return [used("simplify", *words, *(cache if words[0] != "rewrite" else ())) for words in stages]


if __name__ == "__main__":
    sys.exit("run it by `python -m benchmarks simplification_text`")
