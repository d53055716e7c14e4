"""Small files that people write: targets, rules, gold, a text. Read whole, with bounds."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from transforms.common.csv_rows import csv_rows
from transforms.common.errors import UsageError
from transforms.common.store import files
from transforms.common.system_errors import reason_of

__all__ = ["cells_of", "delimiter_of", "filled_lines", "read_lines", "read_text", "rows_within"]

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
        return files.read_bytes(path).decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{shown} cannot be read: {reason_of(error)}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown} is not UTF-8 text ({error}); save it as UTF-8") from error


def read_lines(path: str, name: str) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, blank ones as empty texts.

    Lines end by a newline, perhaps with a carriage return before it.

    Args:
        path: the file, local or remote.
        name: the option that names it.

    Raises:
        UsageError: it cannot be read, is no such text, or a line holds a control character or more
            combining marks in a row than any word has.
    """
    shown = f"`{name}` {files.shown(path)}"
    for number, raw in enumerate(read_text(path, name).split("\n"), 1):
        line = raw.removesuffix("\r")
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


def _has_long_run(line: str) -> bool:
    """Return whether more combining marks stand in a row than any word has."""
    for suspect in _SUSPECT.findall(line):
        run = 0
        for char in suspect:
            run = run + 1 if unicodedata.combining(char) else 0
            if run > MOST_MARKS:
                return True
    return False
