r"""Published names: what a file or a member of an archive is called, so that no two share a name.

A file's name is its path below the named input, a member's `archive!member`. The backslash is the
escape sign: `\\` is itself, `\!` a `!` of a file's or member's own name, `\xE9` a byte that is not
UTF-8 (Python has it as a surrogate), `\u000A` or `\U000E0001` a character that no table or terminal
should be given. `\~2`, which no name can hold once it is escaped, tells the second of one name.

Escaped are controls (U+0000 to U+001F, U+007F to U+009F), surrogates, line and paragraph separators
(U+2028, U+2029), what turns the direction of writing (U+061C, U+200E, U+200F, U+202A to U+202E,
U+2066 to U+2069), deprecated and annotating format characters (U+206A to U+206F, U+FFF9 to U+FFFB),
the byte order mark (U+FEFF), language tags (U+E0000 to U+E007F), and noncharacters. These are fixed
ranges, not categories of Python's tables, so that a name is the same in every version. All else
stays as it is: characters that are not assigned yet, joiners, which Persian and emoji need, and
both normal forms of a letter, which are two names.

    >>> escape("a b'c~1.txt"), escape("é\udcff!\\.txt")
    ("a b'c~1.txt", 'é\\xFF\\!\\\\.txt')
    >>> unescape(escape("é\udcff!\\.txt")) == "é\udcff!\\.txt"
    True
    >>> source = member_of(escape("like!zip"), "x/a.txt")
    >>> source, file_of(source), real_name(source)
    ('like\\!zip!x/a.txt', 'like\\!zip', 'a.txt')
"""

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

_NO_CHARACTERS = "\ufdd0-\ufdef" + "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
# What no table or terminal should be given, as ranges of a pattern.
UNSHOWN = (
    "\x00-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff"
    f"\ufff9-\ufffb\U000e0000-\U000e007f{_NO_CHARACTERS}"
)
_HIDDEN = re.compile(f"[{UNSHOWN}]")
_ESCAPED = re.compile(rf"[\\!{UNSHOWN}]")
_ESCAPE = re.compile(r"\\(?:([\\!])|x([89A-F][0-9A-F])|u([0-9A-F]{4})|U([0-9A-F]{8})|(.?))", re.S)
_FILE = re.compile(r"(?:[^\\!]|\\.)*", re.S)
_COUNTER = re.compile(r"(?<!\\)((?:\\\\)*)\\~[0-9]+$")  # its backslash is no name's


def escape(name: str) -> str:
    """Return a file's or member's own name as it is published; no two names have one escape."""
    return _ESCAPED.sub(_sign, name)


def _sign(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    if character in "\\!":
        return f"\\{character}"
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, see `os.fsdecode`
        return f"\\x{code - 0xDC00:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def unescape(published: str) -> str:
    """Return the name whose escape this is.

    Raises:
        ValueError: it is the escape of no name.
    """
    name = _ESCAPE.sub(_meant, published)
    if escape(name) != published:
        raise ValueError(f"{published!r} is the escape of no name")
    return name


def _meant(match: re.Match[str]) -> str:
    sign, byte, *codes, _ = match.groups()
    if sign:
        return sign
    code = 0xDC00 + int(byte, 16) if byte else int(next(filter(None, codes), "0"), 16)
    return chr(code) if code <= 0x10FFFF else ""  # what is wrong does not come back


def member_of(archive: str, member: str) -> str:
    """Return the published name of an archive's member, by the archive's and the member's own."""
    return f"{archive}!{escape(member)}"


class Names:
    r"""Gives each of several equal published names one of its own: `a.txt`, `a.txt\~2`."""

    def __init__(self) -> None:
        self._given: Counter[str] = Counter()

    def __call__(self, published: str) -> str:
        """Return the name, with a counter if it was given before."""
        self._given[published] += 1
        times = self._given[published]
        return published if times == 1 else rf"{published}\~{times}"


def file_of(source: str) -> str:
    """Return the published name of the file that a source is, or is a member of."""
    return _FILE.match(source)[0]  # type: ignore[index]  # it always matches


def alike(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that are a name but for folders at its beginning, or for how letters are composed.

    >>> alike("./in/1810.txt", ["1810.txt", "0.txt"]), alike("0417.txt", ["letters/0417.txt"])
    (['1810.txt'], ['letters/0417.txt'])
    """
    asked = _form(name)
    return sorted({of for of in known if of != name and (asked.endswith(form := _form(of)) or form.endswith(asked))})


def _form(name: str) -> str:
    return "/" + unicodedata.normalize("NFC", name).removeprefix("./")


def plain(name: str) -> str:
    """Return a name for patterns and messages: what no text should hold is U+FFFD."""
    return _HIDDEN.sub("\ufffd", name)


@functools.lru_cache(256)
def real_name(source: str) -> str:
    """Return the real name of a source's file, of an archive's member its own, without folders.

    What no text should hold is U+FFFD, and the counter of a second one of that name is left out.
    """
    return plain(_real(_within(source).rpartition("/")[2]))


@functools.lru_cache(256)
def ways_to_write(source: str) -> tuple[str, ...]:
    """Return how a person may write a source's name: as published, without archive, without folder.

    Each is given as it is published and, where a person can write it so, as it really is. A real
    name that reads like the escape of another is given escaped alone.
    """
    ways = [source]
    last = _within(source)
    for part in (last, last.rpartition("/")[2]):
        real = _real(part)
        ways += [part] if _HIDDEN.search(real) or _real(real) != real else [part, real]
    return tuple(dict.fromkeys(ways))


def _within(source: str) -> str:
    """Return the published name of a member within its archive, or of a file."""
    place = file_of(source)
    return source[len(place) + 1 :] or place


def _real(published: str) -> str:
    """Return the name that a published one, or a part of it, stands for, without a last counter."""
    try:
        return unescape(_COUNTER.sub(r"\1", published))
    except ValueError:  # a counter is within it, or nobody published it
        return published
