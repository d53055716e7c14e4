"""What other modules of WordNet share: the database's constants, tables as flat arrays, and lists of different lengths.

Lists of different lengths are two flat arrays (`Ragged`), values and offsets. Constants are parts of speech,
lexicographer classes and relations, from the manual pages lexnames(5WN), wninput(5WN) and wndb(5WN) of WordNet 3.0.
Debian ships no file `lexnames`, hence the names are here.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.lexicon.compiled.resource_kind import Opened, table_in
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING, only

# Parts of speech in the order in which they are tried and stored, and what their files end with.
PARTS = ("n", "v", "a", "r")
PART_FILES = ("noun", "verb", "adj", "adv")

# Types of synsets: those of parts of speech, and satellites, which lie in data.adj.
SYNSET_TYPES = (*PARTS, "s")

# Universal parts of speech that WordNet has; no other word class is in it.
UPOS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "AUX": "v", "ADJ": "a", "ADV": "r", "s": "a"}

# What may follow an adjective: it is used only as a predicate (p), only before a noun (a), or only
# right after one (ip).
MARKERS = ("", "p", "a", "ip")

# Classes by their number.
LEXNAMES = (
    "adj.all",
    "adj.pert",
    "adv.all",
    "noun.Tops",
    "noun.act",
    "noun.animal",
    "noun.artifact",
    "noun.attribute",
    "noun.body",
    "noun.cognition",
    "noun.communication",
    "noun.event",
    "noun.feeling",
    "noun.food",
    "noun.group",
    "noun.location",
    "noun.motive",
    "noun.object",
    "noun.person",
    "noun.phenomenon",
    "noun.plant",
    "noun.possession",
    "noun.process",
    "noun.quantity",
    "noun.relation",
    "noun.shape",
    "noun.state",
    "noun.substance",
    "noun.time",
    "verb.body",
    "verb.change",
    "verb.cognition",
    "verb.communication",
    "verb.competition",
    "verb.consumption",
    "verb.contact",
    "verb.creation",
    "verb.emotion",
    "verb.motion",
    "verb.perception",
    "verb.possession",
    "verb.social",
    "verb.stative",
    "verb.weather",
    "adj.ppl",
)

# The number of a class's part of speech in the file `lexnames`.
LEXNAME_PARTS = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}

# Pointer symbols and their meanings. Compiled files hold their places in this table, so new ones are
# added at its end.
RELATIONS = {
    "!": "antonym",
    "@": "hypernym",
    "@i": "instance hypernym",
    "~": "hyponym",
    "~i": "instance hyponym",
    "#m": "member holonym",
    "#s": "substance holonym",
    "#p": "part holonym",
    "%m": "member meronym",
    "%s": "substance meronym",
    "%p": "part meronym",
    "=": "attribute",
    "+": "derivationally related form",
    ";c": "domain of this synset: topic",
    "-c": "member of this domain: topic",
    ";r": "domain of this synset: region",
    "-r": "member of this domain: region",
    ";u": "domain of this synset: usage",
    "-u": "member of this domain: usage",
    "*": "entailment",
    ">": "cause",
    "^": "also see",
    "$": "verb group",
    "&": "similar to",
    "<": "participle of verb",
    "\\": "pertainym (adjective), derived from adjective (adverb)",
}

ANTONYM = ("!",)
SIMILAR = ("&",)
HYPERNYMS = ("@", "@i")
HYPONYMS = ("~", "~i")
# Whose glosses adapted Lesk reads: hypernyms, hyponyms, holonyms, meronyms, similar, also see,
# derivationally related forms.
EXTENDED_GLOSS = (*HYPERNYMS, *HYPONYMS, "#m", "#s", "#p", "%m", "%s", "%p", "&", "^", "+")


Ints = npt.NDArray[np.int64]


class Ragged(NamedTuple):
    """Lists, one after the other.

    Attributes:
        offsets: where each list begins in `values`, and finally where the last ends, int64.
        values: int64.
    """

    offsets: Ints
    values: Ints

    def lengths(self) -> Ints:
        """Return how long each list is."""
        return np.diff(self.offsets)

    def owners(self) -> Ints:
        """Return, for each value, the number of the list that holds it."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths())

    def lists(self, values: pa.Array | None = None) -> pa.Array:
        """Return the lists as an Arrow array; `values` take the place of its own."""
        inner = pa.array(self.values) if values is None else values
        return pa.LargeListArray.from_arrays(pa.array(self.offsets, pa.int64()), inner)

    def keep(self, mask: npt.NDArray[np.bool_]) -> "Ragged":
        """Return the lists without the values where `mask` is false."""
        before = np.zeros(len(mask) + 1, np.int64)
        np.cumsum(mask, out=before[1:])
        return Ragged(before[self.offsets], self.values[mask])


def runs(starts: Ints, ends: Ints) -> Ragged:
    """Return the rows of each run [start, end) as a list."""
    lengths = ends - starts
    offsets = np.zeros(len(starts) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return Ragged(offsets, np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths))


def first_of_each(owners: Ints, values: Ints) -> npt.NDArray[np.bool_]:
    """Return a mask of the first of equal values of each owner; no value is negative."""
    mask = np.zeros(len(values), bool)
    if len(values):
        together = owners * (values.max() + 1) + values
        mask[np.unique(together, return_index=True)[1]] = True
    return mask


class Tables:
    """Compiled tables, column by column, without a copy; rows that are `MISSING` have nothing."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def column(self, table: str, column: str) -> pa.Array:
        """Return a column."""
        return only(table_in(self._opened, table)[column])

    def numbers(self, table: str, column: str = "start") -> npt.NDArray[Any]:
        """Return a column of numbers."""
        return np.asarray(self.column(table, column))

    def values(self, table: str, column: str, rows: Ints) -> Ints:
        """Return numbers by row as int64, `MISSING` where the row is."""
        values = self.numbers(table, column)
        if not len(values):
            return np.full(len(rows), MISSING, np.int64)
        return np.where(rows < 0, MISSING, values[rows].astype(np.int64))

    def texts(self, table: str, column: str, rows: Ints) -> pa.Array:
        """Return texts by row, null where the row is `MISSING`."""
        return self.column(table, column).take(pa.array(rows, mask=rows < 0))

    def within(self, table: str, owners: Ints) -> Ragged:
        """Return the rows of each owner by a table of bounds."""
        return within(self.numbers(table), owners)


def within(bounds: npt.NDArray[np.int32], owners: Ints) -> Ragged:
    """Return the rows of each owner; `bounds` are where the rows of each begin, and one end."""
    present = owners >= 0
    rows = np.where(present, owners, 0)
    return runs(bounds[rows].astype(np.int64), bounds[rows + present].astype(np.int64))
