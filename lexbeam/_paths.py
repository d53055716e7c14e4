"""Strings that are paths, and strings that are texts: told apart, or refused."""

import logging
import os
import re
from collections.abc import Sequence
from typing import Any

from lexbeam.transforms.common.errors import UsageError, quoted
from lexbeam.transforms.common.options.option import Option
from lexbeam.transforms.common.store import files

log = logging.getLogger("lexbeam")

LONGEST_PATH = 255  # bytes of a string that may be a path
_FINAL = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u0964\u061f][\"'\u2019\u201d\u00bb)\]]*\Z")
_FILE = re.compile(r"\S\.[A-Za-z]\w{0,7}\Z")
_FEW = 4  # words; so many are a text
_COLUMNS = {"table": "token", "cells": "sentence"}  # those of texts, by the form of data; else `text`


def check_is_no_text(entry: Option, value: str | os.PathLike[str]) -> None:
    """Refuse a text, or a word, where a path is meant.

    Raises:
        UsageError: it reads like a text, and nothing is there.
    """
    if not isinstance(value, str):
        return
    if entry.path == "input" and entry.positional and _kind(value) == "text":
        raise UsageError(f"`{entry.name}` {quoted(value)} reads like a text, and nothing is there: {_as_text(entry)}")
    if entry.data == "words" and not _is_there(value) and not re.search(r"[./\\:]", value):
        words = [word.strip() for word in re.split("[,;]", value) if word.strip()]
        raise UsageError(
            f"`{entry.name}` {quoted(value)}: no such file is there; words are given in a list, {entry.name}={words!r}"
        )


def hold_texts(entry: Option, items: Sequence[Any]) -> bool:
    """Return whether strings are texts or words, and not paths.

    Raises:
        UsageError: some are texts, and some paths; or it cannot be told.
    """
    if not (entry.path == "input" and entry.positional):
        return False
    kinds = [_kind(item) for item in items]
    if "text" in kinds and "path" in kinds:
        raise UsageError(
            f"`{entry.name}` has a text, {quoted(items[kinds.index('text')])}, and a path, "
            f"{quoted(os.fspath(items[kinds.index('path')]))}: give either paths or texts; what is a text for certain "
            f"is one of a dict, {_as_dict(entry)}"
        )
    if "text" in kinds or "path" in kinds:
        return "text" in kinds
    doubtful = next((item for item, kind in zip(items, kinds, strict=True) if kind != "word"), None)
    if doubtful is not None and ("word" in kinds or re.search(r"\s", doubtful)) and not files.is_glob(doubtful):
        raise UsageError(
            f"`{entry.name}` {quoted(doubtful)}: nothing is there; if it is a text, say so by a dict, "
            f"[{_as_dict(entry)}]"
        )
    if doubtful is None and len(items) == 1:
        log.warning("`%s` %s is taken for a text: nothing is there by that name", entry.name, quoted(items[0]))
    return doubtful is None


def path_or_text(entry: Option, value: object) -> str:
    """Return how a string that was taken for a path is given as a text; empty if there is none."""
    is_list = isinstance(value, list | tuple)
    if not (entry.data and entry.path == "input" and entry.positional and (is_list or isinstance(value, str))):
        return ""
    return "if it is a text, " + (f"say so by a dict, [{_as_dict(entry)}]" if is_list else _as_text(entry))


def _as_text(entry: Option) -> str:
    return "give `text`" if entry.data == "documents" else f"give texts in a list, {entry.name}=[...]"


def _as_dict(entry: Option) -> str:
    return f"{{{_COLUMNS.get(entry.data, 'text')!r}: ...}}"


def _kind(item: str | os.PathLike[str]) -> str:
    """Return what a string is: `path`, `text`, `word`, if it is a text in a list, or empty, if it may be any."""
    if isinstance(item, os.PathLike):
        return "path"
    if "\n" in item or len(item.encode("utf-8", "surrogatepass")) > LONGEST_PATH:
        return "text"
    if item.startswith(("http:", "https:")):  # nothing is read from there
        return ""
    if _is_there(item) or not files.is_local(item):
        return "path"
    is_doubtful = bool(_FILE.search(item)) or "*" in item
    if re.search(r"\s", item) and not is_doubtful and (_FINAL.search(item) or len(item.split()) >= _FEW):
        return "text"
    if is_doubtful:
        return "" if re.search(r"\s", item) else "path"
    if files.is_glob(item):
        return ""
    if _FINAL.search(item):
        return "text"
    return "" if re.search(r"[/\\]", item) else "word"


def _is_there(path: str) -> bool:
    return bool(path) and files.is_local(path) and "\0" not in path and os.path.lexists(os.path.expanduser(path))
