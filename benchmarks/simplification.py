"""Simplification of 10,000 sentences, from a thesaurus to ranked candidates.

    python -m benchmarks simplification

Sentences are of made Spanish-like words by Zipf's law, each with a target that a made thesaurus
has: 8,000 headwords of two senses with four words each, all with paradigms in a form dictionary.
Timed are `lexbeam simplify generate`, `select --filters morphology` and `rank --ranker
senses,frequency`, each a command of its own, in one process: seconds of all three, with imports and
files that are checked. (Two workers take longer to start than they save.) What happens before is
not timed: the instances loaded, resources compiled, as they are for all later runs. Sentences are
not annotated: the form dictionary says what a target is.
"""

import re
import shutil
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import BenchmarkRow, lexbeam, timed

SENTENCES = 10_000
HEADWORDS = 8_000
SENSES, MEMBERS = 2, 4
REPEATS = 3
LIMIT = 60.0

_ONSETS = tuple(re.findall("[a-z]+", "b c ch d f g j l ll m n p r s t v br cr dr fr gr pl tr"))
_VOWELS = "aeiou"
_ENDINGS = {  # part of speech: ending of the lemma, then of each form with its features
    "N": ("o", {"o": "N;MASC;SG", "os": "N;MASC;PL"}),
    "A": ("ivo", {"ivo": "ADJ;MASC;SG", "iva": "ADJ;FEM;SG", "ivos": "ADJ;MASC;PL"}),
    "V": (
        "ar",
        {
            "ar": "V;NFIN",
            "a": "V;IND;PRS;3;SG",
            "an": "V;IND;PRS;3;PL",
            "ó": "V;IND;PST;3;SG",
            "aron": "V;IND;PST;3;PL",
            "ado": "V.PTCP;PST;MASC;SG",
        },
    ),
}


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the row."""
    _write(folder)
    lexbeam(
        "simplify",
        "train-inflector",
        str(folder / "forms.tsv"),
        "--format",
        "unimorph",
        "--language",
        "es",
        "--out",
        str(folder / "es.inflector"),
    )
    lexbeam(
        "simplify",
        "instances",
        str(folder / "sentences.txt"),
        "--layout",
        "text",
        "--language",
        "es",
        "--out",
        str(folder / "loaded"),
    )
    _run(folder)  # compiles what is compiled once
    timings = [timed(lambda: _run(folder)) for _ in range(REPEATS)]
    note = "all runs: " + ", ".join(f"{seconds:.0f}" for seconds in timings)
    name = f"{SENTENCES:,} sentences to ranked candidates"
    return [BenchmarkRow(name, statistics.median(timings), LIMIT, True, "s", note)]


def _run(folder: Path) -> None:
    """Generate, select and rank candidates of the sentences in a folder, anew."""
    published, inflector = str(folder / "simplified"), str(folder / "es.inflector")
    cache = ("--cache", str(folder / "cache"))
    words = ("--wordlist", f"counts={folder / 'counts.tsv'}:word=1,value=2,duplicates=sum")
    thesaurus = ("--generators", "thesaurus", "--thesaurus", str(folder / "thesaurus.dat"))
    shutil.rmtree(published, ignore_errors=True)
    shutil.copytree(folder / "loaded", published, symlinks=True)
    lexbeam("simplify", "generate", published, *thesaurus, "--inflector", inflector, *words, *cache, "--fresh")
    lexbeam("simplify", "select", published, "--filters", "morphology", "--inflector", inflector, "--fresh")
    lexbeam("simplify", "rank", published, "--ranker", "senses,frequency", *words, *cache, "--fresh")


def _stems() -> Iterator[str]:
    """Yield distinct beginnings of words without end, in a drawn order."""
    random = np.random.default_rng(1)
    seen = set()
    while True:
        syllables = random.integers(1, 4)
        stem = (
            "".join(
                _ONSETS[random.integers(len(_ONSETS))] + _VOWELS[random.integers(len(_VOWELS))]
                for _ in range(syllables)
            )
            + _ONSETS[random.integers(15)]
        )
        if stem not in seen:
            seen.add(stem)
            yield stem


def _write(folder: Path) -> None:
    """Write forms, counts, a thesaurus of the MyThes format, and sentences."""
    random = np.random.default_rng(2)
    stems = _stems()
    lemmas: dict[str, list[tuple[str, list[str]]]] = {kind: [] for kind in _ENDINGS}
    forms = []
    for number in range(HEADWORDS):
        kind = "NAV"[number % 3]
        stem, (ending, paradigm) = next(stems), _ENDINGS[kind]
        inflected = [stem + suffix for suffix in paradigm]
        lemmas[kind].append((stem + ending, inflected))
        forms += [f"{stem}{ending}\t{stem}{suffix}\t{tag}" for suffix, tag in paradigm.items()]
    (folder / "forms.tsv").write_text("\n".join(forms) + "\n", "utf-8")
    vocabulary = [form for kind in lemmas for _, inflections in lemmas[kind] for form in inflections]
    counts = random.permutation(len(vocabulary)) + 1
    (folder / "counts.tsv").write_text(
        "".join(f"{form}\t{count}\n" for form, count in zip(vocabulary, counts, strict=True)), "utf-8"
    )
    entries = ["UTF-8"]
    for inflected in lemmas.values():
        names = [lemma for lemma, _ in inflected]
        for lemma in names:
            entries.append(f"{lemma}|{SENSES}")
            for _ in range(SENSES):
                members = random.choice(names, MEMBERS, replace=False).tolist()
                entries.append("|".join(["-", *(member for member in members if member != lemma)]))
    (folder / "thesaurus.dat").write_text("\n".join(entries) + "\n", "utf-8")
    shares = 1 / np.arange(1, len(vocabulary) + 1)
    shares /= shares.sum()
    lines = []
    for _ in range(SENTENCES):
        words = random.choice(vocabulary, random.integers(15, 40), p=shares).tolist()
        place = int(random.integers(len(words)))
        words[place] = f"[[{vocabulary[random.integers(len(vocabulary))]}]]"
        lines.append(" ".join(words).capitalize() + ".")
    (folder / "sentences.txt").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit("run it by `python -m benchmarks simplification`")
