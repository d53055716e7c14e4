"""The reader of WordNet's database files, in the format of wndb(5WN) and senseidx(5WN).

Data and index files, exception lists and the two files that say how often a sense is tagged. They
may be those of WordNet 3.0, 3.1 or another database in the same format; text is UTF-8.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.models import content_digest
from lexbeam.transforms.common.texts.encodings import with_line_feeds

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
