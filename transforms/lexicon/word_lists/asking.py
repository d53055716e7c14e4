"""A word list that is open: asked by whole arrays, or by a person about one word."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from transforms.lexicon.compiled.casing import CompiledWords, coded, lowered, only, with_tags
from transforms.lexicon.compiled.keys import MISSING, find
from transforms.lexicon.compiled.kind import Opened
from transforms.lexicon.word_lists.options import UPOS

__all__ = ["LOOKED_UP", "WordList", "open_words", "values_of"]

_COLUMNS = ("value", "sd", "n")
LOOKED_UP = pa.schema([(name, pa.float64()) for name in _COLUMNS])


class WordList:
    """Values of words.

    Attributes:
        facts: what is known of the list: `rows`, `words`, how many rows were left out and why.
        scale: the least and the greatest value: as declared, else those of the rows.
    """

    def __init__(self, opened: Mapping[str, Any], case: str) -> None:
        self._words = CompiledWords(opened["words"], case)
        self._rows = opened["words"]
        self._tagged = CompiledWords(opened["tagged"], case) if "tagged" in opened else None
        self._tagged_rows = opened.get("tagged")
        self.facts: dict[str, Any] = opened["about"].to_pylist()[0]
        self.scale: tuple[float, float] = (self.facts["low"], self.facts["high"])

    @property
    def listed(self) -> pa.Table:
        """All that can be asked for, `word` and `value`; lower-case forms have entries, too."""
        return self._rows.select(["word", "value"])

    def look_up(self, words: pa.Array | pa.ChunkedArray, pos: pa.Array | pa.ChunkedArray | None = None) -> pa.Table:
        """Return `value`, `sd` and `n` of each word, float64, null where the list has none.

        Args:
            words: in NFC, as in our tables; phrases stand in it as they stand in the list.
            pos: parts of speech. If the list has them, it is asked for the word as that part of
                speech; for the word alone where that is null, or where it has none.
        """
        distinct, places = coded(words)
        if pos is None or self._tagged is None:
            return values_of(self._rows, self._words.find(distinct), places)
        tags, tag_places = coded(pos)
        # Pairs of word and tag, as one number each: few of them are distinct.
        pairs, places = np.unique(places * (len(tags) + 1) + tag_places, return_inverse=True)
        own = pa.array(pairs // (len(tags) + 1))
        tag = pa.array(pairs % (len(tags) + 1))
        nothing = pa.nulls(1, pa.large_string())
        asked = pa.concat_arrays([distinct, nothing]).take(own)
        asked_tags = pa.concat_arrays([tags, nothing]).take(tag)
        alone = self._words.find(asked)
        both = _find_tagged(self._tagged, asked, asked_tags)
        whole = values_of(self._rows, alone, np.arange(len(alone)))
        tagged = values_of(self._tagged_rows, both, np.arange(len(both)))
        untagged = pc.is_null(asked_tags)
        taken = pa.array(places.ravel())
        found = [only(pc.if_else(untagged, whole[name], tagged[name])) for name in _COLUMNS]
        return pa.table([column.take(taken) for column in found], schema=LOOKED_UP)

    def values(self, distinct: pa.Array) -> np.ndarray:
        """Return the value of each word, float64, NaN where the list has none."""
        rows = self._words.find(distinct)
        values = np.full(len(rows), np.nan)
        there = rows != MISSING
        # A list without rows has no chunk of values, and none of the words.
        values[there] = only(self._rows["value"]).to_numpy(zero_copy_only=False)[rows[there]]
        return values

    def look(self, word: str, pos: str | None = None) -> Iterator[tuple[str, str]]:
        """Yield what the list says of a word, for a person, who may call `NOUN` n or Noun."""
        named = dict.fromkeys((pos, UPOS.get(pos.lower(), pos) if pos else None))
        rows = [self.look_up(pa.array([word]), pa.array([tag], pa.string())).to_pylist()[0] for tag in named]
        row = next((row for row in rows if row["value"] is not None), None)
        if row is None:
            return
        scale = "from {:.10g} to {:.10g}".format(*self.scale)
        yield "value", f"{row['value']:.10g} ({self.facts['column']}, {scale})"
        if row["sd"] is not None:
            yield "standard deviation", f"{row['sd']:.10g}"
        if row["n"] is not None:
            yield "people or uses", f"{row['n']:.10g}"


def _find_tagged(table: CompiledWords, words: pa.Array, tags: pa.Array) -> np.ndarray:
    """Return the rows of words as parts of speech, or `MISSING`."""

    def rows(names: pa.Array) -> np.ndarray:
        joined = with_tags(names, tags)
        return find(table.keys, table.words, joined)

    if table.case == "lower":
        return rows(lowered(words))
    found = rows(words)
    if table.case == "fold":
        found = np.where(found == MISSING, rows(lowered(words)), found)
    return found


def values_of(table: pa.Table, rows: np.ndarray, places: np.ndarray) -> pa.Table:
    """Return the values at rows, for each place.

    Args:
        table: columns `value`, `sd`, `n`.
        rows: of the table, `MISSING` for none.
        places: indices into the rows; one behind the last stands for null.
    """
    rows = np.append(rows, MISSING)[places]
    taken = pa.array(rows, mask=rows == MISSING)
    return pa.table([only(table[name]).take(taken) for name in _COLUMNS], LOOKED_UP)


def open_words(opened: Opened, options: Any) -> WordList:
    """Return the list whose tables are opened; the options have `rules`."""
    return WordList(opened, options.rules.case)
