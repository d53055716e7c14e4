"""Made corpora of any size: words by Zipf's law, some planted, every document a function of the seed and its number.

    >>> block(1, 0, 2, words=5)[0].shape
    (2, 5)

A word is a rank; the r-th most frequent of `VOCABULARY` words is drawn with a share of 1 / r. The first word of each
document is planted: it is one of `PLANTED` words that occur nowhere else, by the document's number, so that what is
published can be counted. Documents have the same number of words, in sentences of `SENTENCE`.
"""

import functools
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

VOCABULARY = 50_000
PLANTED = 97
SENTENCE = 15
BLOCK = 1000  # documents that share a random stream
YEARS = (*range(1800, 1850), *range(1950, 2000))
_TAGS = ("NOUN", "VERB", "ADJ", "ADV", "ADP", "DET")
_SYLLABLES = tuple(f"{consonant}{vowel}" for consonant in "bdfgklmnprstvz" for vowel in "aeiou")


@functools.cache
def _words() -> tuple[str, ...]:
    """Return the words, the planted ones last; no two are alike."""
    base = len(_SYLLABLES)
    spelled = []
    for rank in range(VOCABULARY + PLANTED):
        number, letters = rank + base, ""
        while number:
            number, syllable = divmod(number, base)
            letters += _SYLLABLES[syllable]
        spelled.append(letters)
    return tuple(spelled)


@functools.cache
def _shares() -> np.ndarray:
    """Return the cumulated shares of the words by rank."""
    shares = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    return shares / shares[-1]


def block(seed: int, number: int, size: int, words: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ranks of a block's words, (documents x words), and the numbers of its documents."""
    rng = np.random.default_rng([seed, number])
    ranks = np.searchsorted(_shares(), rng.random((size, words))).astype(np.int64)
    numbers = np.arange(size) + number * BLOCK
    ranks[:, 0] = VOCABULARY + numbers % PLANTED
    return ranks, numbers


def drawn(seed: int, count: int, words: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield each document's number and the ranks of its words."""
    for number in range(-(-count // BLOCK)):
        ranks, numbers = block(seed, number, min(BLOCK, count - number * BLOCK), words)
        yield from zip(numbers.tolist(), ranks, strict=True)


@functools.cache
def _conllu_words() -> np.ndarray:
    rows = [f"\t{word}\t{word}\t{_TAGS[rank % len(_TAGS)]}\t_\t_\t_\t_\t_\t_\n" for rank, word in enumerate(_words())]
    return np.array(rows, dtype=object)


def conllu(number: int, ranks: np.ndarray) -> str:
    """Return a document with annotation."""
    rows = _conllu_words()[ranks]
    pieces = [f"# newdoc id = d{number:09d}\n"]
    for start in range(0, len(rows), SENTENCE):
        pieces += [f"{place}{row}" for place, row in enumerate(rows[start : start + SENTENCE], 1)]
        pieces.append("\n")
    return "".join(pieces)


@functools.cache
def _spelled() -> np.ndarray:
    return np.array(_words(), dtype=object)


def text(number: int, ranks: np.ndarray) -> str:
    """Return a document as sentences, the first of which has its number, a paragraph in all."""
    words = _spelled()[ranks]
    sentences = (" ".join(words[start : start + SENTENCE]) for start in range(0, len(words), SENTENCE))
    return f"Number {number}. " + " ".join(f"{sentence.capitalize()}." for sentence in sentences) + "\n"


def jsonl(number: int, ranks: np.ndarray) -> str:
    """Return a document as a line of JSON."""
    return json.dumps({"text": text(number, ranks).rstrip("\n")}) + "\n"


FORMATS = {"conllu": conllu, "text": text, "jsonl": jsonl}


def years(files: int) -> list[int]:
    """Return the year of each file, in the order of time: both slices have as many."""
    return [YEARS[number * len(YEARS) // files] for number in range(files)]


def write_corpus(folder: Path, format: str, *, seed: int, documents: int, words: int, files: int) -> None:
    """Write documents into so many files, in their order; names begin with a year.

    What stands there already, whole, is left.
    """
    done = folder / ".whole"
    if done.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    write_documents(folder, format, seed=seed, documents=documents, words=words, files=files)
    done.touch()


def write_documents(folder: Path, format: str, *, seed: int, documents: int, words: int, files: int) -> None:
    """Write the files, a thousand to a folder."""
    render = FORMATS[format]
    stream = drawn(seed, documents, words)
    for number, year in enumerate(years(files)):
        first, end = number * documents // files, (number + 1) * documents // files
        place = folder / f"{number // 1000:04d}"
        if number % 1000 == 0:
            place.mkdir(exist_ok=True)
        with (place / f"{year}-{number:07d}.{format}").open("w", encoding="ascii") as file:
            for _ in range(first, end):
                file.write(render(*next(stream)))
