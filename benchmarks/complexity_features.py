"""Features of lexical complexity: beside a loop over rows, and in two processes beside one.

    python -m benchmarks complexity_features

20,000 instances are made: sentences of English words by Zipf's law over wordfreq's list, annotated;
each target, one in six of two words, in two to five of them, in three genres. The loop is a script
with pandas, nltk's WordNet, wordfreq and pyphen, which computes everything of a word once
(`complexity_by_loop.py`). Each runs in a process of its own, and its CPU time is that of all rows.
What happens before is not counted: imports, word lists read, a hundred rows computed. Our rows are
computed as `lexbeam complexity features` computes those of one part.

All 254 columns of groups form, frequency, norms, wordnet and context are computed by both, and must
be the same in all rows; but for those of tagged senses and definitions, for which nltk reads
another file or cuts otherwise (docs/reference/wordnet.md): there in 98 of 100. No target is a word that
WordNet does not know, or of fewer than four letters: nltk has other base forms for some of them.

Two processes against one: `lexbeam run` from files of the same kind to features, which loads and
annotates them and computes all groups that need no corpus and no vectors. Features alone would be a
job of minutes only for a million instances.
"""

import csv
import importlib.util
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from benchmarks.measure import BenchmarkRow, Skipped, lexbeam, run_script, timed
from lexbeam.transforms.complexity.features.base import FeatureSetting
from lexbeam.transforms.complexity.features.groups import FeatureOptions, features_of, setting_of
from lexbeam.transforms.complexity.features.word_forms import PREFIXES, SUFFIXES
from lexbeam.transforms.lexicon.compiled.frequencies import trigram_values
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.lexicon.wordnet.ragged import LEXNAME_PARTS, LEXNAMES
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import DEBIAN

ROWS = 20_000
MANY = 120_000
FILES = 8
REPEATS = 3
BATCH = 16_384  # as `transforms/complexity/features/groups.py` computes them
WARM = 100
GROUPS = ("form", "frequency", "norms", "wordnet", "context")
LANGUAGES = ("de", "es", "fr", "it", "nl", "pt", "sv")
KEYS = {"instance_id", "kind", "genre", "group"}
# Of what nltk reads otherwise, and the share of rows that must agree nevertheless.
OTHERWISE = ("wordnet_count", "wordnet_entropy", "wordnet_definition")
AGREE = 0.98
IN_TWO = ("cant", "wont")  # of which the annotation makes two tokens
GENRES = ("bible", "biomed", "europarl")

TIMED = """
import sys
from pathlib import Path
from benchmarks import complexity_features
print(getattr(complexity_features, sys.argv[1])(Path(sys.argv[2])))
"""


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the rows."""
    needed = [name for name in ("nltk", "pandas", "pyphen", "wordfreq") if not _there(name)]
    if needed:
        raise Skipped(f"needs {', '.join(needed)}")
    if not Path(DEBIAN, "index.sense").exists():
        raise Skipped(f"needs {DEBIAN} (wordnet-base, wordnet-sense-index)")
    words = _words()
    _write_norms(folder, words)
    return [_beside_loop(folder, words), _two_processes(folder, words)]


def _there(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


# What is made.


def _words() -> list[str]:
    from wordfreq import top_n_list

    return [word for word in top_n_list("en", 60_000) if word.isascii() and word.isalpha()]


def _targets(cache: Path, words: list[str], random: np.random.Generator) -> Iterator[str]:
    """Yield targets without end: words of four letters and more that WordNet knows."""
    options = LexiconOptions(resources=(f"wordnet=wordnet:{DEBIAN}",), cache=str(cache))
    wordnet: Any = prepare(options).held[0].open()
    fit = (word for word in words[200:20_000] if len(word) > 3 and word not in IN_TWO)
    some = pa.array(fit, pa.string())
    known = some.filter(wordnet.morphy(some).is_valid()).to_pylist()
    number = 0
    while True:
        first, second = random.choice(known, 2).tolist()
        yield f"{first} {second}" if number % 6 == 0 else first
        number += 1


def _write_instances(folder: Path, cache: Path, words: list[str], rows: int, files: int) -> None:
    """Write files of instances, as `lexbeam complexity load --layout tsv` takes them."""
    random = np.random.default_rng(1)
    shares = 1 / np.arange(1, len(words) + 1)
    sizes = random.integers(8, 45, rows)
    tokens = random.choice(words, int(sizes.sum()), p=shares / shares.sum()).tolist()
    targets = _targets(cache, words, random)
    left = start = 0
    lines: list[list[str]] = [[] for _ in range(files)]
    for row, size in enumerate(sizes.tolist()):
        if not left:
            target, left = next(targets), int(random.integers(2, 6))
        left -= 1
        sentence = tokens[start : start + size]
        start += size
        sentence[0] = sentence[0].capitalize()
        sentence[size // 2] += ","
        sentence.insert(1 + int(random.integers(size)), target)
        genre = GENRES[int(random.integers(len(GENRES)))]
        lines[row % files].append(f"{row}\t{target}\t{genre}\t{' '.join(sentence)} .\n")
    folder.mkdir()
    for number, own in enumerate(lines):
        text = "id\ttoken\tgenre\tsentence\n" + "".join(own)
        (folder / f"{number}.tsv").write_text(text, "utf-8")


def _write_norms(folder: Path, words: list[str]) -> None:
    """Write a list of every second word, with means and standard deviations."""
    random = np.random.default_rng(2)
    values = random.uniform(1, 20, (len(words), 2)).round(2).tolist()
    with open(folder / "age.csv", "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("word", "value", "sd"))
        writer.writerows([word, *own] for word, own in zip(words[::2], values, strict=False))


def _list(folder: Path) -> str:
    return f"age={folder / 'age.csv'}:word=word,value=value,sd=sd"


# Ours and the loop, each in a process of its own.


def time_ours(folder: Path) -> float:
    """Return the CPU seconds that our features take; write them to `ours.parquet`."""
    parts = _instances(folder)
    setting = _setting(folder)
    features_of(parts[0].slice(0, WARM), setting)
    tables: list[pa.Table] = []
    seconds = timed(lambda: tables.extend(_computed(parts, setting)), time.process_time)
    pq.write_table(pa.concat_tables(tables), folder / "ours.parquet")
    return seconds


def _instances(folder: Path) -> list[pa.Table]:
    found = folder / "loaded" / "current" / "complexity" / "instances"
    return [pq.read_table(path) for path in sorted(found.glob("*.parquet"))]


def _setting(folder: Path) -> FeatureSetting:
    options = FeatureOptions(
        use=GROUPS,
        wordlist=(_list(folder),),
        wordnet=f"wordnet_=wordnet:{DEBIAN}",
        languages=LANGUAGES,
        cache=str(folder / "cache"),
    )
    return setting_of(options, ["en"])


def _computed(parts: list[pa.Table], setting: FeatureSetting) -> Iterator[pa.Table]:
    for rows in parts:
        for start in range(0, rows.num_rows, BATCH):
            yield features_of(rows.slice(start, BATCH), setting)


def time_loop(folder: Path) -> float:
    """Return the CPU seconds that the loop takes; write its features to `loop.parquet`."""
    import pandas as pd
    import pyphen
    import wordfreq

    from benchmarks.complexity_by_loop import LoopResources, by_loop
    from benchmarks.lexicon_wordnet import read_by_nltk

    trigrams = trigram_values("en").to_pydict()
    with open(folder / "age.csv", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    known = LoopResources(
        wordnet=read_by_nltk(str(folder / "nltk")),
        classes={name: number for number, name in enumerate(LEXNAMES)},
        hyphens=pyphen.Pyphen(lang=pyphen.language_fallback("en")),
        zipf=wordfreq.zipf_frequency,
        languages=LANGUAGES,
        trigrams=dict(zip(trigrams["word"], trigrams["value"], strict=True)),
        least=min(trigrams["value"]),
        norms={"age": {row["word"]: (float(row["value"]), float(row["sd"])) for row in rows}},
        prefixes=PREFIXES,
        suffixes=SUFFIXES,
    )
    instances = pa.concat_tables(_instances(folder)).to_pandas()
    by_loop(instances[:WARM], known)
    found: list[pd.DataFrame] = []
    seconds = timed(lambda: found.append(by_loop(instances, known)), time.process_time)
    columns = {name: found[0][name].to_numpy(float, na_value=np.nan) for name in found[0]}
    pq.write_table(pa.table(columns), folder / "loop.parquet")
    return seconds


def _beside_loop(folder: Path, words: list[str]) -> BenchmarkRow:
    _write_instances(folder / "instances", folder / "cache", words, ROWS, 2)
    lexbeam(
        "complexity",
        "load",
        str(folder / "instances"),
        "--layout",
        "tsv",
        "--parts",
        "1",
        "--engine",
        "builtin:en",
        "--out",
        str(folder / "loaded"),
    )
    shutil.copytree(DEBIAN, folder / "nltk")  # nltk refuses links
    lines = (f"{number:02d}\t{name}\t{LEXNAME_PARTS[name.partition('.')[0]]}\n" for number, name in enumerate(LEXNAMES))
    (folder / "nltk" / "lexnames").write_text("".join(lines))
    found, own = [], []
    for _ in range(REPEATS):
        own.append(float(run_script(TIMED, "time_ours", str(folder))))
        found.append(float(run_script(TIMED, "time_loop", str(folder))) / own[-1])
    _compare(pq.read_table(folder / "ours.parquet"), pq.read_table(folder / "loop.parquet"))
    note = f"ours {ROWS / statistics.median(own):,.0f} rows a CPU second; all runs: "
    note += ", ".join(f"{ratio:.1f}" for ratio in found)
    name = f"features of {ROWS:,} instances, over a loop with cached look-ups"
    return BenchmarkRow(name, statistics.median(found), 10, False, "x", note)


def _compare(ours: pa.Table, loop: pa.Table) -> None:
    """Raise AssertionError if a column is not the same in both."""
    names = [name for name in ours.column_names if name not in KEYS]
    assert set(names) == set(loop.column_names), set(names) ^ set(loop.column_names)
    for name in names:
        found = ours[name].cast(pa.float64()).to_numpy()
        same = np.isclose(found, loop[name].to_numpy(), rtol=1e-9, atol=1e-9, equal_nan=True)
        least = AGREE if name.startswith(OTHERWISE) else 1
        assert same.mean() >= least, (name, np.flatnonzero(~same)[:9])


# Two processes.


def _two_processes(folder: Path, words: list[str]) -> BenchmarkRow:
    _write_instances(folder / "many", folder / "cache", words, MANY, FILES)
    config = {
        "out": "results",
        "complexity": {
            "load": {"inputs": ["many"], "layout": "tsv", "engine": "builtin:en"},
            "features": {"wordlist": [_list(folder)], "wordnet": DEBIAN, "cache": str(folder / "cache")},
        },
    }
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config), "utf-8")

    def run(runner: str) -> Callable[[], None]:
        words = ("run", str(path), "--overwrite", "--fresh", "--runner-config", runner)
        return lambda: lexbeam(*words)

    single, found = [], []
    for _ in range(REPEATS):
        single.append(timed(run("direct")))
        found.append(single[-1] / timed(run("direct_multiprocess")))
    note = f"one takes {statistics.median(single):.0f} s; all runs: "
    note += ", ".join(f"{ratio:.2f}" for ratio in found)
    name = f"{MANY:,} labelled rows to features in one process over two"
    return BenchmarkRow(name, statistics.median(found), 1.7, False, "x", note)


if __name__ == "__main__":
    sys.exit("run it by `python -m benchmarks complexity_features`")
