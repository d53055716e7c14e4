"""A thesaurus that is open: the senses of whole arrays of words."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from transforms.lexicon.compiled.casing import CompiledWords, coded, only
from transforms.lexicon.compiled.keys import MISSING
from transforms.lexicon.compiled.kind import Opened
from transforms.lexicon.thesauri.options import ThesaurusOptions
from transforms.lexicon.thesauri.reading import Member, ThesaurusSense

__all__ = ["Thesaurus", "open_thesaurus"]

_SHOWN = 12


class Thesaurus:
    """Senses of words.

    Attributes:
        facts: how many `words`, `senses`, `members` and `placeholders` it has.
    """

    def __init__(self, opened: Opened) -> None:
        table: Any = opened
        self._words = CompiledWords(table["words"], "lower")
        self._start = only(table["words"]["start"]).to_numpy()
        self._end = only(table["words"]["end"]).to_numpy()
        self._senses = only(table["of_word"]["sense"]).to_numpy()
        self._about_senses = {name: only(table["senses"][name]) for name in ("id", "pos")}
        self._first = only(table["senses"]["start"]).to_numpy()
        self._last = only(table["senses"]["end"]).to_numpy()
        self._members = table["members"]
        self.facts: dict[str, Any] = table["about"].to_pylist()[0]

    def senses(self, words: pa.Array | pa.ChunkedArray) -> list[tuple[ThesaurusSense, ...]]:
        """Return the senses of each word, capitals apart, in the order of the file.

        None, and none of a null, is an empty tuple. A word of synsets is among their members.
        """
        distinct, places = coded(words)
        found = [
            () if row == MISSING else tuple(map(self._sense, self._numbers(row)))
            for row in self._words.find(distinct).tolist()
        ]
        found.append(())
        return [found[place] for place in places.tolist()]

    def _numbers(self, row: int) -> list[int]:
        return [int(one) for one in self._senses[self._start[row] : self._end[row]]]

    def _sense(self, number: int) -> ThesaurusSense:
        low, high = int(self._first[number]), int(self._last[number])
        rows = self._members.slice(low, high - low).to_pylist()
        return ThesaurusSense(
            self._about_senses["id"][number].as_py(),
            self._about_senses["pos"][number].as_py(),
            tuple(Member(**row) for row in rows),
        )

    def look(self, word: str, pos: str | None = None) -> Iterator[tuple[str, str]]:
        """Yield the senses of a word, for a person."""
        for sense in self.senses(pa.array([word]))[0]:
            if pos is None or sense.pos in (None, pos):
                texts = [one.text for one in sense.members if not one.placeholder]
                more = f" ... ({len(texts)})" if len(texts) > _SHOWN else ""
                tag = f" {sense.pos}" if sense.pos else ""
                yield f"sense {sense.id}{tag}", ", ".join(texts[:_SHOWN]) + more


def open_thesaurus(opened: Opened, options: ThesaurusOptions) -> Thesaurus:
    """Return the thesaurus whose tables are opened."""
    return Thesaurus(opened)
