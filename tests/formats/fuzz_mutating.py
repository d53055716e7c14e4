"""Inputs to be read, each from a seed, a format and a number: bytes mutated, packed and named.

    input_of("csv", seed=1, number=7)

is the same on every machine and in every version of Python that has the same `random`.
"""

import bz2
import gzip
import io
import lzma
import random
import tarfile
import warnings
import zipfile
from typing import Any, NamedTuple

import pyarrow as pa
from counting import PACKED, count, is_package
from counting_text import decoded
from fuzz_formats import MAKERS, Maker
from fuzz_making import chance
from fuzz_signing import signed

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.formats.sources.content import HEAD, content_of

# Overlong and cut UTF-8, surrogates, what is beyond Unicode, byte order marks, NULs, line ends,
# beginnings of compressed files and of others, escape sequences, an accent in Latin-1.
RAW = (
    b"\xc0\x80",
    b"\xe0\x80\xaf",
    b"\xed\xa0\x80",
    b"\xed\xa0\x80\xed\xb0\x80",
    b"\xf4\x90\x80\x80",
    b"\xff",
    b"\xc3",
    b"\xe2\x82",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\xff\xfe\x00\x00",
    b"\x00",
    b"\x00\x00\x00",
    b"\r\n",
    b"\r",
    b"\n",
    b"\n\r",
    b"\x85",
    b"\xe2\x80\xa8",
    b"\x0b",
    b"\xe2\x80\x8b",
    b"\xcc\x81",
    b"\xcc\x96\xcc\x81" * 20,
    b"\x1f\x8b",
    b"PK\x03\x04",
    b"BZh9",
    b"\x1b[31m",
    b"\xe9",
    b"\x1a",
    b"\x80",
    b"%PDF-1.4\n",
    b"<html>",
    b"\x7fELF",
    b"\x89PNG\r\n",
    b"\xd0\xcf\x11\xe0",
    b"MZ",
    b"\xff\xd8\xff",
    b"\xc2\xad\n",
    b"\xe2\x80\xae",
)
NAMES = (
    "\udcff",
    "\udcfe.txt",
    "s\\~2",
    "\ufefft",
    "t\u2028u",
    "v\\!w",
    "\U000e0041",
    "a",
    "b.txt",
    "dir/c",
    "./d",
    "ü",
    "e.gz",
    "..",
    "../f",
    "/g",
    "C:h",
    "x\\..\\i",
    ".hidden",
    "__MACOSX/j",
    "k\n",
    "l!m",
    " ",
    "n" * 120,
    "o.tar",
    "p.zip",
    "\u202eq",
    "a~2",
    "~2",
    "%61",
)
WIDE = ("utf-16", "utf-32", "utf-16-be", "utf-32-be")
REENCODED = ("utf-16", "utf-16-be", "utf-32", "latin-1", "cp1252", "utf-8-sig", "utf-7")
WRAPPED = 0.15  # share of inputs that are packed


class Member(NamedTuple):
    """What is one source or one reject: bytes of a format's, or None of what is never opened."""

    data: bytes | None


class Input(NamedTuple):
    """What is read, and what must come out of it.

    Attributes:
        format: of its content.
        asked: the format that the reader is told: the same, or `auto`.
        name: of the file.
        data: of the file.
        options: of the reader.
        members: what it holds, where that is known; None where what packed it was damaged.
        cut: whether its end is missing, so that there must be a reject.
        reason: of the one reject that it must be, where it is known to be no text; else empty.
        text: whether it is known to be of its format, so that it must not be taken for another.
    """

    format: str
    asked: str
    name: str
    data: bytes
    options: dict[str, Any]
    members: list[Member] | None
    cut: bool = False
    reason: str = ""
    text: bool = False

    def expected(self, told: set[str]) -> int | None:
        """Return how many records there must be, counted without the readers; None if unknown.

        `told` are the formats that were found out, where none was asked for.
        """
        if self.members is None or "max_expanded_bytes" in self.options:
            return None
        if self.format == "parquet" and "max_record_bytes" in self.options:
            return None  # which counts only where the file is not read in place
        if len(told) > 1:
            return None
        total = 0
        name, options = self.name, ReaderOptions(**self.options)
        for suffix in COMPRESSIONS:
            name = name.removesuffix(suffix)
        for member in self.members:
            found: int | None = 1
            if member.data is not None and not self._refused(member.data):
                packed = PACKED.match(member.data) or b"ustar" in member.data[257:262]
                if packed and not is_package(member.data):
                    return None
                for format in told:
                    found = count(format, member.data, options, name)
            if found is None:
                return None
            total += found
        return max(1, total)

    def _refused(self, data: bytes) -> bool:
        """Return whether a member is one reject, since it begins as what is no text.

        What that is `signed` tests without the readers' own table.
        """
        found = content_of(data[:HEAD])
        if found is None or found.reason != "html":
            return found is not None
        headless = self.format == "csv" and not self.options.get("header", True)
        if self.asked == "auto":
            return self.options.get("html", "reject") == "reject"
        return self.format != "html" and not headless


def input_of(format: str, seed: int, number: int) -> Input:
    """Return an input by its number."""
    rng = random.Random(f"{seed} {format} {number}")
    maker = MAKERS[format]
    data = maker.make(rng)
    options = _options(rng, maker) if chance(rng, maker.share) else {}
    kind = rng.random()
    text = kind <= 0.45 and not any(code in data for code in b"\x00\x01\x1a\x1c\x1f")
    if kind > 0.97:
        data = rng.randbytes(rng.randrange(60))
    elif kind > 0.45:
        data = mutated(rng, data, maker.tokens)
    if not PACKED.match(data) and format != "parquet" and chance(rng, 0.05):
        data, text = _marked(rng, data), False
    elif len(options.get("encoding", ())) > 1:
        data, text = _mixed(rng, data, options["encoding"]), False
    name, asked = "a", format
    if maker.suffix and format != "lines" and chance(rng, 0.1):
        name, asked = "a" + maker.suffix, "auto"
    elif format == "csv" and chance(rng, 0.1):
        name = "a.tsv"
    if chance(rng, 0.03):
        return _signed(rng, Input(format, asked, name, b"", options, []))
    made = Input(format, asked, name, data, options, [Member(data)], text=text)
    return _packed(rng, made) if chance(rng, WRAPPED) else made


def _options(rng: random.Random, maker: Maker) -> dict[str, Any]:
    """Draw options until the reader takes them."""
    while True:
        options = maker.options(rng)
        try:
            ReaderOptions(**options)
        except UsageError:
            continue
        return options


def _marked(rng: random.Random, data: bytes) -> bytes:
    """Return text in an encoding that its byte order mark tells of."""
    encoding = rng.choice(WIDE)
    return ("\ufeff" * encoding.endswith("be") + data.decode("utf-8", "replace")).encode(encoding)


def _mixed(rng: random.Random, data: bytes, encodings: tuple[str, ...]) -> bytes:
    """Return text whose lines are in any of some encodings, or all in one."""
    drawn = rng.choice(encodings)
    lines = []
    for line in data.split(b"\n"):
        encoding = rng.choice(encodings) if chance(rng, 0.5) else drawn
        text = decoded(line, ("utf-8",))
        lines.append(line if text is None else text.encode(encoding, "ignore"))
    return b"\n".join(lines)


def _signed(rng: random.Random, made: Input) -> Input:
    """Return an input that is no text."""
    data, reason = signed(rng)
    if reason == "html" and (made.format in ("csv", "html") or "html" in made.options):
        return made._replace(data=data, members=[Member(data)])
    if not data.startswith(b"PK") and chance(rng, 0.2):
        data = COMPRESSIONS[rng.choice(tuple(COMPRESSIONS))](data)
    return made._replace(data=data, members=[Member(None)], reason=reason)


def mutated(rng: random.Random, data: bytes, tokens: tuple[bytes, ...]) -> bytes:
    """Return bytes after one to four changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        kind = rng.randrange(10)
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice((0, 1, 1, 2, 5, 20, 100)))
        if kind < 3:
            data = data[:start] + rng.choice(tokens) + data[end:]
        elif kind < 5:
            data = data[:start] + rng.choice(RAW) + data[end:]
        elif kind == 5 and start < len(data):
            flipped = bytes((data[start] ^ (1 << rng.randrange(8)),))
            data = data[:start] + flipped + data[start + 1 :]
        elif kind == 6:
            data = data[:start] + data[end:]
        elif kind == 7:
            data = data[:start] + data[start:end] * rng.choice((2, 3, 10)) + data[end:]
        elif kind == 8:
            other = rng.randrange(len(data) + 1)
            data = data[:start] + data[other : other + end - start] + data[end:]
        elif chance(rng, 0.3):
            data = data[:start]
        elif chance(rng, 0.5):
            data = data.decode("utf-8", "replace").encode(rng.choice(REENCODED), "replace")
        else:
            data = data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"\x85", b"\x0c")))
    return data


def _packed(rng: random.Random, plain: Input) -> Input:
    """Return an input compressed, or in an archive, or both; some are damaged."""
    kind = rng.randrange(8)
    members: list[Member] | None = plain.members
    data, name = plain.data, plain.name
    if kind < 4:
        suffix = rng.choice((*COMPRESSIONS, ".gz"))
        data = COMPRESSIONS[suffix](data)
        name += suffix * rng.randrange(2)
    elif kind < 6:
        data, members = _tar(rng, plain)
        name = rng.choice(("a", "a.tar"))
        if chance(rng, 0.3):
            data, name = gzip.compress(data, 1), rng.choice(("a.tar.gz", "a.tgz", "a"))
    else:
        data, members = _zip(rng, plain)
        name = rng.choice(("a", "a.zip"))
        if chance(rng, 0.05):  # which cannot seek
            data, name, members = gzip.compress(data, 1), "a.zip.gz", [Member(None)]
    if plain.asked == "auto" and kind >= 4:
        members = None  # the members' names tell no format
    options = dict(plain.options)
    plain = plain._replace(text=False)
    if kind < 4 and len(data) > 30 and chance(rng, 0.1):
        data = data[: -rng.randrange(1, 5)]
        return plain._replace(name=name, data=data, members=None, cut=True)
    if chance(rng, 0.05):
        options["max_expanded_bytes"] = rng.choice((1, 100, 5000))
    if chance(rng, 0.3):
        data, members = mutated(rng, data, (b"\x00" * 512, b"PK\x05\x06", b"\x1f\x8b", data)), None
    return plain._replace(name=name, data=data, options=options, members=members)


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, 1, mtime=0)


def _xz(data: bytes) -> bytes:
    return lzma.compress(data, preset=0)


def _zst(data: bytes) -> bytes:
    return bytes(pa.compress(data, "zstd", asbytes=True))


COMPRESSIONS = {".gz": _gzip, ".bz2": bz2.compress, ".xz": _xz, ".zst": _zst}


def _members(rng: random.Random, plain: Input) -> list[tuple[str, bytes]]:
    maker = MAKERS[plain.format]
    found = [(rng.choice(NAMES), plain.data)]
    for _ in range(rng.randrange(3)):
        found.insert(rng.randrange(2), (rng.choice(NAMES), maker.make(rng)))
    return found


def _of_member(name: str, data: bytes, *, link: bool) -> list[Member]:
    """Return what a member counts for: hidden ones for nothing, refused ones for one."""
    parts = name.split("/")
    back = name.replace("\\", "/")
    if back.startswith("/") or back[1:2] == ":" or ".." in back.split("/"):
        return [Member(None)]
    if "__MACOSX" in parts or any(part.startswith(".") and part != "." for part in parts):
        return []
    refused = name.endswith((".gz", ".tar", ".zip")) and data
    if link or (refused and not name.endswith(".zip")):
        return [Member(None)]
    return [Member(data)]


def _tar(rng: random.Random, plain: Input) -> tuple[bytes, list[Member]]:
    out, members = io.BytesIO(), []
    with tarfile.open(fileobj=out, mode="w", format=rng.choice((0, 1, 2))) as archive:
        for name, data in _members(rng, plain):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            link = chance(rng, 0.05)
            if link:
                info.type, info.linkname, info.size = rng.choice((b"1", b"2", b"3", b"6")), "x", 0
            try:
                archive.addfile(info, io.BytesIO(data))
            except ValueError:
                continue  # a name that this kind of archive cannot hold
            members += _of_member(name, data, link=link)
    return out.getvalue(), members


def _zip(rng: random.Random, plain: Input) -> tuple[bytes, list[Member]]:
    out, members = io.BytesIO(), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names that are there twice
        with zipfile.ZipFile(out, "w", rng.choice((0, 8))) as archive:
            for name, data in _members(rng, plain):
                try:
                    archive.writestr(zipfile.ZipInfo(name), data)
                except UnicodeError:
                    continue  # which zip has no way to write
                members += _of_member(name, data, link=False)
    return out.getvalue(), members
