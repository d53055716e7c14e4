"""How unexpected the target is after the words before it, by a trigram model that leaves its sentence out.

Words are the tokens that have a letter or a digit, in lower case; two marks of the beginning stand
before a sentence, and its end is no event. With c the counts, k = 1, 2, 3 the words of an n-gram,

    p_k(w | h) = (c(h w) + m_k(c(h)) * p_(k-1)(w | h without its first word)) / (c(h) + m_k(c(h)))

where p_0 is the word's share in its language at large (wordfreq, 10^-9 for a word that it does not
have), and m_k(c) = 1 + a_k * c^.75. With a constant m this is the hierarchical Dirichlet language model
(MacKay and Peto 1995); with the number of different words after h it is Witten and Bell's (1991), and m
estimates that number from the uses of h, as Herdan's law does for a text. So the probability of a word
depends on the counts of its n-grams and of what stands before it, and on nothing else: only n-grams of
the sentences in question need be counted, and what a sentence itself contributed to each can be
subtracted, which gives the very model of all others. (For the number itself, as for Kneser-Ney, all
n-grams of a corpus would have to be kept.)

Counts are of a named reference corpus, or, without one, of the distinct sentences of all instances; the
instance's own sentence, and every copy of it, is left out.

N-grams are counted by keys, hashes of 64 bits: of a million wanted, one in a corpus of 10^8 words is taken for
another with probability .00003.

WantNgrams      a part of the instances -> keys to count for it
CountNgrams     a part of `sentences`, or of the instances, and what is wanted -> counts
CombineNgrams   the counts of all parts -> one table

Rows of counts are a key's number and a count. Without a corpus each language is counted for itself; a sentence that
stands in several parts is counted in the first.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.draws.by_content import GOLDEN, content_hashes, mix64
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import Part, read_rows, read_table, write_rows
from lexbeam.transforms.complexity.features.base import (
    Feature,
    FeatureGroup,
    FeatureSetting,
    Floats,
    InstanceBatch,
    Ints,
    NgramCounts,
    Values,
    known_tag,
    numbers,
    ratio,
    sums,
)
from lexbeam.transforms.complexity.features.word_forms import ZIPF, zipf_of
from lexbeam.transforms.corpora.annotated_corpora import SentencePart
from lexbeam.transforms.lexicon.compiled.word_keys import coded

Hashes = npt.NDArray[np.uint64]

ORDER = 3
# a_1, a_2, a_3, and the exponent: of several tried, those with low surprisal for sentences of CompLex,
# both by the other sentences (8.8 bits a word) and by novels (11.9).
MASS = (10.0, 4.0, 4.0)
GROWTH = 0.75
_MARKS = content_hashes(["\n", "\n\n"])  # no word is a line break
_START, _WHOLE = _MARKS[0], _MARKS[1]
_KINDS = content_hashes([f"{what} {size}" for size in range(ORDER) for what in ("after", "all")])


class Sequences(NamedTuple):
    """The words of sentences, one after the other.

    Attributes:
        sentences: their number.
        words: distinct words, in lower case.
        codes: the place of each word among them.
        owners: the sentence of each word, ascending.
        place: its place among the tokens of the sentence.
        salts: for each sentence a hash of its language, which keeps counts apart.
    """

    sentences: int
    words: pa.Array
    codes: Ints
    owners: Ints
    place: Ints
    salts: Hashes


def sequences_of(forms: pa.Array, languages: list[str] | None = None) -> Sequences:
    """Return the words of sentences.

    Args:
        forms: lists of tokens; null: a sentence without tokens.
        languages: of each sentence; None: n-grams of all are counted together.
    """
    count = len(forms)
    words, codes = coded(pc.utf8_lower(pc.list_flatten(forms)))
    owners = pc.list_parent_indices(forms).to_numpy().astype(np.int64)
    sizes = np.bincount(owners, minlength=count)
    place = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    is_word = pc.match_substring_regex(words, r"[\p{L}\p{N}]").to_numpy(zero_copy_only=False)
    in_words = np.append(is_word.astype(bool), False)[codes]
    salts = content_hashes([""] * count if languages is None else languages)
    return Sequences(count, words, codes[in_words], owners[in_words], place[in_words], salts)


def sequences_of_instances(rows: pa.Table, by_language: bool) -> Sequences:
    """Return the words of instances' sentences, of columns `forms` and `language`."""
    tags = [known_tag(tag) or "" for tag in rows["language"].to_pylist()]
    return sequences_of(rows["forms"].combine_chunks(), tags if by_language else None)


def keys_of(sequences: Sequences) -> Hashes:
    """Return the keys of each word's n-grams, and of what stands before it: shape (6, words).

    Rows 2 k - 2 and 2 k - 1 are of level k: the k - 1 words before it, and those with the word.
    """
    hashes = np.append(content_hashes(sequences.words), np.uint64(0))[sequences.codes]
    owners = sequences.owners
    chain = sequences.salts[owners]
    keys = np.empty((2 * ORDER, len(hashes)), np.uint64)
    for level in range(ORDER):
        # The words before it, the nearest last: each level chains one more, from the nearest on.
        if level:
            chain = mix64(chain + GOLDEN) + _before(hashes, owners, level)
        keys[2 * level] = mix64(chain ^ _KINDS[2 * level])
        keys[2 * level + 1] = mix64((mix64(chain + GOLDEN) + hashes) ^ _KINDS[2 * level + 1])
    return keys


def _before(hashes: Hashes, owners: Ints, steps: int) -> Hashes:
    """Return the hash of the word so many steps before each, or of the mark of the beginning."""
    before = np.full(len(hashes), _START)
    same = owners[steps:] == owners[:-steps]
    before[steps:][same] = hashes[:-steps][same]
    return before


def sentence_keys(sequences: Sequences) -> Hashes:
    """Return a key of each sentence: the same words in the same order have the same; 0: no word."""
    hashes = np.append(content_hashes(sequences.words), np.uint64(0))[sequences.codes]
    sizes = np.bincount(sequences.owners, minlength=sequences.sentences)
    starts = np.cumsum(sizes) - sizes
    rank = (np.arange(len(hashes)) - np.repeat(starts, sizes)).astype(np.uint64)
    placed = mix64(mix64(hashes + GOLDEN) + rank * GOLDEN)
    sums = np.zeros(sequences.sentences, np.uint64)
    filled = np.flatnonzero(sizes)
    if len(filled):
        sums[filled] = np.add.reduceat(placed, starts[filled])
    mixed = mix64(mix64(sums ^ _WHOLE) + sequences.salts)
    return np.where(sizes > 0, mixed, np.uint64(0))


def added(keys: Hashes, wanted: Hashes) -> Ints:
    """Return how often each wanted key occurs among keys; `wanted` ascends, without repeats."""
    place = np.searchsorted(wanted, keys)
    inside = place < len(wanted)
    place, keys = place[inside], keys[inside]
    return np.bincount(place[wanted[place] == keys], minlength=len(wanted)).astype(np.int64)


def uses_in_sentence(keys: Hashes, owners: Ints) -> Ints:
    """Return how often each key occurs in its own sentence, shape of `keys`."""
    distinct, codes = np.unique(keys, return_inverse=True)
    pairs = np.broadcast_to(owners, keys.shape).ravel() * max(len(distinct), 1) + codes.ravel()
    _, places, uses = np.unique(pairs, return_inverse=True, return_counts=True)
    return np.asarray(uses[places].reshape(keys.shape), np.int64)


class Surprisal(NamedTuple):
    """Surprisal of words, -log2 of their probability, in bits.

    Attributes:
        after: given the words before it (k = 3).
        alone: by the words' frequency (k = 1).
    """

    after: Floats
    alone: Floats


def surprisal(uses: Ints, in_sentence: Ints, copies: Ints, base: Floats, mass: tuple[float, ...] = MASS) -> Surprisal:
    """Return the surprisal of words under the model of all sentences but their own.

    Args:
        uses: the counts of their keys, as `keys_of` returns them, shape (6, words).
        in_sentence: how many of these are in one copy of their own sentence.
        copies: how many of the counted sentences are the same as their own, shape (words,).
        base: p_0 of each, shape (words,); NaN where it is not known.
        mass: a_1, a_2, a_3.

    Returns:
        Bits, 0 and up; NaN where p_0 is NaN.
    """
    left = (uses - in_sentence * copies).astype(np.float64)
    bits = []
    below = base
    for level, factor in enumerate(mass):
        before = left[2 * level]
        weight = 1 + factor * before**GROWTH
        below = (left[2 * level + 1] + weight * below) / (before + weight)
        bits.append(-np.log2(below))
    return Surprisal(bits[-1], bits[0])


_LEAST = 1e-9  # of a word that wordfreq does not have: Zipf 0


def _columns(_: FeatureSetting) -> Sequence[Feature]:
    def of(name: str, doc: str, range: str = "0 and up") -> Feature:
        return Feature(name, doc, range, "bits", "trigram model without the sentence (after MacKay and Peto 1995)")

    return (
        of("surprisal", "-log2 of the target's probability after the two words before it, mean over its words"),
        of(
            "surprisal_context",
            "bits by which these words make it less surprising than its frequency in the model does, likewise",
            "any number",
        ),
        of("surprisal_next", "-log2 of the probability of the word behind the target; null at the end"),
        of("surprisal_sentence", "mean surprisal of the sentence's other words"),
    )


def _of_instances(batch: InstanceBatch, setting: FeatureSetting) -> Values:
    counts = setting.ngrams
    if counts is None:
        return {}
    rows = batch.rows
    words = sequences_of_instances(rows, counts.of_instances)
    keys = keys_of(words)
    copies = counts.look_up(sentence_keys(words))[words.owners]
    in_sentence = uses_in_sentence(keys, words.owners)
    base = _base(words, rows["language"].to_pylist(), setting)
    bits = surprisal(counts.look_up(keys), in_sentence, copies, base)
    start = numbers(rows["position"])
    end = start + numbers(rows["tokens"])
    begin, after = start[words.owners], end[words.owners]
    inside = (words.place >= begin) & (words.place < after)  # false for NaN
    # The first word behind the target: marks in between are no words.
    following = np.zeros(len(inside), bool)
    behind = np.flatnonzero(words.place >= after)
    following[behind[np.unique(words.owners[behind], return_index=True)[1]]] = True

    def mean(values: Floats, mask: np.ndarray) -> Floats:
        number = sums(words.owners[mask], words.sentences)
        total = sums(words.owners[mask], words.sentences, values[mask])
        return ratio(total, number)

    return {
        "surprisal": mean(bits.after, inside),
        "surprisal_context": mean(bits.alone - bits.after, inside),
        "surprisal_next": mean(bits.after, following),
        "surprisal_sentence": mean(bits.after, ~inside),
    }


def _base(words: Sequences, languages: Sequence[str | None], setting: FeatureSetting) -> Floats:
    """Return the share of each word in its language; NaN for unknown languages."""
    base = np.full(len(words.codes), np.nan)
    tags = [known_tag(tag) for tag in languages]
    for tag in sorted({tag for tag in tags if tag}):
        if setting.lexicon.find(ZIPF, tag) is None:
            continue
        zipf = zipf_of(words.words, tag, setting)
        share = np.where(np.isnan(zipf), _LEAST, 10 ** (zipf - 9))
        of_tag = np.array([language == tag for language in tags], bool)[words.owners]
        base[of_tag] = share[words.codes[of_tag]]
    return base


SURPRISAL = FeatureGroup(
    _columns,
    of_instances=_of_instances,
    default_needs="corpus",
    doc="how unexpected the target is in its sentence, under an n-gram model",
)


_KEYS = pa.schema([("key", pa.uint64())])
_COUNTS = pa.schema([("key", pa.uint64()), ("uses", pa.int64())])


@dataclass(frozen=True)
class WantedNgrams:
    """Receipt of a part of the instances: keys to count, and those of its sentences."""

    keys: File
    sentences: File


@dataclass(frozen=True)
class CountedNgrams:
    """Receipt: counts, and whether they are of the instances' own sentences."""

    file: File
    of_instances: bool


class NgramTask(NamedTuple):
    """What to count in a part.

    Attributes:
        part: of `sentences`, or of the instances.
        wanted: keys.
        before: keys of the sentences of earlier parts of the instances. None: `part` is of a reference
            corpus.
    """

    part: Part | SentencePart
    wanted: tuple[File, ...]
    before: tuple[File, ...] | None


def _write(
    artefact: Artefact, suffix: str, schema: pa.Schema, columns: Sequence[pa.ChunkedArray | Hashes | Ints]
) -> File:
    with artefact.writing(suffix) as stream:
        write_rows(stream, schema, [pa.table(list(columns), schema=schema)])
    return artefact.file(suffix)


def _read(files: Sequence[File]) -> Hashes:
    """Return the distinct keys of files, ascending."""
    keys = [read_table([checked(file)])["key"].to_numpy() for file in files]
    return np.unique(np.concatenate([np.empty(0, np.uint64), *keys]))


@dataclass(frozen=True)
class WantNgrams(Step[Part, WantedNgrams]):
    """List the keys to count for a part of the instances, of each language for itself or of all together."""

    by_language: bool

    name = "complexity/want_ngrams"
    noun = "counts of words"
    unit = "lists of n-grams"

    def make(self, artefact: Artefact, task: Part) -> WantedNgrams:
        """Write the keys, and those of the sentences."""
        keys, sentences = np.empty(0, np.uint64), np.empty(0, np.uint64)
        for rows in _instances(task):
            sequences = sequences_of_instances(rows, self.by_language)
            whole = sentence_keys(sequences)
            sentences = np.union1d(sentences, whole[whole != 0])
            keys = np.union1d(keys, keys_of(sequences))
        return WantedNgrams(
            _write(artefact, ".keys.parquet", _KEYS, [np.union1d(keys, sentences)]),
            _write(artefact, ".sentences.parquet", _KEYS, [sentences]),
        )


def _instances(part: Part | SentencePart) -> Iterator[pa.Table]:
    return read_rows([checked(part)], ["language", "forms"])


def ngram_tasks(
    part: Part | SentencePart, wanted: Iterable[tuple[int, WantedNgrams]]
) -> Iterator[tuple[int, NgramTask]]:
    """Yield the task of a part: what all parts of the instances want."""
    of_parts = list(wanted)
    before = None
    if isinstance(part, Part):
        before = _by_content(of.sentences for number, of in of_parts if number < part.number)
    yield 0, NgramTask(part, _by_content(of.keys for _, of in of_parts), before)


def _by_content(files: Iterable[File]) -> tuple[File, ...]:
    return tuple(sorted(files, key=attrgetter("sha256")))


@dataclass(frozen=True)
class CountNgrams(Step[NgramTask, CountedNgrams]):
    """Count n-grams and sentences in a part of a corpus or of the instances."""

    name = "complexity/count_ngrams"
    noun = "counts of words"
    unit = "parts"

    def make(self, artefact: Artefact, task: NgramTask) -> CountedNgrams:
        """Write the counts of wanted keys."""
        wanted = _read(task.wanted)
        uses = np.zeros(len(wanted), np.int64)
        for sequences, keys in _in_corpus(task) if task.before is None else _in_instances(task):
            uses += added(keys_of(sequences).ravel(), wanted) + added(keys, wanted)
        there = uses > 0
        file = _write(artefact, ".parquet", _COUNTS, [wanted[there], uses[there]])
        return CountedNgrams(file, task.before is not None)


def _in_corpus(task: NgramTask) -> Iterator[tuple[Sequences, Hashes]]:
    for rows in read_rows([checked(task.part)], ["forms"]):
        sequences = sequences_of(rows["forms"].combine_chunks())
        yield sequences, sentence_keys(sequences)


def _in_instances(task: NgramTask) -> Iterator[tuple[Sequences, Hashes]]:
    seen = _read(task.before or ())
    for rows in _instances(task.part):
        whole = sentence_keys(sequences_of_instances(rows, True))
        distinct, first = np.unique(whole, return_index=True)
        new = first[(distinct != 0) & ~np.isin(distinct, seen)]
        seen = np.union1d(seen, whole)
        new.sort()
        yield sequences_of_instances(rows.take(pa.array(new)), True), whole[new]


@dataclass(frozen=True)
class CombineNgrams(Step[Sequence[CountedNgrams], CountedNgrams]):
    """Sum the counts of all parts."""

    name = "complexity/combine_ngrams"
    noun = "counts of words"
    unit = "tables"

    def make(self, artefact: Artefact, task: Sequence[CountedNgrams]) -> CountedNgrams:
        """Write the sums."""
        rows = read_table([checked(part.file) for part in task])
        sums = pa.TableGroupBy(rows, ["key"]).aggregate([("uses", "sum")]).sort_by("key")
        file = _write(artefact, ".parquet", _COUNTS, [sums["key"], sums["uses_sum"]])
        return CountedNgrams(file, task[0].of_instances)


def open_ngrams(counted: CountedNgrams) -> NgramCounts:
    """Return counts, read into memory."""
    rows = read_table([checked(counted.file)])
    return NgramCounts(rows["key"].to_numpy(), rows["uses"].to_numpy(), counted.of_instances)
