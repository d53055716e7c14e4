"""All synsets of a database, from its data files, with pointers to rows instead of offsets."""

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.lexicon.compiled.keys import MISSING
from lexbeam.transforms.lexicon.wordnet.files import Data, read_data, wrong
from lexbeam.transforms.lexicon.wordnet.lexnames import MARKERS, PART_FILES, PARTS, RELATIONS, SYNSET_TYPES

_MARKED = re.compile(r"\((p|a|ip)\)$")
Ints = npt.NDArray[np.int64]

_BEYOND = 10**10  # more than any offset


class Synsets(NamedTuple):
    """The synsets of all data files, column by column; `ids` are sorted."""

    files: list[Data]
    ids: Ints
    lines: Ints
    types: npt.NDArray[np.uint8]
    classes: npt.NDArray[np.uint8]
    glosses: list[str]
    word_bounds: Ints
    words: list[str]
    lex_ids: npt.NDArray[np.int32]
    markers: npt.NDArray[np.uint8]
    pointer_bounds: Ints
    symbols: npt.NDArray[np.uint8]
    targets: Ints
    source_words: npt.NDArray[np.uint8]
    target_words: npt.NDArray[np.uint8]

    def wrong(self, row: int, cause: str) -> LexbeamError:
        """Return the error for the line of a synset."""
        part = SYNSET_TYPES[self.types[row]].replace("s", "a")
        return wrong(self.files[PARTS.index(part)].path, int(self.lines[row]), cause)

    def find(self, parts: int | Ints, offsets: Ints) -> Ints:
        """Return the rows of synsets by place in `PARTS` and offset, or `MISSING`."""
        wanted = parts * _BEYOND + offsets
        rows = np.minimum(np.searchsorted(self.ids, wanted), len(self.ids) - 1)
        return np.where(self.ids[rows] == wanted, rows, MISSING)

    def offsets(self) -> Ints:
        """Return the offsets in the data files."""
        return self.ids % _BEYOND


def read_synsets(folder: str) -> Synsets:
    """Read the data files.

    Raises:
        LexbeamError: a file is missing or truncated, or a line is wrong.
    """
    sources = [read_data(folder, part) for part in PART_FILES]
    ids = [np.asarray(data.offsets, np.int64) + n * _BEYOND for n, data in enumerate(sources)]
    words, markers = [], []
    for part, data in zip(PARTS, sources, strict=True):
        for word in data.words:
            marked = part == "a" and word.endswith(")") and _MARKED.search(word)
            markers.append(MARKERS.index(marked[1]) if marked else 0)
            words.append(word[: marked.start()] if marked else word)
    part_of = {part: number for number, part in enumerate(PARTS)}
    part_of["s"] = part_of["a"]
    codes = {symbol: code for code, symbol in enumerate(RELATIONS)}
    parts = np.array([part_of.get(o, len(PARTS)) for data in sources for o in data.target_types], int)
    synsets = Synsets(
        files=sources,
        ids=np.concatenate(ids),
        lines=np.array([line for data in sources for line in data.lines], np.int64),
        types=np.array([SYNSET_TYPES.index(o) for data in sources for o in data.types], np.uint8),
        classes=np.array([number for data in sources for number in data.classes], np.uint8),
        glosses=[gloss for data in sources for gloss in data.glosses],
        word_bounds=bounds_of([n for data in sources for n in data.word_counts]),
        words=words,
        lex_ids=np.array([number for data in sources for number in data.lex_ids], np.int32),
        markers=np.array(markers, np.uint8),
        pointer_bounds=bounds_of([n for data in sources for n in data.pointer_counts]),
        symbols=np.array([codes.get(o, len(codes)) for data in sources for o in data.symbols], "u1"),
        targets=np.empty(0, np.int64),
        source_words=np.array([n for data in sources for n in data.source_words], np.uint8),
        target_words=np.array([n for data in sources for n in data.target_words], np.uint8),
    )
    _check_order(synsets)
    targets = np.array([o for data in sources for o in data.targets], np.int64)
    synsets = synsets._replace(targets=synsets.find(parts, targets))
    _check_pointers(synsets)
    return synsets


def _check_order(synsets: Synsets) -> None:
    if not len(synsets.ids):
        raise wrong(synsets.files[0].path, 1, "there is no synset")
    fallen = np.flatnonzero(np.diff(synsets.ids) <= 0)
    if len(fallen):
        raise synsets.wrong(int(fallen[0]) + 1, "the offset is not above the one before")


def _check_pointers(synsets: Synsets) -> None:
    owners = np.repeat(np.arange(len(synsets.ids)), np.diff(synsets.pointer_bounds))
    words = np.diff(synsets.word_bounds)
    for wrong_pointers, cause in (
        (synsets.symbols == len(RELATIONS), "the symbol of a pointer is unknown"),
        (synsets.targets == MISSING, "the target of a pointer is not there"),
        (synsets.source_words > words[owners], "a pointer's first word is not there"),
        (synsets.target_words > words[synsets.targets], "a pointer's second word is not there"),
    ):
        if wrong_pointers.any():
            raise synsets.wrong(int(owners[np.flatnonzero(wrong_pointers)[0]]), cause)


def bounds_of(counts: list[int]) -> Ints:
    """Return where runs of as many rows begin, and where the last ends."""
    return np.concatenate([[0], np.cumsum(np.asarray(counts, np.int64))]).astype(np.int64)


def bounds_table(bounds: Ints) -> pa.Table:
    """Return bounds as a table."""
    return pa.table({"start": bounds.astype(np.int32)})
