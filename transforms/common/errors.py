"""Errors that a person is meant to read: cause, place and remedy, without a traceback.

    with explaining():
        ...  # an OSError or a MemoryError leaves the block as a LexbeamError

Commands are run within such a block, on the command line and from Python. What a package of an extra is needed for, and
how it is installed here, `check_packages` says.
"""

import difflib
import errno
import importlib.metadata
import importlib.util
import json
import os
import re
import shlex
import sys
import tomllib
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

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


_CAUSES: dict[int, str] = {
    errno.EACCES: "no permission; change the permissions, or name another place",
    errno.EPERM: "the system does not permit it; change the permissions, or name another place",
    errno.EROFS: "the file system is read-only; name a place that can be written to",
    errno.ENOSPC: "no space, or no room for another file, is left on the file system; free some, "
    "or name a place on another one",
    errno.EDQUOT: "your quota on the file system is used up; free some, or name another place",
    errno.EFBIG: "the file system takes no file of this size; name a place on another one",
    errno.ENAMETOOLONG: "the name is too long for the file system; name a shorter one",
    errno.ELOOP: "its links lead in a circle; name what they should lead to",
    errno.ENOTDIR: "a file stands where a folder is expected; name another place",
    errno.EISDIR: "it is a folder, where a file is expected; name a file",
    errno.ENOENT: "there is no such file or folder; check the path",
    errno.EEXIST: "there is something of this name; name another place",
    errno.EMFILE: "too many files are open; raise the limit of the system (ulimit -n)",
    errno.ENFILE: "too many files are open on this machine; wait for other programs to end",
    errno.ENOMEM: "there is not enough memory; end other programs, or take a smaller input",
    errno.EIO: "the device fails to read or write; check the disk",
    errno.ESTALE: "the file system on the network has lost it; run the same command again",
}

# What is left of an error where it has crossed the border of a process as text: a traceback, whose
# last line of this form is the error that counts.
_RAISED = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception): .*$", re.MULTILINE)
_AS_TEXT = re.compile(r"\[Errno (\d+)\] [^\n'\":]*(?:: '([^'\n]+)'|: \"([^\"\n]+)\")?")


def reason_of(error: OSError) -> str:
    """Return what happened and what to do, without the path."""
    if error.errno in _CAUSES:
        return _CAUSES[error.errno]
    return f"{error.strerror or error}"


def explained(error: OSError, path: str | None = None) -> LexbeamError:
    """Return an error of the system as one for a person.

    Args:
        error: the error.
        path: what to name; the path that the error itself names, if it is not given.
    """
    if isinstance(getattr(error, "exception_details", None), dict):
        return _of_store(error)
    named = path or error.filename
    place = f"{os.fsdecode(named)!r}: " if isinstance(named, str | bytes | os.PathLike) else ""
    return LexbeamError(place + reason_of(error))


def _of_store(error: BaseException) -> LexbeamError:
    """Return an error of Beam's file systems, which hold the errors of others by path, for a person."""
    path = ""
    while details := getattr(error, "exception_details", None):
        path, inner = next(iter(details.items()))
        if not isinstance(inner, BaseException):
            break
        error = inner
    place = f"{os.fsdecode(path)!r}: " if isinstance(path, str | bytes) and path else ""
    return LexbeamError(
        f"{place}the file system fails: {cause_of(error)}; check the path, the network, and what this machine is "
        "permitted to do there (its credentials)"
    )


def explained_text(text: str) -> LexbeamError | None:
    """Return the error that a traceback ends in for a person; None if it is none of the system."""
    raised = _RAISED.findall(text)
    match = _AS_TEXT.search(raised[-1]) if raised else None
    if match is None or int(match[1]) not in _CAUSES:
        return None
    return explained(OSError(int(match[1]), ""), match[2] or match[3])


@contextmanager
def explaining(place: str | None = None) -> Iterator[None]:
    """Raise the errors of the system that leave the block as LexbeamError.

    A reader that has gone (a broken pipe) is none: whoever prints ends quietly.

    Args:
        place: what to name where an error names no path, as of a disk that is full.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise explained(error, error.filename or place) from error
    except MemoryError as error:
        cause = f"there is not enough memory ({error})" if str(error) else "there is not enough memory"
        raise LexbeamError(f"{cause}; end other programs, or take a smaller input") from error


_HOME = Path(__file__).resolve().parents[2]


def check_packages(what: str, packages: Sequence[str], *extras: str, otherwise: str = "") -> None:
    """Check that packages are installed, without importing them.

    Args:
        what: needs them, with its verb: `encoders need`.
        packages: names of modules.
        extras: install them.
        otherwise: what does without them.

    Raises:
        UsageError: as `missing_package` returns it.
    """
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise missing_package(what, ", ".join(missing), *extras, otherwise=otherwise)


def missing_package(what: str, package: str | None, *extras: str, otherwise: str = "") -> UsageError:
    """Return the error for a package of an extra that is not installed, with the command that installs it."""
    text = f"{what} the Python package {package}: {install_command(*extras)}"
    return UsageError(f"{text}, or {otherwise}" if otherwise else text)


def install_command(*extras: str) -> str:
    """Return the command that adds extras to this installation of Lexbeam.

    It names what Lexbeam was installed from, which pip and uv note (PEP 610): a checkout, a wheel, or else a
    package index.
    """
    tool = Path(sys.prefix, "uv-receipt.toml")
    if tool.exists():
        extras = tuple(sorted({*extras, *_extras_of_tool(tool)}))
    names = ",".join(extras)
    source, editable = _source()
    if editable and Path(source) in Path(sys.prefix).parents and Path(source, "Makefile").exists():
        return f"make -C {shlex.quote(source)} install EXTRAS={names}"
    if os.path.isdir(source):
        requirement = f"{source}[{names}]"
    else:
        requirement = f"lexbeam[{names}] @ {Path(source).as_uri()}" if source else f"lexbeam[{names}]"
    words = ["--editable"] if editable else []
    words.append(shlex.quote(requirement))
    if tool.exists():
        return " ".join(["uv tool install --force", *words])
    python = shlex.quote(sys.executable)
    pip = f"{python} -m pip install" if importlib.util.find_spec("pip") else f"uv pip install --python {python}"
    return " ".join([pip, *words])


def _source() -> tuple[str, bool]:
    """Return the path of what Lexbeam was installed from, empty for an index, and whether it is editable."""
    # Beside that of the environment there may be an egg-info in a checkout, which notes nothing.
    for distribution in importlib.metadata.distributions(name="lexbeam"):
        if noted := distribution.read_text("direct_url.json"):
            url = json.loads(noted)
            return unquote(urlsplit(url["url"]).path), bool(url.get("dir_info", {}).get("editable"))
    return (str(_HOME), True) if (_HOME / "setup.py").exists() else ("", False)


def _extras_of_tool(receipt: Path) -> Sequence[str]:
    """Return the extras with which `uv tool install` was called; it would take others in their place."""
    requirements = tomllib.loads(receipt.read_text("utf-8"))["tool"]["requirements"]
    return next((row.get("extras", ()) for row in requirements if row["name"] == "lexbeam"), ())
