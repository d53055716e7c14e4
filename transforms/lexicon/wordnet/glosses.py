"""The words of definitions as numbers, and the synsets whose glosses adapted Lesk reads.

A word of a definition is a run of letters, marks and digits, in lower case, replaced by its first
base form (`WordNet.morphy`, of any part of speech; the word itself if WordNet has none). Tables:

    gloss_words      a word of a definition, in the order of keys
    gloss_tokens     for each token of all definitions its row there; gloss_bounds by synset
    extended         by synset the synsets whose glosses adapted Lesk reads: its own and those that
                     pointers of `EXTENDED_GLOSS` lead to, each once, by row; extended_bounds
"""

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.lexicon.compiled.word_keys import MISSING, find, keys_of, order_of_keys
from lexbeam.transforms.lexicon.wordnet.ragged import Ragged, Tables, within
from lexbeam.transforms.lexicon.wordnet.wordnet_files import bounds_table

_SHORT = 40  # characters of a text whose words are remembered
_SEEN = 1 << 18  # such texts
_BETWEEN = r"[^\p{L}\p{M}\p{N}]+"

Ints = npt.NDArray[np.int64]
Morphy = Callable[[pa.Array], pa.Array]


class Glosses:
    """Definitions as rows of words, mapped into memory.

    Attributes:
        tokens: for each token of all definitions the row of its word, int32.
        bounds: where the tokens of each synset begin, and one end.
        extended: synsets whose glosses are read, int32.
        extended_bounds: where those of each synset begin, and one end.
    """

    def __init__(self, tables: Tables, morphy: Morphy) -> None:
        self._keys = tables.numbers("gloss_words", "key")
        self._words = tables.column("gloss_words", "word")
        self._morphy = morphy
        self._seen: dict[str, list[int]] = {}
        self.tokens = tables.numbers("gloss_tokens", "word")
        self.bounds = tables.numbers("gloss_bounds")
        self.extended = tables.numbers("extended", "synset")
        self.extended_bounds = tables.numbers("extended_bounds")

    def __len__(self) -> int:
        """Return the number of different words in definitions."""
        return len(self._words)

    def rows(self, texts: pa.Array) -> Ragged:
        """Return the words of each text as definitions have them, or `MISSING`.

        The words of short texts are remembered: base forms cost more than all that follows.
        """
        plain = texts.to_pylist()
        if len(self._seen) > _SEEN:
            self._seen.clear()
        seen = self._seen
        new = [text for text in dict.fromkeys(plain) if text is not None and text not in seen]
        if any(len(text) > _SHORT for text in new):
            return self._rows(texts)
        if new:
            self._find(new)
        rows = [seen[text] if text is not None else [] for text in plain]
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=offsets[1:])
        return Ragged(offsets, np.fromiter(chain.from_iterable(rows), np.int64, offsets[-1]))

    def _find(self, texts: list[str]) -> None:
        rows = self._rows(pa.array(texts, pa.large_string()))
        values, bounds = rows.values.tolist(), rows.offsets.tolist()
        for text, begin, end in zip(texts, bounds, bounds[1:], strict=False):
            self._seen[text] = values[begin:end]

    def _rows(self, texts: pa.Array) -> Ragged:
        split = split_words(texts)
        words = _base_forms(pc.list_flatten(split), self._morphy)
        offsets = np.asarray(split.offsets)
        return Ragged(offsets - offsets[0], find(self._keys, self._words, words))

    def words(self, rows: Ints) -> pa.Array:
        """Return words by row, null where the row is `MISSING`."""
        return self._words.take(pa.array(rows, mask=rows < 0))

    def of(self, synsets: Ints) -> Ragged:
        """Return the words of the definition of each synset."""
        tokens = within(self.bounds, synsets)
        return Ragged(tokens.offsets, self.tokens[tokens.values].astype(np.int64))

    def around(self, synsets: Ints) -> Ragged:
        """Return the synsets whose glosses are read for each synset, including itself."""
        rows = within(self.extended_bounds, synsets)
        return Ragged(rows.offsets, self.extended[rows.values].astype(np.int64))


def split_words(texts: pa.Array) -> pa.Array:
    """Return the runs of letters, marks and digits of each text, in lower case; lists."""
    texts = pc.utf8_lower(texts.cast(pa.large_string()).fill_null(""))
    pieces = pc.split_pattern_regex(texts, _BETWEEN)
    flat = pc.list_flatten(pieces)
    filled = pc.greater(pc.binary_length(flat), 0).to_numpy(zero_copy_only=False)
    offsets = np.asarray(pieces.offsets).astype(np.int64)
    # Texts that begin or end with other characters have empty pieces there.
    words = Ragged(offsets - offsets[0], np.arange(len(flat))).keep(filled)
    return words.lists(flat.filter(pa.array(filled)))


def _base_forms(words: pa.Array, morphy: Morphy) -> pa.Array:
    coded = words.dictionary_encode()
    distinct = coded.dictionary.cast(pa.large_string())
    return pc.coalesce(morphy(distinct), distinct).take(coded.indices)


def gloss_tables(
    definitions: pa.Array, morphy: Morphy, related: Callable[[Ints], Ragged]
) -> Iterator[tuple[str, pa.Table]]:
    """Yield the tables above.

    Args:
        definitions: of all synsets, by row.
        morphy: the first base form of each of many words, null where there is none.
        related: from synsets to those that pointers of `EXTENDED_GLOSS` lead to.
    """
    split = split_words(definitions)
    words = _base_forms(pc.list_flatten(split), morphy)
    distinct = pc.unique(words)
    distinct = distinct.take(pa.array(order_of_keys(distinct)))
    keys = keys_of(distinct)
    rows = find(keys, distinct, words)
    assert not (rows == MISSING).any()
    yield "gloss_words", pa.table({"key": keys, "word": distinct.cast(pa.string())})
    yield "gloss_tokens", pa.table({"word": rows.astype(np.int32)})
    yield "gloss_bounds", bounds_table(np.asarray(split.offsets))
    count = len(definitions)
    targets = related(np.arange(count))
    owners = np.concatenate([targets.owners(), np.arange(count)])
    # Each pair once, in the order of both.
    pairs = np.unique(owners * count + np.concatenate([targets.values, np.arange(count)]))
    owners, around = np.divmod(pairs, max(count, 1))
    yield "extended", pa.table({"synset": around.astype(np.int32)})
    yield "extended_bounds", bounds_table(np.searchsorted(owners, np.arange(count + 1)))
