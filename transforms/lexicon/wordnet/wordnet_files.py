"""WordNet's database files read, as wndb(5WN) and senseidx(5WN) describe them, and made tables of synsets and senses.

Read are data and index files, exception lists and the two files that say how often a sense is tagged. They
may be those of WordNet 3.0, 3.1 or another database in the same format; text is UTF-8.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.models import content_digest
from lexbeam.transforms.common.texts.characters import straight_words
from lexbeam.transforms.common.texts.encodings import with_line_feeds
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING, find, keys_of
from lexbeam.transforms.lexicon.wordnet.ragged import MARKERS, PART_FILES, PARTS, RELATIONS, SYNSET_TYPES

_REMEDY = (
    "install Debian's packages wordnet-base and wordnet-sense-index, or name the folder that holds "
    "WordNet's database files (`wordnet` DIR, or `wordnet:DIR` in `resources`)"
)
_TYPES = {"noun": "n", "verb": "v", "adj": "as", "adv": "r"}
_NEEDED = tuple(name for part in _TYPES for name in (f"data.{part}", f"index.{part}", f"{part}.exc"))
_OPTIONAL = ("index.sense", "cntlist.rev")
_HEXADECIMAL = {f"{number:02x}": number for number in range(256)}


@dataclass
class Data:
    """A data file, column by column; words and pointers of all synsets one after the other."""

    path: str
    lines: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)
    glosses: list[str] = field(default_factory=list)
    word_counts: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    lex_ids: list[int] = field(default_factory=list)
    pointer_counts: list[int] = field(default_factory=list)
    symbols: list[str] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    target_types: list[str] = field(default_factory=list)
    source_words: list[int] = field(default_factory=list)
    target_words: list[int] = field(default_factory=list)


@dataclass
class Index:
    """An index file, column by column: senses of all lemmas one after the other."""

    path: str
    lines: list[int] = field(default_factory=list)
    lemmas: list[str] = field(default_factory=list)
    sense_counts: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)


@dataclass
class SenseCounts:
    """How often senses are tagged, column by column; without `offsets` if the file has none."""

    path: str
    lines: list[int] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    tagged: list[int] = field(default_factory=list)


def wrong(path: str, line: int, cause: str) -> LexbeamError:
    """Return the error for a line."""
    return LexbeamError(
        f"{path!r}, line {line}: {cause}; the file is damaged or of another version than those beside it: {_REMEDY}"
    )


def find_file(folder: str, name: str) -> str | None:
    """Return the path of a file of the database, or None."""
    path = files.join(folder, name)
    return path if files.exists(path) else None


def digest_of_database(folder: str) -> str:
    """Return a digest of the files that are read; others in the folder do not count.

    Raises:
        LexbeamError: a required file is missing.
    """
    digests = []
    for name in (*_NEEDED, *_OPTIONAL):
        path = find_file(folder, name)
        if path is not None:
            digests.append([name, content_digest(path)])
        elif name in _NEEDED:
            raise _missing(files.join(folder, name))
    return digest(digests)


def _missing(path: str) -> LexbeamError:
    return LexbeamError(f"WordNet's {path!r} is not there: {_REMEDY}")


def _lines(path: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of the lines after the licence at the top."""
    try:
        content = with_line_feeds(files.read_bytes(path))
    except FileNotFoundError as error:
        raise _missing(path) from error
    except OSError as error:
        raise LexbeamError(f"WordNet's {path!r} cannot be read: {error}; {_REMEDY}") from error
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise wrong(path, line, f"no UTF-8 ({error.reason})") from error
    if lines.pop():
        raise wrong(path, len(lines) + 1, "the file ends within a line")
    for number, line_text in enumerate(lines, 1):
        if line_text[:2] != "  " and (text := line_text.rstrip()):
            yield number, text


def _parse(path: str, add: Callable[[int, str], None]) -> None:
    for number, text in _lines(path):
        try:
            add(number, text)
        except (ValueError, IndexError, KeyError) as error:
            cause = str(error) if type(error) is ValueError else "a field is missing or wrong"
            raise wrong(path, number, f"{cause}: {text[:60]!r}") from error


def read_data(folder: str, part: str) -> Data:
    """Read `data.PART`.

    Raises:
        LexbeamError: the file is missing, truncated, or a line is wrong.
    """
    path = files.join(folder, f"data.{part}")
    data = Data(path)

    def add(line: int, text: str) -> None:
        left, bar, gloss = text.partition(" |")
        if not bar:
            raise ValueError("there is no gloss")
        _add_synset(data, part, line, left.split(), gloss.strip())

    _parse(path, add)
    return data


def _add_synset(data: Data, part: str, line: int, fields: list[str], gloss: str) -> None:
    """Add the synset of a line; all that can fail is parsed before anything is added."""
    words = _HEXADECIMAL[fields[3].lower()]
    first = 5 + 2 * words
    pointers = int(fields[first - 1])
    last = first + 4 * pointers
    if fields[2] not in _TYPES[part] or len(fields[2]) != 1:
        raise ValueError(f"the synset's type is {fields[2]!r}")
    if not words or pointers < 0:
        raise ValueError("the number of words or pointers is wrong")
    if len(fields) != (_end_of_frames(fields, last) if part == "verb" else last):
        raise ValueError("the number of fields is wrong")
    lexicographer_file = int(fields[1])
    if not 0 <= lexicographer_file < 256:
        raise ValueError("the number of the lexicographer's file is wrong")
    lex_ids = [int(value, 16) for value in fields[5 : first - 1 : 2]]
    targets = [int(value) for value in fields[first + 1 : last : 4]]
    word_pairs = [value.lower() for value in fields[first + 3 : last : 4]]
    source_words = [_HEXADECIMAL[pair[:2]] for pair in word_pairs]
    target_words = [_HEXADECIMAL[pair[2:]] for pair in word_pairs]
    data.offsets.append(int(fields[0]))
    data.lines.append(line)
    data.types.append(fields[2])
    data.classes.append(lexicographer_file)
    data.glosses.append(gloss)
    data.word_counts.append(words)
    data.words.extend(fields[4 : first - 1 : 2])
    data.lex_ids.extend(lex_ids)
    data.pointer_counts.append(pointers)
    data.symbols.extend(fields[first:last:4])
    data.targets.extend(targets)
    data.target_types.extend(fields[first + 2 : last : 4])
    data.source_words.extend(source_words)
    data.target_words.extend(target_words)


def _end_of_frames(fields: list[str], start: int) -> int:
    """Return where the frames of a verb end; a verb may have none (WordNet 3.1)."""
    if len(fields) == start:
        return start
    end = start + 1 + 3 * int(fields[start])
    if any(plus != "+" for plus in fields[start + 1 : end : 3]):
        raise ValueError("a verb's frames are wrong")
    return end


def read_index(folder: str, part: str) -> Index:
    """Read `index.PART`.

    Raises:
        LexbeamError: the file is missing, truncated, or a line is wrong.
    """
    path = files.join(folder, f"index.{part}")
    index = Index(path)

    def add(line: int, text: str) -> None:
        fields = text.split()
        senses = int(fields[2])
        offsets = [int(value) for value in fields[6 + int(fields[3]) :]]
        if len(offsets) != senses or not senses:
            raise ValueError(f"{fields[2]} senses are announced, {len(offsets)} are there")
        index.lines.append(line)
        index.lemmas.append(fields[0])
        index.sense_counts.append(senses)
        index.offsets.extend(offsets)

    _parse(path, add)
    return index


def read_exceptions(folder: str, part: str) -> list[tuple[str, str]]:
    """Read `PART.exc`: pairs of an irregular form and a base form, in the file's order.

    Raises:
        LexbeamError: the file is missing, truncated, or a line is wrong.
    """
    pairs: dict[tuple[str, str], None] = {}

    def add(_: int, text: str) -> None:
        form, *bases = text.split()
        if not bases:
            raise ValueError("a form has no base form")
        pairs.update(((form, base), None) for base in bases)

    _parse(files.join(folder, f"{part}.exc"), add)
    return list(pairs)


def read_counts(path: str, *, offsets: bool) -> SenseCounts:
    """Read `index.sense` (which has `offsets`) or `cntlist.rev` (which has none).

    Raises:
        LexbeamError: the file is missing, truncated, or a line is wrong.
    """
    counts = SenseCounts(path)

    def add(line: int, text: str) -> None:
        key, *numbers = text.split()
        if key[key.rindex("%") + 1] not in "12345":
            raise ValueError("the sense key is of no part of speech")
        first, *_, last = map(int, numbers)
        counts.lines.append(line)
        counts.keys.append(key)
        counts.tagged.append(last)
        if offsets:
            counts.offsets.append(first)

    _parse(path, add)
    return counts


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
