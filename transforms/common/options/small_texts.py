"""Small files that people write: targets, rules, gold, a text. Read whole, with bounds."""

import logging
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from lexbeam.transforms.common.errors import UsageError, reason_of
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.texts.encodings import csv_rows, likely_encoding, lines_of

log = logging.getLogger("lexbeam")

LARGEST = 64 << 20  # bytes of a file
# As Unicode's Stream-Safe Text Format has it: no word has more, and the time that normalising takes
# grows with the square of a run.
MOST_MARKS = 30
# Where such a run may be; most scripts have no mark below U+0300.
_SUSPECT = re.compile(f"[\u0300-\U0010ffff]{{{MOST_MARKS + 1},}}")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


def read_text(path: str, name: str) -> str:
    """Return a UTF-8 file as it is, without byte order mark.

    Args:
        path: the file, local or remote.
        name: the option that names it.

    Raises:
        UsageError: it cannot be read, is no such text, or is larger than 64 MiB.
    """
    shown = f"`{name}` {files.shown(path)}"
    try:
        size = files.size(path)
        if size is not None and size > LARGEST:
            raise UsageError(f"{shown} is larger than 64 MiB: is it the right file?")
        data = files.read_bytes(path)
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{shown} cannot be read: {reason_of(error)}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown} is not UTF-8 text ({error}){likely_encoding(data)}; save it as UTF-8") from error


def read_lines(path: str, name: str) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, blank ones as empty texts.

    Lines end as those of plain text do (`transforms/common/texts/encodings.py`).

    Args:
        path: the file, local or remote.
        name: the option that names it.

    Raises:
        UsageError: it cannot be read, is no such text, or a line holds a control character or more
            combining marks in a row than any word has.
    """
    shown = f"`{name}` {files.shown(path)}"
    for number, line in enumerate(lines_of(read_text(path, name)), 1):
        if not line or line.isspace():
            yield ""
            continue
        if control := _CONTROL.search(line):
            raise UsageError(f"{shown}, line {number}: the control character {control[0]!r}, which no word holds")
        if not line.isascii() and _has_long_run(line):
            raise UsageError(f"{shown}, line {number}: more than {MOST_MARKS} combining marks in a row")
        yield line


def filled_lines(path: str, name: str, needed: str) -> list[tuple[int, str]]:
    """Return the lines of a file that are not blank, with their numbers.

    Args:
        path: the file, local or remote.
        name: the option that names it.
        needed: what the file should have.

    Raises:
        UsageError: there are none, or `read_lines` says so.
    """
    lines = [(number, line) for number, line in enumerate(read_lines(path, name), 1) if line]
    if not lines:
        raise UsageError(f"`{name}` {files.shown(path)} is empty: give {needed}")
    return lines


def delimiter_of(line: str) -> str:
    """Return what separates the cells of a table by its first line: a tab, or the commoner of comma and semicolon."""
    return "\t" if "\t" in line else max(",;", key=line.count)


def cells_of(line: str, delimiter: str) -> list[str]:
    """Return the cells of a line, without spaces around them; between tabs quotes are characters like others."""
    cells = line.split("\t") if delimiter == "\t" else next(csv_rows([line], delimiter))
    return [cell.strip() for cell in cells]


def rows_within(
    lines: Iterable[tuple[int, str]], delimiter: str, width: int, shown: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of numbered lines, as many as there are columns at the most.

    Raises:
        UsageError: a line has more that are not empty, such as 0,5 for 0.5.
    """
    for number, line in lines:
        cells = cells_of(line, delimiter)
        if any(cells[width:]):
            raise UsageError(
                f"{shown}, line {number}: {len(cells)} cells, and the first line has {width}: correct the line"
            )
        yield number, cells[:width]


# What the column of words of a table is called.
WORD_COLUMNS = ("word", "lemma", "target", "token", "form", "term")
_ELSEWHERE = ("wort", "lexem", "mot", "palabra", "parola", "palavra", "woord")


def word_column(header: Sequence[str]) -> int | None:
    """Return the place of the column of words in a header; None if no cell names it.

    Names are `WORD_COLUMNS`, the first of which counts, in any letter case, perhaps in the plural, and such of other
    languages.
    """
    names = [cell.strip().casefold() for cell in header]
    known = (name for word in WORD_COLUMNS for name in (word, f"{word}s"))
    return next((names.index(name) for name in (*known, *_ELSEWHERE) if name in names), None)


def word_lines(path: str, name: str, *, phrases: bool = False, quiet: bool = False) -> list[str]:
    """Return the word of each line of a file; empty where there is none: a blank line, a comment, a header.

    A file of several columns is a table: its first line names the column of words, see `word_column`, or every
    other cell is a number, and words come first. Comments begin with `#`.

    Args:
        path: the file, local or remote.
        name: the option that names it.
        phrases: whether lines hold phrases, in which commas may stand, and `#` begins no comment.
        quiet: whether nothing is logged of a header that might be a word, since it is read once more.

    Raises:
        UsageError: nothing says which column of a table has words, or `read_lines` says so.
    """
    lines = ["" if line.startswith("#") and not phrases else line for line in read_lines(path, name)]
    filled = [number for number, line in enumerate(lines) if line]
    if not filled:
        return lines
    shown = f"`{name}` {files.shown(path)}"
    delimiter = _delimiter([lines[number] for number in filled], phrases=phrases)
    if not delimiter:
        if len(filled) > 1 and word_column([lines[filled[0]]]) is not None:
            if not quiet:
                log.warning("%s: the first line, %r, is taken for the header", shown, lines[filled[0]].strip())
            lines[filled[0]] = ""
        return [line.strip() for line in lines]
    rows = {number: cells_of(lines[number], delimiter) for number in filled}
    header = rows[filled[0]]
    place = word_column(header)
    if place is not None:
        rows[filled[0]] = []
    elif all(not cell or _is_number(cell) for cells in rows.values() for cell in cells[1:]):
        place = 0
    else:
        widest = max(rows.values(), key=len)
        columns = ", ".join(map(repr, widest[:12]))
        raise UsageError(
            f"{shown} is a table of {len(widest)} columns, {columns}, and nothing says which has the words: call it "
            "word in the first line, or give a file of one word a line"
        )
    return ["".join(rows.get(number, [])[place : place + 1]) for number in range(len(lines))]


def _delimiter(lines: Sequence[str], *, phrases: bool) -> str:
    """Return what separates the cells of lines; empty: nothing."""
    for delimiter in "\t;":
        if any(delimiter in line for line in lines):
            return delimiter
    is_table = lines[0].startswith('"') or any("," in line for line in lines)
    if is_table and (not phrases or word_column(cells_of(lines[0], ",")) is not None):
        return ","
    return ""


def _is_number(cell: str) -> bool:
    try:
        return not math.isnan(float(cell.replace(",", ".")))
    except ValueError:
        return False


def _has_long_run(line: str) -> bool:
    """Return whether more combining marks stand in a row than any word has."""
    for suspect in _SUSPECT.findall(line):
        run = 0
        for char in suspect:
            run = run + 1 if unicodedata.combining(char) else 0
            if run > MOST_MARKS:
                return True
    return False
