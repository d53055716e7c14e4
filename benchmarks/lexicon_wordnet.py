"""WordNet: compiled, opened, and queried by whole arrays, beside nltk's reader of the same files.

    python -m benchmarks lexicon_wordnet

Look-ups are those of a million words. Tokens repeat as in a text (Zipf's law over 60,000 forms)
and have parts of speech; distinct words are a million different ones, of which 147,306 are lemmas
and the rest have endings or are unknown; seconds are those of the processor. It is compiled into a
cache, and opened from there in processes of their own; what Python imports is not counted.
"""

import importlib.util
import shutil
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.measure import BenchmarkRow, Skipped, run_script, timed
from lexbeam.transforms.lexicon.resource_cache import opened
from lexbeam.transforms.lexicon.resources import HeldResource, LexiconOptions, prepare
from lexbeam.transforms.lexicon.wordnet.ragged import LEXNAME_PARTS, LEXNAMES
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import DEBIAN

REPEATS = 5
WORDS = 1_000_000
NLTK_WORDS = 200_000

OPEN = """
import sys, time
import pyarrow as pa
from benchmarks.lexicon_wordnet import private_memory
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
options = LexiconOptions(resources=("wordnet=wordnet",), cache=sys.argv[1])
held = prepare(options).held[0]
query = pa.array(["person"])  # imports pandas, where it is there
before, start = private_memory(), time.perf_counter()
wordnet = held.open()
rows = wordnet.synset_of(wordnet.first_sense(query, "n"))
assert wordnet.depth_max(rows)[0] == 6
print(time.perf_counter() - start, private_memory() - before)
"""
THEIRS = """
import sys, time
from benchmarks.lexicon_wordnet import private_memory, read_by_nltk
read_by_nltk  # what it imports is not counted
import nltk.corpus.reader.wordnet
before, start = private_memory(), time.perf_counter()
theirs = read_by_nltk(sys.argv[1])
assert theirs.synset("person.n.01").max_depth() == 6
print(time.perf_counter() - start, private_memory() - before)
"""


def private_memory() -> float:
    """Return the memory that this process shares with no other and no file, in MB."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    (anonymous,) = (line for line in lines if line.startswith("Anonymous:"))
    return int(anonymous.split()[1]) / 1e3


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the rows; none where WordNet's files are not there."""
    if not Path(DEBIAN, "index.sense").exists():
        raise Skipped(f"needs {DEBIAN} (wordnet-base, wordnet-sense-index)")
    options = LexiconOptions(resources=("wordnet=wordnet",), cache=str(folder / "cache"))
    made: list[HeldResource] = []
    seconds = timed(lambda: made.extend(prepare(options).held))
    size = sum(file.bytes for file in made[0].compiled.files.values()) / 1e6
    opening = [[float(number) for number in run_script(OPEN, str(folder / "cache")).split()] for _ in range(REPEATS)]
    times, memory = zip(*opening, strict=True)
    rows = [
        BenchmarkRow("WordNet compiled", seconds, 30, True, "s"),
        BenchmarkRow("WordNet's compiled files", size, 100, True, "MB"),
        BenchmarkRow(
            "WordNet opened and queried for a word",
            statistics.median(times),
            0.1,
            True,
            "s",
            f"all runs: {', '.join(f'{value:.3f}' for value in times)}",
        ),
        BenchmarkRow("its memory that is not shared", statistics.median(memory), 10, True, "MB"),
    ]
    wordnet = made[0].open()
    lemmas = opened(made[0].compiled)["lemmas"]["lemma"]
    return [*rows, *_look_ups(wordnet, lemmas), *_beside_nltk(wordnet, lemmas, folder)]


def _forms(lemmas: pa.ChunkedArray) -> list[str]:
    simple = [lemma for lemma in lemmas.to_pylist() if lemma.isalpha()]
    more = [word + end for word in simple for end in ("s", "ed", "ing", "er", "qu")]
    numbered = [f"{word}{n}" for n in range(10) for word in simple]
    return list(dict.fromkeys(lemmas.to_pylist() + more + numbered))[:WORDS]


def _tokens(forms: list[str], count: int) -> tuple[pa.Array, pa.Array]:
    random = np.random.default_rng(1)
    chosen = random.choice(forms[: len(forms) // 2], 60_000, replace=False)
    weights = 1 / np.arange(1, len(chosen) + 1)
    tokens = chosen[random.choice(len(chosen), count, p=weights / weights.sum())]
    tags = random.choice(np.array(["NOUN", "VERB", "ADJ", "ADV", "DET"]), count)
    return pa.array(tokens.tolist()), pa.array(tags.tolist())


def _look_ups(wordnet: Any, lemmas: pa.ChunkedArray) -> list[BenchmarkRow]:
    forms = _forms(lemmas)
    distinct = pa.array(forms)
    tokens, tags = _tokens(forms, WORDS)
    queries: list[tuple[str, Callable[[], object], float]] = [
        ("first sense of tokens", lambda: wordnet.first_sense(tokens, tags), 1),
        ("senses of tokens", lambda: wordnet.senses_of(tokens, tags), 1),
        ("base forms (morphy) of tokens", lambda: wordnet.morphy(tokens, tags), 1),
        ("synonyms of tokens", lambda: wordnet.synonyms(tokens, tags), 1),
        (
            "depth of the first sense of tokens",
            lambda: wordnet.depth_max(wordnet.synset_of(wordnet.first_sense(tokens, tags))),
            1,
        ),
        ("first sense of distinct words", lambda: wordnet.first_sense(distinct, "n"), 1),
        ("base forms of distinct words", lambda: wordnet.morphy(distinct, "n"), 0.3),
    ]
    rows = []
    for name, action, bound in queries:
        rates = [len(tokens) / timed(action, time.process_time) / 1e6 for _ in range(REPEATS)]
        note = f"all runs: {', '.join(f'{value:.2f}' for value in rates)}"
        rows.append(BenchmarkRow(name, statistics.median(rates), bound, False, "M words/s", note))
    return rows


def read_by_nltk(folder: str) -> Any:
    """Return nltk's reader of the database in a folder, its indexes read."""
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    nltk.data.path = [folder]
    # It would look for another WordNet, to translate numbers for other languages.
    WordNetCorpusReader.map_wn = lambda self, version="wordnet": None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return WordNetCorpusReader(folder, None)


def _beside_nltk(wordnet: Any, lemmas: pa.ChunkedArray, folder: Path) -> list[BenchmarkRow]:
    if importlib.util.find_spec("nltk") is None:
        print("lexicon_wordnet: not measured beside nltk, which is not installed")
        return []
    copied = folder / "nltk"  # it refuses links
    shutil.copytree(DEBIAN, copied)
    lines = (f"{number:02d}\t{name}\t{LEXNAME_PARTS[name.partition('.')[0]]}\n" for number, name in enumerate(LEXNAMES))
    (copied / "lexnames").write_text("".join(lines))
    loaded, memory = map(float, run_script(THEIRS, str(copied)).split())
    theirs = read_by_nltk(str(copied))
    tokens, _ = _tokens(_forms(lemmas), NLTK_WORDS)
    words = tokens.to_pylist()
    ratios = []
    for _ in range(REPEATS):
        ours = timed(lambda: wordnet.morphy(tokens, "n"))
        ratios.append(timed(lambda: [theirs.morphy(word, "n") for word in words]) / ours)
    note = f"nltk is loaded in {loaded:.1f} s and takes {memory:.0f} MB; all runs: "
    note += ", ".join(f"{value:.1f}" for value in ratios)
    name = f"nltk's morphy of {NLTK_WORDS:,} tokens over ours"
    return [BenchmarkRow(name, statistics.median(ratios), 1, False, "x", note)]


if __name__ == "__main__":
    sys.exit("run it by `python -m benchmarks lexicon_wordnet`")
