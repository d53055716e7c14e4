"""Errors that a person is meant to read: cause, place and remedy, without a traceback."""

import difflib
import os
import re
import traceback
from collections.abc import Iterable, Mapping, Sequence

from lexbeam.transforms.common.names import UNSHOWN

# Characters of a line of a message; a longer line keeps its two ends.
LONGEST_LINE = 2000
# Characters of a value that a message quotes.
LONGEST_VALUE = 200
# What a terminal obeys, or cannot show, but for tabs and line ends: what published names escape, too.
UNSEEN = re.compile(rf"(?![\t\n])[{UNSHOWN}]")


class LexbeamError(Exception):
    """Something failed for a reason that the message explains; the command exits with 1.

    Whatever the message quotes, it can be printed and read: see `readable`.
    """

    exit_code = 1

    def __init__(self, message: object = "") -> None:
        super().__init__(readable(str(message)))

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows for a traceback: the line outside of this program that led to it, and the message.

        `traceback.print_last()` has the rest.
        """
        calls = list(traceback.walk_tb(self.__traceback__))
        names = [frame.f_globals.get("__name__", "").partition(".")[0] for frame, _ in calls]
        ours = names.index("lexbeam") if "lexbeam" in names else len(names)
        outside = traceback.StackSummary.extract(iter(calls[max(0, ours - 1) : ours]))
        called = [f"{_place(frame)}: {_shortened(frame.line or '', LONGEST_VALUE)}" for frame in outside]
        return [*called, f"{type(self).__name__}: {self}"]


class UsageError(LexbeamError):
    """The command or configuration is wrong; the command exits with 2."""

    exit_code = 2


class ReplacedSectionsError(UsageError):
    """Published sections would be replaced or dropped without consent."""


class HeldBackError(LexbeamError):
    """What was made is outside the bounds for what may be published; what was published before stays.

    Attributes:
        reasons: what is outside, each in a line, for whoever looks at the folder later.
    """

    def __init__(self, message: object, reasons: Sequence[str]) -> None:
        super().__init__(message)
        self.reasons = tuple(map(readable, reasons))


class NoDataError(LexbeamError):
    """A section has nothing to do for want of data: its tables have no rows, and the message is the reason."""


class NothingToDoError(LexbeamError):
    """There is nothing to do, and whoever asked wants to know by the exit code, which is 3."""

    exit_code = 3


class StaleError(LexbeamError):
    """What is published is stale, and whoever asked wants to know by the exit code, which is 4."""

    exit_code = 4


class HeldSectionsError(LexbeamError):
    """Sections have failed and are held, others of the run are published; the exit code is 5.

    Attributes:
        held: why each section is held, by name: it failed, it feeds one that is held, or is made from one.
        published: whether readers see another snapshot.
    """

    exit_code = 5

    def __init__(self, message: object, held: Mapping[str, str], *, published: bool) -> None:
        super().__init__(message)
        self.held = dict(held)
        self.published = published


def _place(frame: traceback.FrameSummary) -> str:
    """Return where a line of code is: cells have no files."""
    file = f"{os.path.basename(frame.filename)}, " if os.path.exists(frame.filename) else ""
    return f"{file}line {frame.lineno}"


def readable(message: str) -> str:
    """Return a message without what a terminal obeys or cannot show, its long lines shortened."""
    return "\n".join(_shortened(line, LONGEST_LINE) for line in visible(message).split("\n"))


def visible(text: str) -> str:
    """Return a text, uncut, with escapes in place of what a terminal obeys or cannot show; tabs and line ends stay."""
    return UNSEEN.sub(_escaped, text)


def quoted(value: object) -> str:
    """Return a value as Python writes it, shortened, for a message."""
    try:
        text = repr(value)
    except Exception:  # an int of more than 4,300 digits, or whatever a class of others does
        return f"a value of type {type(value).__name__}"
    return _shortened(text, LONGEST_VALUE)


def cause_of(error: BaseException) -> str:
    """Return what an error of a library says, for a message about the data that it was given."""
    if isinstance(error, KeyError):
        return f"it has no {error}"
    if isinstance(error, EOFError):
        return "it ends too early"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return str(error) or f"it raises {type(error).__name__}"


def failure_of(error: BaseException) -> str:
    """Return what an unforeseen error is and where it rose, for what is kept: its message may quote a text."""
    place = ""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        place = f" in {frame.f_globals.get('__name__', '?')}.{frame.f_code.co_qualname}"
    return f"{type(error).__name__}{place}"


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]} ... {len(text) - 2 * half} characters more ... {text[-half:]}"


def nearest(word: str, known: Iterable[str], common: str = "") -> str:
    """Return `"; did you mean 'X'?"` for the known word nearest to `word`, else an empty string.

    Args:
        word: what was written.
        known: what there is.
        common: how all of them begin, which brings no two nearer.
    """
    names = [name.removeprefix(common) for name in known if name.startswith(common)]
    close = difflib.get_close_matches(word.removeprefix(common), names, n=1, cutoff=0.65)
    return f"; did you mean {common + close[0]!r}?" if close and common + close[0] != word else ""
