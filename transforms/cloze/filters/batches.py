"""Pairs in batches: their tokens in flat arrays, words as numbers."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.texts.characters import straight
from lexbeam.transforms.lexicon.compiled.casing import coded

# What is read of `cloze/pairs`.
COLUMNS = (
    "pair_id",
    "article_id",
    "language",
    "targets",
    "summary",
    "passage",
    *(
        f"{side}_{name}"
        for side in ("summary", "passage")
        for name in ("forms", "lemmas", "upos", "starts", "ends", "sentences")
    ),
)

_PAIRS = 64
_WORD = r"[\p{L}\p{N}]"


class SideTokens(NamedTuple):
    """The tokens of all summaries, or of all passages.

    Attributes:
        bounds: where the tokens of each pair begin, and one end, int64.
        owners: the pair of each token.
        forms: as they stand, large_string.
        lemmas: null where there is no annotation.
        upos: null where there is no annotation.
        form: the place of each form in `PairBatch.distinct`.
        folded: its number without regard to case; equal forms and lemmas have one.
        lemma: that of its lemma, of its form where there is none.
        words: which tokens have a letter or digit.
    """

    bounds: np.ndarray
    owners: np.ndarray
    forms: pa.Array
    lemmas: pa.Array
    upos: pa.Array
    form: np.ndarray
    folded: np.ndarray
    lemma: np.ndarray
    words: np.ndarray


class PairBatch(NamedTuple):
    """A batch of pairs.

    Attributes:
        rows: rows of `cloze/pairs`, with `COLUMNS`.
        summary: the tokens of the summaries.
        passage: the tokens of the passages.
        distinct: the different forms of both.
        folded: the different forms and lemmas without regard to case, large_string.
        asked: those tokens of the summaries that are words, rising.
    """

    rows: pa.Table
    summary: SideTokens
    passage: SideTokens
    distinct: pa.Array
    folded: pa.Array
    asked: np.ndarray

    def codes(self, words: pa.Array) -> np.ndarray:
        """Return the numbers of words in lower case, -1 where no text has them."""
        places = pc.index_in(words.cast(pa.large_string()), value_set=self.folded)
        return np.asarray(places.fill_null(-1).to_numpy(zero_copy_only=False), np.int64)


def batches_of(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield rows of `cloze/pairs` in batches that depend on the rows alone.

    A batch ends behind the pairs of an article, which stand next to one another.
    """
    left: pa.Table | None = None
    for table in tables:
        table = table if left is None else pa.concat_tables([left, table])
        start = 0
        while (stop := _end(table, start)) < table.num_rows:
            yield table.slice(start, stop - start).combine_chunks()
            start = stop
        left = table.slice(start)
    if left is not None and left.num_rows:
        yield left.combine_chunks()


def _end(table: pa.Table, start: int) -> int:
    stop, rows = start + _PAIRS, int(table.num_rows)
    if stop >= rows:
        return rows
    last = table["article_id"][stop - 1].as_py()
    while stop < rows and table["article_id"][stop].as_py() == last:
        stop += 1
    return stop


def batch_of(rows: pa.Table) -> PairBatch:
    """Return rows of `cloze/pairs`, with `COLUMNS`, as flat arrays."""
    flat: dict[tuple[str, str], Any] = {}
    for side in ("summary", "passage"):
        lists = rows[f"{side}_forms"].combine_chunks()
        lengths = np.asarray(pc.list_value_length(lists).fill_null(0)).astype(np.int64)
        for name in ("forms", "lemmas", "upos"):
            tokens = rows[f"{side}_{name}"].combine_chunks()
            flat[side, name] = _flat(tokens, lengths)
        flat[side, "lengths"] = lengths
    forms = [flat[side, "forms"] for side in ("summary", "passage")]
    lemmas = [flat[side, "lemmas"] for side in ("summary", "passage")]
    distinct, form = coded(pa.concat_arrays(forms))
    known, lemma = coded(pa.concat_arrays(lemmas))
    texts = [straight(text.casefold()) for text in [*distinct.to_pylist(), *known.to_pylist()]]
    folded, of = coded(pa.array(texts, pa.large_string()))
    by_form = of[: len(distinct)][form]
    by_lemma = np.append(of[len(distinct) :], -1)[lemma]
    by_lemma = np.where(by_lemma < 0, by_form, by_lemma)
    spelled = pc.match_substring_regex(distinct, _WORD).to_numpy(zero_copy_only=False)[form]
    sides = []
    first = 0
    for side in ("summary", "passage"):
        lengths = flat[side, "lengths"]
        span = slice(first, first + int(lengths.sum()))
        first = span.stop
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        owners = np.repeat(np.arange(len(lengths)), lengths)
        texts_of = {name: flat[side, name] for name in ("forms", "lemmas", "upos")}
        sides.append(
            SideTokens(
                bounds=bounds,
                owners=owners,
                **texts_of,
                form=form[span],
                folded=by_form[span],
                lemma=by_lemma[span],
                words=spelled[span],
            )
        )
    summary, passage = sides
    return PairBatch(rows, summary, passage, distinct, folded, np.flatnonzero(summary.words))


def _flat(lists: pa.Array, lengths: np.ndarray) -> pa.Array:
    """Return the tokens of all lists; a list that is null has as many nulls as there are tokens."""
    flat = pc.list_flatten(lists).cast(pa.large_string())
    if not lists.null_count:
        return flat
    there = np.repeat(lists.is_valid().to_numpy(zero_copy_only=False), lengths)
    places = np.where(there, np.cumsum(there) - 1, -1)
    return flat.take(pa.array(places, mask=~there))


class TokenPlaces:
    """Where numbers stand in the tokens of each pair."""

    def __init__(self, codes: np.ndarray, owners: np.ndarray, size: int) -> None:
        self._size = size
        keys = owners * size + codes
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def find(self, owners: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs of number and token that are equal: places in `codes`, and tokens.

        Args:
            owners: in whose tokens to look.
            codes: what to look for; negative ones are not found.
        """
        keys = owners * self._size + codes
        starts = np.searchsorted(self._keys, keys)
        ends = np.where(codes < 0, starts, np.searchsorted(self._keys, keys, side="right"))
        lengths = ends - starts
        asked = np.repeat(np.arange(len(codes)), lengths)
        within = np.arange(len(asked)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return asked, self._order[starts[asked] + within]


def unique_hits(asked: np.ndarray, tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each pair of number and token once, in their order."""
    size = int(tokens.max(initial=0)) + 1
    together = np.unique(asked * size + tokens)
    return together // size, together % size
