"""WordNet: compiled, opened, and asked by whole arrays, beside nltk's reader of the same files.

    python -m benchmarks lexicon_wordnet

Look-ups are those of a million words. Tokens repeat as in a text (Zipf's law over 60,000 forms)
and have parts of speech; distinct words are a million different ones, of which 147,306 are lemmas
and the rest have endings or are unknown. Opened are Arrow files, mapped, in a process of its own,
what Python imports not counted.
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

from benchmarks.measure import Row, run_script, timed
from transforms.lexicon.wordnet.kind import DEBIAN, WORDNET
from transforms.lexicon.wordnet.lexnames import LEXNAME_PARTS, LEXNAMES

REPEATS = 5
WORDS = 1_000_000
NLTK_WORDS = 200_000

OPEN = """
import sys, time
from pathlib import Path
import numpy as np
import pyarrow as pa
from transforms.lexicon.wordnet.kind import WORDNET
asked = pa.array(["person"])  # imports pandas, where it is there
start = time.perf_counter()
opened = {
    path.stem: pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    for path in Path(sys.argv[1]).glob("*.arrow")
}
wordnet = WORDNET.open(opened, WORDNET.parse("").options)
rows = wordnet.synset_of(wordnet.first_sense(asked, "n"))
assert wordnet.depth_max(rows)[0] == 6
print(time.perf_counter() - start)
"""


def measure(folder: Path) -> list[Row]:
    """Return the rows; none where WordNet's files are not there."""
    if not Path(DEBIAN, "index.sense").exists():
        print(f"lexicon_wordnet: left out, for {DEBIAN} is not there (wordnet-sense-index)")
        return []
    parsed = WORDNET.parse("")
    tables: dict[str, Any] = {}
    seconds = timed(lambda: tables.update(WORDNET.compile(parsed.paths, parsed.options)))
    compiled = folder / "compiled"
    compiled.mkdir()
    for name, table in tables.items():
        combined = table.combine_chunks()
        with pa.ipc.new_file(compiled / f"{name}.arrow", combined.schema) as writer:
            writer.write_table(combined)
    size = sum(path.stat().st_size for path in compiled.iterdir()) / 1e6
    opening = [float(run_script(OPEN, str(compiled))) for _ in range(REPEATS)]
    rows = [
        Row("WordNet compiled", seconds, 30, True, "s"),
        Row("WordNet's compiled files", size, 100, True, "MB"),
        Row(
            "WordNet opened and asked for a word", statistics.median(opening), 0.1, True, "s",
            f"all runs: {', '.join(f'{value:.3f}' for value in opening)}",
        ),
    ]  # fmt: skip
    opened = {
        path.stem: pa.ipc.open_file(pa.memory_map(str(path))).read_all()
        for path in compiled.glob("*.arrow")
    }
    wordnet = WORDNET.open(opened, parsed.options)
    return rows + _look_ups(wordnet, opened["lemmas"]["lemma"]) + _beside_nltk(wordnet, folder)


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


def _look_ups(wordnet: Any, lemmas: pa.ChunkedArray) -> list[Row]:
    forms = _forms(lemmas)
    distinct = pa.array(forms)
    tokens, tags = _tokens(forms, WORDS)
    asked: list[tuple[str, Callable[[], object], float]] = [
        ("first sense of tokens", lambda: wordnet.first_sense(tokens, tags), 1),
        ("senses of tokens", lambda: wordnet.senses_of(tokens, tags), 1),
        ("base forms (morphy) of tokens", lambda: wordnet.morphy(tokens, tags), 1),
        ("synonyms of tokens", lambda: wordnet.synonyms(tokens, tags), 1),
        (
            "depth of the first sense of tokens",
            lambda: wordnet.depth_max(wordnet.synset_of(wordnet.first_sense(tokens, tags))),
            1,
        ),
        ("first sense of distinct words", lambda: wordnet.first_sense(distinct, "n"), 0.3),
        ("base forms of distinct words", lambda: wordnet.morphy(distinct, "n"), 0.15),
    ]
    rows = []
    for name, action, bound in asked:
        found = [len(tokens) / timed(action) / 1e6 for _ in range(REPEATS)]
        note = f"all runs: {', '.join(f'{value:.2f}' for value in found)}"
        rows.append(Row(name, statistics.median(found), bound, False, "M words/s", note))
    return rows


def _beside_nltk(wordnet: Any, folder: Path) -> list[Row]:
    if importlib.util.find_spec("nltk") is None:
        print("lexicon_wordnet: not measured beside nltk, which is not installed")
        return []
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    copied = folder / "nltk"
    shutil.copytree(DEBIAN, copied)
    lines = (
        f"{number:02d}\t{name}\t{LEXNAME_PARTS[name.partition('.')[0]]}\n"
        for number, name in enumerate(LEXNAMES)
    )
    (copied / "lexnames").write_text("".join(lines))
    nltk.data.path = [str(copied)]
    # It would look for another WordNet, to translate numbers for other languages.
    WordNetCorpusReader.map_wn = lambda self, version="wordnet": None
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = WordNetCorpusReader(str(copied), None)
    theirs.synset("person.n.01").max_depth()
    loaded = time.perf_counter() - started
    tokens, _ = _tokens(_forms(wordnet._tables.column("lemmas", "lemma")), NLTK_WORDS)
    words = tokens.to_pylist()
    found = []
    for _ in range(REPEATS):
        own = timed(lambda: wordnet.morphy(tokens, "n"))
        found.append(timed(lambda: [theirs.morphy(word, "n") for word in words]) / own)
    note = f"nltk reads its indexes in {loaded:.1f} s; all runs: "
    note += ", ".join(f"{value:.1f}" for value in found)
    name = f"nltk's morphy of {NLTK_WORDS:,} tokens over ours"
    return [Row(name, statistics.median(found), 1, False, "x", note)]


if __name__ == "__main__":
    sys.exit("run it by `python -m benchmarks lexicon_wordnet`")
