"""Adapted Lesk over compiled glosses beside the same phrase scoring on nltk's objects.

    python -m benchmarks cloze_lesk

Texts are those of ReCAM's tasks 1 and 2 where LEXBEAM_DATA has them, and examples of WordNet's synsets, put
together at random to passages of 400 words and summaries of 20; every noun and verb of a summary that has several
senses is asked for. Both read
the same glosses, lemmatised alike, and must choose the same senses. nltk's caches are warm: each
sense was asked for before, so that its synsets are made, and the words of glosses and texts are
kept in dictionaries; in a second row, so are the synsets around each one. Seconds are those of the processor.
Compiling is not counted (`lexicon_wordnet` has it).

Pairs are compared 64 at a time, as `lexbeam cloze candidates` does it, all their words at once. More at a time brings
little: of the words of glosses that 64 pairs read, 60 % are read once (of made pairs).
"""

import importlib.util
import itertools
import json
import shutil
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.lexicon_wordnet import read_by_nltk
from benchmarks.measure import BenchmarkRow, Skipped, data_folder, timed
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.lexicon.wordnet.lesk import STOP_WORDS, choose_senses, contexts_of
from lexbeam.transforms.lexicon.wordnet.ragged import LEXNAME_PARTS, LEXNAMES, Ragged
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import DEBIAN

PAIRS = 64
SUMMARY, PASSAGE = 20, 400
REPEATS = 3
BOUND = 12.0


class AmbiguousWords(NamedTuple):
    """Pairs, and the words of their summaries that have several senses as noun or verb."""

    summaries: list[list[str]]
    passages: list[list[str]]
    owners: np.ndarray
    words: pa.Array
    senses: Ragged


def asked_of(wordnet: Any, pairs: int) -> AmbiguousWords:
    """Return pairs made of WordNet's examples."""
    examples = pc.list_flatten(wordnet.examples(np.arange(len(wordnet)))).to_pylist()
    drawn = np.random.default_rng(1).integers(0, len(examples), 120 * pairs)
    words = [word for row in drawn for word in examples[row].split()]
    size = SUMMARY + PASSAGE
    texts = [words[at * size : (at + 1) * size] for at in range(pairs)]
    return asked_in(wordnet, [text[:SUMMARY] for text in texts], [text[SUMMARY:] for text in texts])


def real_pairs(pairs: int) -> tuple[list[list[str]], list[list[str]]] | None:
    """Return the words of summaries and passages of ReCAM, half of each task; None where it is not there."""
    folder = data_folder()
    if folder is None:
        return None
    files = [folder / "recam" / f"{task}.jsonl" for task in ("Task_1_Imperceptibility", "Task_2_Nonspecificity")]
    if not all(file.exists() for file in files):
        return None
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()[: pairs // 2]]
    filled = [row["question"].replace("@placeholder", row[f"option_{row['label']}"]) for row in rows]
    return [text.split() for text in filled], [row["article"].split() for row in rows]


def asked_in(wordnet: Any, summaries: list[list[str]], passages: list[list[str]]) -> AmbiguousWords:
    """Return pairs, and the words of their summaries that have several senses."""
    owners = np.repeat(np.arange(len(summaries)), list(map(len, summaries)))
    flat = pc.utf8_lower(pa.array([word.strip(".,;:!?") for text in summaries for word in text]))
    nouns, verbs = wordnet.morphy(flat, "n"), wordnet.morphy(flat, "v")
    base = pc.coalesce(nouns, verbs)
    parts = pc.if_else(pc.is_valid(nouns), "n", pc.if_else(pc.is_valid(verbs), "v", "r"))
    tags = pc.replace_substring_regex(parts, "r", "DET")
    senses = wordnet.senses_of(base, tags)
    several = senses.lengths() > 1
    choices = senses.keep(several[senses.owners()])
    offsets = np.append(choices.offsets[:-1][several], choices.offsets[-1])
    return AmbiguousWords(summaries, passages, owners[several], base.filter(several), Ragged(offsets, choices.values))


def ours(wordnet: Any, asked: AmbiguousWords) -> np.ndarray:
    """Return the number of the sense of each word."""
    kind = pa.list_(pa.string())
    texts = [pa.array(asked.summaries, kind), pa.array(asked.passages, kind)]
    chosen = choose_senses(wordnet, contexts_of(wordnet, texts), asked.owners, [asked.words], asked.senses)
    return wordnet.sense_numbers(chosen)


class OnObjects:
    """The same scoring on nltk's synsets, with what was asked before at hand."""

    def __init__(self, theirs: Any, wordnet: Any, asked: AmbiguousWords, *, keep: bool) -> None:
        self._keep = keep
        texts = [*asked.words.to_pylist(), *STOP_WORDS]
        texts += [word for text in (*asked.summaries, *asked.passages) for word in text]
        self._words = _lemmatised(wordnet, list(dict.fromkeys(texts)))
        self._of = _glosses(wordnet)
        self._around: dict[Any, list[Any]] = {}
        self._stop = {lemma for word in STOP_WORDS for lemma in self._words[word]}

    def _gloss(self, synset: Any) -> tuple[str, ...]:
        return self._of[synset.pos(), synset.offset()]

    def _extended(self, synset: Any) -> list[Any]:
        if synset in self._around:
            return self._around[synset]
        near = [
            synset,
            *synset.hypernyms(),
            *synset.instance_hypernyms(),
            *synset.hyponyms(),
            *synset.instance_hyponyms(),
            *synset.member_holonyms(),
            *synset.substance_holonyms(),
            *synset.part_holonyms(),
            *synset.member_meronyms(),
            *synset.substance_meronyms(),
            *synset.part_meronyms(),
            *synset.similar_tos(),
            *synset.also_sees(),
        ]
        for lemma in synset.lemmas():
            near += [similar.synset() for similar in lemma.also_sees()]
            near += [similar.synset() for similar in lemma.derivationally_related_forms()]
        near = list(dict.fromkeys(near))
        if self._keep:
            self._around[synset] = near
        return near

    def choose(self, texts: Sequence[Sequence[str]], word: str, synsets: Sequence[Any]) -> int:
        """Return the place of the sense of a word in texts, from 1."""
        target_words = set(self._words[word])
        pieces: list[list[str]] = [[]]
        for text in texts:
            for token in text:
                for base in self._words[token]:
                    if base in target_words or not base:
                        pieces.append([])
                    else:
                        pieces[-1].append(base)
            pieces.append([])
        places: dict[str, list[tuple[list[str], int]]] = {}
        for piece in pieces:
            for at, base in enumerate(piece):
                places.setdefault(base, []).append((piece, at))
        scores = [sum(self._score(self._gloss(near), places) for near in self._extended(synset)) for synset in synsets]
        return scores.index(max(scores)) + 1

    def _score(self, gloss: tuple[str, ...], places: dict[str, list[tuple[list[str], int]]]) -> int:
        total = before = 0
        for at, word in enumerate(gloss):
            longest = 0
            for piece, place in places.get(word, ()):
                length = 1
                while (
                    at + length < len(gloss)
                    and place + length < len(piece)
                    and gloss[at + length] == piece[place + length]
                ):
                    length += 1
                longest = max(longest, length)
            if longest and longest >= before and not self._all_stop(gloss[at : at + longest]):
                total += longest * longest
            before = longest
        return total

    def _all_stop(self, phrase: Iterable[str]) -> bool:
        return all(word in self._stop for word in phrase)


def _lemmatised(wordnet: Any, texts: list[str]) -> dict[str, tuple[str, ...]]:
    """Return the words of each text as definitions have them, "" where none has one."""
    rows = wordnet.glosses.rows(pa.array(texts))
    words = wordnet.glosses.words(rows.values).fill_null("").to_pylist()
    bounds = rows.offsets.tolist()
    return {text: tuple(words[begin:end]) for text, begin, end in zip(texts, bounds, bounds[1:], strict=False)}


def _glosses(wordnet: Any) -> dict[tuple[str, int], tuple[str, ...]]:
    """Return the words of definitions by part of speech and offset."""
    rows = np.arange(len(wordnet))
    texts = wordnet.glosses.of(rows)
    words = wordnet.glosses.words(texts.values).to_pylist()
    bounds = texts.offsets.tolist()
    keys = zip(wordnet.types(rows).to_pylist(), wordnet.offsets(rows).tolist(), strict=True)
    return {key: tuple(words[begin:end]) for key, begin, end in zip(keys, bounds, bounds[1:], strict=False)}


def on_objects(objects: OnObjects, asked: AmbiguousWords, synsets: Sequence[Sequence[Any]]) -> list[int]:
    """Return the number of the sense of each word."""
    return [
        objects.choose([asked.summaries[owner], asked.passages[owner]], word, choices)
        for owner, word, choices in zip(asked.owners, asked.words.to_pylist(), synsets, strict=True)
    ]


def _synsets(theirs: Any, wordnet: Any, asked: AmbiguousWords) -> list[list[Any]]:
    """Return nltk's synsets of each word, in the order of our senses."""
    rows = wordnet.synset_of(asked.senses.values)
    pairs = zip(wordnet.types(rows).to_pylist(), wordnet.offsets(rows).tolist(), strict=True)
    synsets = [theirs.synset_from_pos_and_offset(*pair) for pair in pairs]
    bounds = asked.senses.offsets.tolist()
    return [synsets[begin:end] for begin, end in itertools.pairwise(bounds)]


def measure(folder: Path) -> list[BenchmarkRow]:
    """Return the rows; none where WordNet's files or nltk are not there."""
    if not Path(DEBIAN, "index.sense").exists():
        raise Skipped(f"needs {DEBIAN} (wordnet-base, wordnet-sense-index)")
    options = LexiconOptions(resources=("wordnet=wordnet",), cache=str(folder / "cache"))
    wordnet: Any = prepare(options).held[0].open()
    by_name = {f"pairs of {SUMMARY + PASSAGE} words": asked_of(wordnet, PAIRS)}
    if real := real_pairs(PAIRS):
        by_name["ReCAM's pairs"] = asked_in(wordnet, *real)
    rows = []
    for name, asked in by_name.items():
        ours(wordnet, asked)
        seconds = [timed(lambda: ours(wordnet, asked), time.process_time) for _ in range(REPEATS)]  # noqa: B023
        note = f"{len(asked.words)} words of several senses in {PAIRS} pairs"
        rows.append(
            BenchmarkRow(f"adapted Lesk, {name}", PAIRS / statistics.median(seconds), 100, False, "pairs/s", note)
        )
        alone = [
            asked_in(wordnet, [words], [text]) for words, text in zip(asked.summaries, asked.passages, strict=True)
        ]
        slow = timed(lambda: [ours(wordnet, one) for one in alone], time.process_time)  # noqa: B023
        rows.append(BenchmarkRow("  one pair at a time", PAIRS / slow, 50, False, "pairs/s"))
    if importlib.util.find_spec("nltk") is None:
        print("cloze_lesk: not measured beside nltk, which is not installed")
        return rows
    copied = folder / "nltk"  # it refuses links
    shutil.copytree(DEBIAN, copied)
    lines = (f"{number:02d}\t{name}\t{LEXNAME_PARTS[name.partition('.')[0]]}\n" for number, name in enumerate(LEXNAMES))
    (copied / "lexnames").write_text("".join(lines))
    theirs = read_by_nltk(str(copied))
    for name, asked in by_name.items():
        rows += beside_nltk(theirs, wordnet, asked, name)
    return rows


def beside_nltk(theirs: Any, wordnet: Any, asked: AmbiguousWords, pairs: str) -> list[BenchmarkRow]:
    """Return the rows of how much faster ours is, with and without the synsets around each one kept."""
    rows = []
    synsets = _synsets(theirs, wordnet, asked)
    for keep in (False, True):
        objects = OnObjects(theirs, wordnet, asked, keep=keep)
        chosen = on_objects(objects, asked, synsets)  # which warms the caches
        same = chosen == ours(wordnet, asked).tolist()
        found = []
        for _ in range(REPEATS):
            mine = timed(lambda: ours(wordnet, asked), time.process_time)
            there = timed(lambda: on_objects(objects, asked, synsets), time.process_time)  # noqa: B023
            found.append(there / mine)
        name = f"{pairs} on nltk's objects, caches warm, over ours"
        name += ", what is around synsets kept" if keep else ""
        note = ", ".join(f"{value:.1f}" for value in found)
        rows += [
            BenchmarkRow(name, statistics.median(found), BOUND, False, "x", f"all runs: {note}"),
            BenchmarkRow("  and the same senses are chosen", float(same), 1, False, ""),
        ]
    return rows


if __name__ == "__main__":
    sys.exit("run it by `python -m benchmarks cloze_lesk`")
