"""Senses: what index files, data files and files of counts say of a lemma in a synset."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.texts.characters import straight_words
from lexbeam.transforms.lexicon.compiled.keys import MISSING, find, keys_of
from lexbeam.transforms.lexicon.wordnet.files import Index, find_file, read_counts, wrong
from lexbeam.transforms.lexicon.wordnet.lexnames import PARTS, RELATIONS, SYNSET_TYPES
from lexbeam.transforms.lexicon.wordnet.synsets import Synsets, bounds_table

Ints = npt.NDArray[np.int64]

# The digit of a sense key to the place in PARTS; the last is of satellites.
_PART_OF_KEY = {"1": 0, "2": 1, "3": 2, "4": 3, "5": 2}


class _Senses(NamedTuple):
    """Senses by lemma, part of speech and number."""

    lemma: Ints
    part: Ints
    synset: Ints
    line: Ints  # of the index file

    def codes(self, synsets: int) -> Ints:
        """Return a number for lemma and synset together, which identify a sense."""
        return self.lemma * synsets + self.synset


class _Finder(NamedTuple):
    """Finds the sense of a lemma in a synset."""

    keys: npt.NDArray[np.uint64]
    lemmas: pa.Array
    synsets: int
    codes: Ints  # of senses, sorted
    order: Ints  # the senses that they are of

    def find(self, words: list[str], rows: Ints) -> Ints:
        """Return the senses of words in synsets, or `MISSING`."""
        lemmas = self.rows(words)
        wanted = np.where((lemmas < 0) | (rows < 0), -1, lemmas * self.synsets + rows)
        places = np.minimum(np.searchsorted(self.codes, wanted), len(self.codes) - 1)
        return np.where(self.codes[places] == wanted, self.order[places], MISSING)

    def rows(self, words: list[str]) -> Ints:
        """Return the rows of the lemmas of words, or `MISSING`."""
        return find(self.keys, self.lemmas, straight_words(pc.utf8_lower(pa.array(words, pa.string()))))


def sense_tables(
    folder: str | None, synsets: Synsets, indexes: list[Index], lemmas: pa.Array
) -> Iterator[tuple[str, pa.Table]]:
    """Yield `sense_bounds`, `senses`, `words` and `word_bounds`.

    Args:
        folder: where the sense index or cntlist.rev may be; None: there is none.
        synsets: those of the data files.
        indexes: the index files, in the order of `PARTS`.
        lemmas: all lemmas, in the order of their keys.

    Raises:
        LexbeamError: the files contradict one another.
    """
    count = len(synsets.ids)
    finder = _Finder(keys_of(lemmas), lemmas, count, np.empty(0, np.int64), np.empty(0, np.int64))
    senses = _listed(synsets, indexes, finder)
    codes = senses.codes(count)
    order = np.argsort(codes)
    finder = finder._replace(codes=codes[order], order=order)
    group = senses.lemma * len(PARTS) + senses.part
    starts = np.searchsorted(group, np.arange(len(lemmas) * len(PARTS) + 1))
    sense_of, word_of = _words(synsets, indexes, senses, finder)
    counts, sense_keys = _counts(folder, synsets, senses, finder, word_of)
    yield "sense_bounds", bounds_table(starts)
    yield (
        "senses",
        pa.table(
            {
                "lemma": senses.lemma.astype(np.int32),
                "synset": senses.synset.astype(np.int32),
                "number": (np.arange(len(group)) - starts[group] + 1).astype(np.int16),
                "count": counts.astype(np.int32),
                "word": word_of.astype(np.int32),
                "sense_key": pa.array(sense_keys, pa.string()),
            }
        ),
    )
    yield (
        "words",
        pa.table(
            {
                "sense": sense_of.astype(np.int32),
                "marker": synsets.markers,
                "word": pa.array(synsets.words, pa.string()),
            }
        ),
    )
    yield "word_bounds", bounds_table(synsets.word_bounds)


def _listed(synsets: Synsets, indexes: list[Index], finder: _Finder) -> _Senses:
    """Return the senses that the index files list."""
    columns = []
    for part, index in enumerate(indexes):
        entry = np.repeat(np.arange(len(index.lemmas)), index.sense_counts)
        rows = synsets.find(part, np.asarray(index.offsets, np.int64))
        line = np.asarray(index.lines, np.int64)[entry]
        lost = np.flatnonzero(rows == MISSING)
        if len(lost):
            raise wrong(index.path, int(line[lost[0]]), "the synset of a sense is not there")
        lemma = finder.rows(index.lemmas)[entry]
        columns.append(np.stack([lemma, np.full(len(lemma), part), rows, line]))
    senses = _Senses(*np.concatenate(columns, axis=1))
    # If a lemma has two lines, or names a synset twice, the first counts.
    first = np.sort(np.unique(senses.codes(finder.synsets), return_index=True)[1])
    first = first[np.lexsort([senses.part[first], senses.lemma[first]])]
    return _Senses(*(column[first] for column in senses))


def _words(synsets: Synsets, indexes: list[Index], senses: _Senses, finder: _Finder) -> tuple[Ints, Ints]:
    """Return the sense of each word, and the word of each sense: the first, if only case or apostrophes differ.

    Words of one synset that differ in case (`Earth` and `earth`) or apostrophes alone have one entry in the index.
    """
    owner = np.repeat(np.arange(len(synsets.ids)), np.diff(synsets.word_bounds))
    sense_of = finder.find(synsets.words, owner)
    lost = np.flatnonzero(sense_of == MISSING)
    if len(lost):
        word = synsets.words[lost[0]]
        raise synsets.wrong(int(owner[lost[0]]), f"the index does not have the word {word!r}")
    word_of = np.full(len(senses.lemma), MISSING, np.int64)
    word_of[sense_of[::-1]] = np.arange(len(sense_of))[::-1]
    lost = np.flatnonzero(word_of == MISSING)
    if len(lost):
        path = indexes[senses.part[lost[0]]].path
        raise wrong(path, int(senses.line[lost[0]]), "the synset of a sense lacks its word")
    return sense_of, word_of


def _sense_keys(synsets: Synsets, senses: _Senses, lemmas: pa.Array, word_of: Ints) -> list[str]:
    """Return the sense keys, as senseidx(5WN) makes them of lemma, class, id and head."""
    similar = list(RELATIONS).index("&")
    satellite = SYNSET_TYPES.index("s")
    heads = [":"] * len(synsets.ids)
    for row in np.flatnonzero(synsets.types == satellite).tolist():
        start, end = synsets.pointer_bounds[row : row + 2]
        targets = synsets.targets[start:end][synsets.symbols[start:end] == similar]
        if len(targets):
            word = synsets.word_bounds[targets[0]]
            heads[row] = f"{synsets.words[word].lower()}:{synsets.lex_ids[word]:02d}"
    types, classes = synsets.types.tolist(), synsets.classes.tolist()
    return [
        f"{lemma}%{types[row] + 1}:{classes[row]:02d}:{lex_id:02d}:{heads[row]}"
        for lemma, row, lex_id in zip(
            lemmas.take(pa.array(senses.lemma)).to_pylist(),
            senses.synset.tolist(),
            synsets.lex_ids[word_of].tolist(),
            strict=True,
        )
    ]


def _counts(
    folder: str | None, synsets: Synsets, senses: _Senses, finder: _Finder, word_of: Ints
) -> tuple[Ints, list[str]]:
    """Return how often senses are tagged, and their keys as the sense index has them.

    Without a sense index the counts are those of cntlist.rev, some of whose keys are of older
    versions (1,992 of Princeton's 37,387 belong to no sense); without both they are `MISSING`.
    """
    sense_keys = _sense_keys(synsets, senses, finder.lemmas, word_of)
    path = folder and find_file(folder, "index.sense")
    if not path:
        path = folder and find_file(folder, "cntlist.rev")
        if not path:
            return np.full(len(sense_keys), MISSING), sense_keys
        rows = read_counts(path, offsets=False)
        tagged = dict(zip(rows.keys, rows.tagged, strict=True))
        return np.array([tagged.get(key, 0) for key in sense_keys]), sense_keys
    rows = read_counts(path, offsets=True)
    parts = np.array([_PART_OF_KEY[key[key.rindex("%") + 1]] for key in rows.keys])
    indexed = finder.find(
        [key[: key.rindex("%")] for key in rows.keys],
        synsets.find(parts.astype(np.int64), np.array(rows.offsets, np.int64)),
    )
    lost = np.flatnonzero(indexed == MISSING)
    if len(lost):
        cause = f"the index files do not have the sense {rows.keys[lost[0]]!r}"
        raise wrong(path, rows.lines[lost[0]], cause)
    listed = np.bincount(indexed, minlength=len(sense_keys)) > 0
    if not listed.all():
        cause = f"the file ends without {sense_keys[np.flatnonzero(~listed)[0]]!r}"
        raise wrong(path, rows.lines[-1] if rows.lines else 1, cause)
    counts = np.zeros(len(sense_keys), np.int64)
    np.add.at(counts, indexed, rows.tagged)
    for sense, key in zip(indexed[::-1].tolist(), reversed(rows.keys), strict=True):
        sense_keys[sense] = key
    return counts, sense_keys
