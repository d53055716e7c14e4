"""Strings that are paths, and strings that are texts: told apart, or refused."""

import os
import re
from collections.abc import Sequence
from typing import Any

from transforms.common.errors import UsageError, quoted
from transforms.common.options.option import Option
from transforms.common.store import files

__all__ = ["LONGEST_PATH", "check_is_no_text", "hold_texts"]

LONGEST_PATH = 255  # bytes of a string that may be a path
_FINAL = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u0964\u061f][\"'\u2019\u201d\u00bb)\]]*\Z")
_FILE = re.compile(r"\S\.[A-Za-z]\w{0,7}\Z")
_FEW = 4  # words; so many are a text


def check_is_no_text(entry: Option, value: str | os.PathLike[str]) -> None:
    """Refuse a text, or a word, where a path is meant.

    Raises:
        UsageError: it reads like a text, and nothing is there.
    """
    if not isinstance(value, str):
        return
    if entry.path == "input" and entry.positional and _kind(value) == "text":
        remedy = "give `text`" if entry.data == "documents" else f"give texts in a list, {entry.name}=[...]"
        raise UsageError(f"`{entry.name}` {quoted(value)} reads like a text, and nothing is there: {remedy}")
    if entry.data == "words" and not _is_there(value) and not re.search(r"[./\\:]", value):
        raise UsageError(
            f"`{entry.name}` {quoted(value)}: no such file is there; words are given in a list, "
            f"{entry.name}=[{value!r}]"
        )


def hold_texts(entry: Option, items: Sequence[Any]) -> bool:
    """Return whether strings are texts, and not paths.

    Raises:
        UsageError: some are texts, and some paths.
    """
    if not (entry.path == "input" and entry.positional and entry.data != "table"):
        return False
    kinds = [_kind(item) for item in items]
    if not any(kinds) and all(re.search(r"\s", os.fspath(item)) and not files.is_glob(item) for item in items):
        raise UsageError(
            f"`{entry.name}` {quoted(items[0])}: nothing is there; if it is a text, say so by a dict, [{{'text': ...}}]"
        )
    if "text" in kinds and "path" in kinds:
        raise UsageError(
            f"`{entry.name}` has a text, {quoted(items[kinds.index('text')])}, and a path, "
            f"{quoted(os.fspath(items[kinds.index('path')]))}: give either paths or texts; what is a text for certain "
            "is one of a dict, {'text': ...}"
        )
    return "text" in kinds


def _kind(item: str | os.PathLike[str]) -> str:
    """Return what a string is: `path`, `text`, or empty, if it may be either: a word, say."""
    if isinstance(item, os.PathLike):
        return "path"
    if "\n" in item or len(item.encode("utf-8", "surrogatepass")) > LONGEST_PATH:
        return "text"
    if item.startswith(("http:", "https:")):  # nothing is read from there
        return ""
    if _is_there(item) or not files.is_local(item):
        return "path"
    if re.search(r"\s", item):
        is_doubtful = bool(_FILE.search(item)) or "*" in item
        return "text" if not is_doubtful and (_FINAL.search(item) or len(item.split()) >= _FEW) else ""
    if _FILE.search(item) or "*" in item:
        return "path"
    return "text" if _FINAL.search(item) and not files.is_glob(item) else ""


def _is_there(path: str) -> bool:
    return bool(path) and files.is_local(path) and "\0" not in path and os.path.lexists(os.path.expanduser(path))
