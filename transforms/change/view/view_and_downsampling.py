"""The training view, from annotated sentences to the lists of words that embeddings learn from, and its downsampling.

In the order in which the corpora of SemEval-2020 Task 1 were made (Schlechtweg et al. 2020):
sentences are dealt to slices, short ones dropped, lemmas or forms normalised, targets joined with
their part of speech, punctuation removed. The order of training is that of
`ViewBatch.key`. A batch of sentences comes as Arrow columns; each distinct word in it is
looked at once in Python, everything else is arithmetic on arrays.

Downsampling keeps all sentences of a slice with a target, and a random sample of the others. So the
larger corpora of SemEval-2020 Task 1 were made. Nothing is sorted: every sentence has a
random number of its own (see `sentence_keys`), the tokens are counted in bins of it, and the
sentences below the bin where the budget ends are kept.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.change.view.slices import Slice
from lexbeam.transforms.change.view.words import NO_TAG, ViewOptions, ViewTargets, is_word, normalise_word, tag_codes
from lexbeam.transforms.common.draws.by_content import GOLDEN, mix64
from lexbeam.transforms.common.errors import UsageError

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Keys = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]
Tags = npt.NDArray[np.uint8]

LONGEST_SENTENCE = 10_000  # gensim silently drops what comes after
CACHE_WORDS = 1 << 20


class ViewBatch(NamedTuple):
    """Sentences of the view, one row each, in the order of the input, and what was left out.

    Attributes:
        slice: index of the slice, int64.
        key: uint64 that orders the sentences for training; the pieces of a split sentence share
            one, so sort by (key, document_id, sentence) and stably.
        document: document ids, dictionary of strings.
        sentence: ordinals within the document, int32.
        target: whether the sentence holds a target.
        words: list<dictionary<int32, string>>, no list empty or over `LONGEST_SENTENCE`.
        tags: per word of `words.flatten()`, the number of its tag, see `tags`; None where no
            sentence of the batch is tagged, NO_TAG for untagged sentences where some are.
        tagged: whether the sentence is tagged.
        tokens_before: per slice, tokens before any filter, int64.
        short: per slice, sentences dropped as too short or as holding no word, int64.
        short_tokens: per slice, tokens of these, punctuation included, int64.
        split: per slice, sentences split, int64.
        inside: per slice, ids of its documents, each once, before any filter.
        outside: ids of the documents in no slice, each once, in order of appearance.
    """

    slice: Ints
    key: Keys
    document: pa.DictionaryArray
    sentence: Codes
    target: Flags
    words: pa.ListArray
    tags: Tags | None
    tagged: Flags
    tokens_before: Ints
    short: Ints
    short_tokens: Ints
    split: Ints
    inside: list[list[str]]
    outside: list[str]


def columns_needed(options: ViewOptions) -> list[str]:
    """Return the columns of table sentences that `derive` reads."""
    return ["document_id", "sentence", "year", _unit(options), "upos"]


def _unit(options: ViewOptions) -> str:
    return "lemmas" if options.unit == "lemma" else "forms"


def sentence_keys(documents: pa.DictionaryArray, sentences: npt.ArrayLike, seed: int) -> Keys:
    """Return a uint64 per sentence from (seed, document id, sentence), the same anywhere.

    The key of sentence i is output i of SplitMix64 started at BLAKE2b(`seed:document_id`).
    """
    digests = b"".join(
        hashlib.blake2b(f"{seed}:{document}".encode(), digest_size=8).digest()
        for document in documents.dictionary.to_pylist()
    )
    starts = np.frombuffer(digests, "<u8").astype(np.uint64)[_numpy(documents.indices)]
    return mix64(starts + (np.asarray(sentences).astype(np.uint64) + np.uint64(1)) * GOLDEN)


def derive(table: pa.Table, slices: Sequence[Slice], targets: ViewTargets, options: ViewOptions) -> ViewBatch:
    """Return the training view of a batch of sentences, before downsampling.

    Args:
        table: rows of table sentences, with the `columns_needed`.
        slices: slices in the order of time.
        targets: target words, perhaps none.
        options: how words are made and which sentences are kept.

    Raises:
        UsageError: a sentence lacks the lemmas, forms or parts of speech that the options need.
    """
    table, place, outside = _within_slices(table.select(columns_needed(options)).combine_chunks(), slices)
    _require(table, _unit(options), "choose the other `unit`, or annotate with another engine")
    if targets.needs_upos:
        _require(table, "upos", "targets with _nn, _vb or _jj need an engine with a tagger")

    tokens = _column(table, _unit(options))
    all_lengths = _numpy(tokens.value_lengths())
    codes, vocabulary = _map_words(tokens.flatten(), options)
    tags = _tags(_column(table, "upos"), all_lengths)
    codes, vocabulary = _join_targets(codes, vocabulary, tags, targets)

    row = np.repeat(np.arange(len(place)), all_lengths)
    word_lengths = np.bincount(row[codes >= 0], minlength=len(place))
    counted = all_lengths if options.length_counts == "all" else word_lengths
    long_enough = (counted >= options.min_sentence) & (word_lengths > 0)
    words = pa.array(vocabulary, pa.string())
    holds_target = np.zeros(len(place), dtype=bool)
    holds_target[row[_are_targets(codes, words, targets)]] = True

    take = (codes >= 0) & long_enough[row]
    rows, offsets, split = _pieces(np.flatnonzero(long_enough), word_lengths)
    document = _column(table, "document_id").dictionary_encode()
    sentence = _numpy(_column(table, "sentence"))
    return ViewBatch(
        slice=place[rows],
        key=sentence_keys(document, sentence, options.seed)[rows],
        document=document.take(pa.array(rows)),
        sentence=sentence[rows],
        target=holds_target[rows],
        words=pa.ListArray.from_arrays(
            pa.array(offsets, pa.int32()), pa.DictionaryArray.from_arrays(pa.array(codes[take], pa.int32()), words)
        ),
        tags=None if tags is None else tags[take],
        tagged=_numpy(_column(table, "upos").is_valid())[rows],
        tokens_before=_per_slice(place, slices, all_lengths),
        short=_per_slice(place[~long_enough], slices),
        short_tokens=_per_slice(place[~long_enough], slices, all_lengths[~long_enough]),
        split=_per_slice(place[split], slices),
        inside=[_documents(table, place == index) for index in range(len(slices))],
        outside=outside,
    )


def _within_slices(table: pa.Table, slices: Sequence[Slice]) -> tuple[pa.Table, Ints, list[str]]:
    """Return the rows of years in some slice, their slices, and the ids of the documents that are left out."""
    place = _slice_indices(_column(table, "year"), slices)
    outside = _documents(table, place < 0)
    if outside:
        table = table.filter(pa.array(place >= 0)).combine_chunks()
        place = place[place >= 0]
    return table, place, outside


def _pieces(rows: Ints, lengths: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the row of each piece, where pieces begin and end among all words, and the rows that are split."""
    pieces = -(-lengths[rows] // LONGEST_SENTENCE)
    return np.repeat(rows, pieces), _offsets(lengths[rows], pieces), rows[pieces > 1]


def _are_targets(codes: npt.NDArray[np.int32], words: pa.Array, targets: ViewTargets) -> Flags:
    """Return for each token, given as a place in `words` or a negative number, whether it is a target."""
    is_target = _numpy(pc.is_in(words, value_set=pa.array(targets.words, pa.string())))
    return np.append(is_target, False)[np.where(codes >= 0, codes, -1)]


def _documents(table: pa.Table, rows: Flags) -> list[str]:
    """Return the ids of the documents that some rows are of, each once, in order of appearance."""
    return list(pc.unique(_column(table, "document_id").filter(pa.array(rows))).to_pylist())


def _column(table: pa.Table, name: str) -> pa.Array:
    column = table.column(name)
    return column.chunk(0) if column.num_chunks else pa.array([], column.type)


def _numpy(array: pa.Array) -> npt.NDArray[Any]:
    return np.asarray(array.to_numpy(zero_copy_only=False))


def _per_slice(place: Ints, slices: Sequence[Slice], weights: Ints | None = None) -> Ints:
    return np.bincount(place, weights, minlength=len(slices)).astype(np.int64)


def _slice_indices(years: pa.Array, slices: Sequence[Slice]) -> Ints:
    """Return each year's slice, -1 where the year is null or in none."""
    lowest, highest = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    starts = np.array([lowest if s.start is None else s.start for s in slices], np.int64)
    ends = np.array([highest if s.end is None else s.end for s in slices], np.int64)
    values = _numpy(years.fill_null(0)).astype(np.int64)
    place = np.searchsorted(starts, values, side="right") - 1
    inside = (place >= 0) & (values <= ends[place]) & _numpy(years.is_valid())
    return np.where(inside, place, -1)


def _require(table: pa.Table, name: str, remedy: str) -> None:
    missing = _column(table, name).is_null()
    if missing.true_count:
        documents = _column(table, "document_id").filter(missing)
        raise UsageError(
            f"{missing.true_count} sentences have no {name}, the first in document {documents[0].as_py()}: {remedy}"
        )


def _map_words(tokens: pa.Array, options: ViewOptions) -> tuple[Codes, list[str]]:
    """Return each token's place in the list of words, -1 for punctuation, and that list."""
    encoded = tokens if pa.types.is_dictionary(tokens.type) else tokens.dictionary_encode()
    clean = _cleaner(options)
    places: dict[str, int] = {}
    mapping = np.full(len(encoded.dictionary) + 1, -1, np.int32)  # the last one is for nulls
    for number, text in enumerate(encoded.dictionary.to_pylist()):
        word = clean(text) if text else ""
        if word:
            mapping[number] = places.setdefault(word, len(places))
    return mapping[_numpy(encoded.indices.fill_null(len(mapping) - 1))], list(places)


_CLEANERS: dict[ViewOptions, Callable[[str], str]] = {}


def _cleaner(options: ViewOptions) -> Callable[[str], str]:
    """Return a function from token to word, empty for punctuation, that remembers its answers."""
    if options not in _CLEANERS:
        known: dict[str, str] = {}

        def clean(text: str) -> str:
            word = known.get(text)
            if word is None:
                word = normalise_word(text, options)
                word = word if is_word(word) else ""
                if len(known) >= CACHE_WORDS:
                    known.clear()
                known[text] = word
            return word

        _CLEANERS[options] = clean
    return _CLEANERS[options]


def _tags(upos: pa.Array, lengths: Ints) -> Tags | None:
    """Return the number of each token's tag; None if no sentence is tagged."""
    if upos.null_count == len(upos):
        return None
    tags = np.full(int(lengths.sum()), NO_TAG, np.uint8)
    tags[np.repeat(_numpy(upos.is_valid()), lengths)] = tag_codes(upos.flatten())
    return tags


def _join_targets(
    codes: Codes, vocabulary: list[str], tags: Tags | None, targets: ViewTargets
) -> tuple[Codes, list[str]]:
    if tags is None or not targets.joined or not vocabulary:
        return codes, vocabulary
    places = {word: place for place, word in enumerate(vocabulary)}
    table = np.full((len(vocabulary), NO_TAG + 1), -1, np.int32)
    for bare, tag, word in targets.joined:
        if bare in places:
            table[places[bare], UPOS.index(tag)] = places.setdefault(word, len(places))
    joins = np.asarray((table >= 0).any(axis=1))
    affected = np.flatnonzero(joins[codes] & (codes >= 0))
    joined = table[codes[affected], tags[affected]]
    codes[affected] = np.where(joined >= 0, joined, codes[affected])
    return codes, list(places)


def _offsets(lengths: Ints, pieces: Ints) -> Ints:
    """Return list offsets where each length is cut into its number of pieces."""
    starts = np.cumsum(lengths) - lengths
    first = np.cumsum(pieces) - pieces
    within = np.arange(int(pieces.sum())) - np.repeat(first, pieces)
    return np.append(np.repeat(starts, pieces) + within * LONGEST_SENTENCE, lengths.sum())


BINS = 4_096
_SHIFT = np.uint64(52)


def token_histogram(
    keys: npt.NDArray[np.uint64], lengths: npt.NDArray[np.int64], targets: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int64], int]:
    """Return tokens of the sentences without a target by bin, and tokens of those with one.

    Args:
        keys: the sentences' keys.
        lengths: words in each.
        targets: whether it holds a target.

    Returns:
        int64 of shape (`BINS`,) and a number; both are summed over the parts of a slice.
    """
    free = ~targets
    tokens = np.bincount(_bins(keys[free]), lengths[free], minlength=BINS)
    return tokens.astype(np.int64), int(lengths[targets].sum())


def _bins(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    # Mixed anew, for what is kept must not come first in the order of training, which is that of
    # the keys: the other sentences with a target would come last.
    return (mix64(keys) >> _SHIFT).astype(np.int64)


def threshold(histogram: npt.NDArray[np.int64], target_tokens: int, budget: int | None) -> int:
    """Return how many bins are kept: the most that stay within the budget of tokens.

    `BINS`, which keeps all, where the budget is None or large enough; 0 where the sentences with
    a target use it up (they are kept even above it).
    """
    if budget is None:
        return BINS
    return int(np.searchsorted(target_tokens + np.cumsum(histogram), budget, side="right"))


def keep_mask(keys: npt.NDArray[np.uint64], targets: npt.NDArray[np.bool_], limit: int) -> npt.NDArray[np.bool_]:
    """Return which sentences are kept: those with a target, and those in a bin below `limit`."""
    return targets | (_bins(keys) < limit)
