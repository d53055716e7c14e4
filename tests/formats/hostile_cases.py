"""Hostile input case by case: what is fed, and what must come out of it.

docs/running/hostile-input.md is made from these cases and checked against them:

    python tests/formats/hostile_cases.py > docs/running/hostile-input.md
"""

import gzip
import json
import os
import sys
import tarfile
from pathlib import Path
from stat import S_IFBLK, S_IFCHR, S_IFIFO, S_IFLNK, S_IFREG, S_IFSOCK
from typing import Any

import hostile_making as make
from hostile_cases_text import FIRST, LARGE, LAST, SECRET, TEXTS
from hostile_feeding import Case, document
from hostile_making import COMPRESS, damaged, tar, tei, zipped
from hostile_meaning import meaning_tables
from hostile_meanings import MEANINGS

NEWLINE = b"\n"
TWO = [("a.txt", b"one " * 50), ("b.txt", b"two")]
BOMB = 17 << 20


def _json(**fields: Any) -> bytes:
    return json.dumps({"text": "Text.", **fields}).encode()


def _dated(value: str) -> Case:
    return Case(f"the date `{value}`", "a.jsonl", _json(date=value), "1: bad_date", {"dates": "field:date"})


def _table(path: Path) -> None:
    path.write_bytes(b"Text.")
    (path.parent / ".table.csv").write_bytes(b"file,year\nother.txt,1850\n")


def _cut(kind: str) -> Case:
    return Case(f"{kind}, cut short", f"a.txt.{kind}", COMPRESS[kind](LARGE)[:-5], "malformed")


def _followed(kind: str) -> Case:
    return Case(
        f"{kind}, bytes of something else after it", f"a.txt.{kind}", COMPRESS[kind](LARGE) + b"garbage", "malformed"
    )


def _bomb(kind: str) -> Case:
    made = lambda: COMPRESS[kind](NEWLINE * BOMB)  # noqa: E731
    return Case(f"{kind} that expands more than 200 times", f"a.txt.{kind}", made, "unsafe")


def _misnamed(kind: str) -> Case:
    return Case(f"named {kind}, but plain text", f"a.txt.{kind}", b"Text.", "malformed")


CASES: dict[str, list[Case]] = {
    **TEXTS,
    "Dates": [
        Case("no year in the name", "a.txt", b"Text.", "no_date", {"dates": r"name:(\d{4})"}),
        Case("a pattern that `re` needs ages for", "a" * 50 + ".txt", b"Text.", "no_date", {"dates": "name:(a+)+$x"}),
        Case("no date in the header", "a.xml", tei(), "no_date", {"dates": "header"}),
        Case("no date in the field", "a.jsonl", _json(), "1: no_date", {"dates": "field:date"}),
        Case(
            "no row in the table",
            "a.txt",
            None,
            "no_date",
            {"dates": "table:FOLDER/.table.csv:key=file,date=year"},
            place=_table,
        ),
        _dated("1850-02-30"),
        _dated("1850-13-01"),
        _dated("99999"),
        _dated("unknown"),
        Case(
            "a range, where ranges are refused",
            "a.jsonl",
            _json(date="1840-1850"),
            "1: bad_date",
            {"dates": "field:date", "date_range": "reject"},
        ),
    ],
    "Compressed files": [
        *map(_cut, COMPRESS),
        _followed("gz"),
        _followed("zst"),
        _followed("bz2"),
        _followed("xz"),
        Case(
            "bz2 of two streams",
            "a.jsonl.bz2",
            COMPRESS["bz2"](FIRST) + COMPRESS["bz2"](LAST),
            "1: document; 2: document",
        ),
        Case(
            "bz2 of two streams, the second damaged",
            "a.jsonl.bz2",
            COMPRESS["bz2"](FIRST) + damaged(COMPRESS["bz2"](LAST), 0),
            "1: document; malformed",
        ),
        *map(_bomb, COMPRESS),
        Case(
            "gz that expands to more than is allowed",
            "a.txt.gz",
            gzip.compress(LARGE),
            "unsafe",
            {"max_expanded_bytes": 999},
        ),
        *map(_misnamed, COMPRESS),
        Case("gz without the suffix in its name", "a.txt", gzip.compress(b"Text."), "document"),
        Case("gz of nothing", "a.txt.gz", gzip.compress(b""), "empty"),
        Case("gz within gz", "a.txt.gz", gzip.compress(gzip.compress(b"Text.\x00")), "binary"),
    ],
    "Archives": [
        Case("zip, cut short", "a.zip", zipped(*TWO)[:-30], "malformed"),
        Case("zip, a member damaged", "a.zip", damaged(zipped(*TWO), 40), "a.txt: malformed; b.txt: document"),
        Case(
            "zip, bytes of something else after it",
            "a.zip",
            zipped(*TWO) + b"garbage",
            "a.txt: document; b.txt: document",
        ),
        Case("named zip, but plain text", "a.zip", b"Text.", "malformed"),
        Case(
            "zip, two members of one name and without date",
            "a.zip",
            zipped(("a.txt", b"one"), ("a.txt", b"two")),
            "a.txt: no_date; a.txt\\~2: no_date",
            {"dates": r"name:(\d{4})"},
        ),
        Case(
            "zip, two members of one name that come annotated",
            "a.zip",
            zipped(("a.txt", b"one"), ("a.txt", b"two")),
            "a.txt: document; a.txt\\~2: document",
            {"format": "lines"},
        ),
        Case("zip without the suffix in its name", "a.txt", zipped(*TWO), "a.txt: document; b.txt: document"),
        Case("zip without members", "a.zip", zipped(), "empty"),
        Case("zip, a member encrypted", "a.zip", make.encrypted(zipped(("a.txt", b"one"))), "a.txt: unreadable"),
        Case(
            "zip, names that lead out",
            "a.zip",
            zipped(("../a.txt", b"1"), ("/b.txt", b"2"), ("C:\\c.txt", b"3"), ("d.txt", b"4")),
            "../a.txt: unsafe; /b.txt: unsafe; C:\\\\c.txt: unsafe; d.txt: document",
        ),
        Case(
            "zip, a member that expands more than 200 times, another after it",
            "a.zip",
            lambda: zipped(("a.txt", NEWLINE * BOMB), ("b.txt", b"two")),
            "a.txt: unsafe; b.txt: unsafe",
        ),
        Case(
            "zip, a gz member that does",
            "a.zip",
            lambda: zipped(("a.txt.gz", gzip.compress(NEWLINE * BOMB)), ("b.txt", b"two")),
            "a.txt.gz: unsafe; b.txt: document",
        ),
        Case(
            "zip, links made on Unix, DOS and macOS, and a file with Unix's mode",
            "a.zip",
            zipped(
                ("a.txt", SECRET, S_IFLNK | 0o777, 3),
                ("b.txt", SECRET, S_IFLNK, 0),
                ("c.txt", SECRET, S_IFLNK, 19),
                ("d.txt", b"Text.", S_IFREG | 0o644, 3),
            ),
            "a.txt: unsafe; b.txt: unsafe; c.txt: unsafe; d.txt: document",
        ),
        Case(
            "zip, devices, a pipe and a socket",
            "a.zip",
            zipped(
                ("a.txt", b"", S_IFCHR, 3),
                ("b.txt", b"", S_IFBLK, 3),
                ("c.txt", b"", S_IFIFO, 3),
                ("d.txt", b"", S_IFSOCK, 3),
            ),
            "a.txt: unsafe; b.txt: unsafe; c.txt: unsafe; d.txt: unsafe",
        ),
        Case(
            "zip, names with a backslash, `!`, a line feed, and one like a counter",
            "a.zip",
            zipped(
                ("a\\b.txt", b"1"),
                ("c!d.txt", b"2"),
                ("e\n.txt", b"3"),
                ("f.txt", b"4"),
                ("f.txt", b"5"),
                ("f.txt\\~2", b"6"),
            ),
            r"a\\b.txt: document; c\!d.txt: document; e\u000A.txt: document; "
            r"f.txt: document; f.txt\~2: document; f.txt\\~2: document",
            {"format": "text"},
        ),
        Case(
            "tar, names that are not UTF-8",
            "a.tar",
            tar((os.fsdecode(b"a\xff.txt"), b"1"), (os.fsdecode(b"a\xfe.txt"), b"2")),
            r"a\xFF.txt: document; a\xFE.txt: document",
        ),
        Case(
            "zip within zip",
            "a.zip",
            zipped(("in.zip", zipped(*TWO)), ("b.txt", b"two")),
            "in.zip: unreadable; b.txt: document",
        ),
        Case("tar, cut within a member", "a.tar", tar(*TWO)[:600], "a.txt: malformed"),
        Case("tar, cut between members", "a.tar", tar(*TWO)[:1024], "a.txt: document; malformed"),
        Case("tar, a header damaged", "a.tar", damaged(tar(*TWO), 1030), "a.txt: document; malformed"),
        Case(
            "tar, bytes of something else after it",
            "a.tar",
            tar(*TWO) + b"garbage",
            "a.txt: document; b.txt: document; malformed",
        ),
        Case("two tar archives in one file", "a.tar", tar(TWO[0]) + tar(TWO[1]), "a.txt: document; malformed"),
        Case(
            "tar.gz, cut short",
            "a.tar.gz",
            gzip.compress(tar(*TWO))[:-10],
            "a.txt: document; b.txt: document; malformed",
        ),
        Case("named tar, but plain text", "a.tar", b"Text.", "malformed"),
        Case(
            "tar, names that lead out",
            "a.tar",
            tar(("../a.txt", b"1"), ("/b.txt", b"2"), ("c.txt", b"3")),
            "../a.txt: unsafe; /b.txt: unsafe; c.txt: document",
        ),
        Case(
            "tar, a symbolic and a hard link",
            "a.tar",
            tar(("a.txt", tarfile.SYMTYPE, SECRET), ("b.txt", tarfile.LNKTYPE, SECRET)),
            "a.txt: unsafe; b.txt: unsafe",
        ),
        Case(
            "tar, a device and a pipe",
            "a.tar",
            tar(("a.txt", tarfile.CHRTYPE, ""), ("b.txt", tarfile.FIFOTYPE, "")),
            "a.txt: unsafe; b.txt: unsafe",
        ),
        Case(
            "tar.gz that expands more than 200 times",
            "a.tar.gz",
            lambda: gzip.compress(tar(("a.txt", NEWLINE * BOMB))),
            "a.txt: unsafe",
        ),
        Case(
            "tar within tar",
            "a.tar",
            tar(("in.tar", tar(*TWO)), ("b.txt", b"two")),
            "in.tar: unreadable; b.txt: document",
        ),
        Case("7z", "a.7z", b"7z\xbc\xaf'\x1c\x00\x04", "unreadable"),
    ],
    "Files": [
        Case("a link to nothing", "a.txt", None, "unreadable", place=lambda path: path.symlink_to("nowhere.txt")),
        Case("a link to itself", "a.txt", None, "unreadable", place=lambda path: path.symlink_to("a.txt")),
        Case("a pipe", "a.txt", None, "unreadable", place=os.mkfifo, while_read=make.piped),
        Case("no permission to read it", "a.txt", b"Text.", "unreadable", while_read=make.locked),
        Case("gone since the inputs were listed", "a.txt", b"Text.", "unreadable", while_read=make.vanished),
        Case(
            "9 MB, rewritten between two readings, size and time as before",
            "a.txt",
            LARGE * 9000,
            "changed_while_read",
            while_read=make.rewritten,
        ),
        Case(
            "a folder of that name: what is in it is taken in",
            "a.txt",
            None,
            "in.txt: document",
            place=lambda path: (path.mkdir(), (path / "in.txt").write_bytes(b"Text.")),
        ),
    ],
}

if __name__ == "__main__":
    sys.stdout.write(document(CASES) + meaning_tables(MEANINGS))
