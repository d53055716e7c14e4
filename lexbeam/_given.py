"""Data from Python as the files that commands read: written by content, so that all else goes by paths.

    DIR/_given/<digest>/inputs.jsonl

An option takes data if it says in which form (`Option.data`). The file is named by its content: equal data is the same
file, other data another one, and what was given before stays as it was. It lies in the folder that the command
publishes to, since `refresh` and `status` look for what a section was made from; of a command that publishes nothing it
lies in a temporary folder.
"""

import hashlib
import io
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import MISSING
from typing import Any

from lexbeam._forms import LAYOUTS, LONGEST_PATH, ROWS, WORD_LIST, filled, records, texts_of, word_list, words_of
from lexbeam._tables import GivenTable, is_frame, is_list, table_of
from pipelines.frame.common_options import PublishOptions
from transforms.common.errors import UsageError, quoted
from transforms.common.options.fields import options_of
from transforms.common.options.option import Option
from transforms.common.publish.layout import GIVEN
from transforms.common.publish.output_folders import make_output_folder
from transforms.common.store import files

__all__ = ["given_as_files"]

_DIGITS = 32
_SPOOLED = 1 << 24  # bytes in memory
# Layouts and formats that say how a file is written.
_OF_FILES = {"conllu", "csv", "json", "jsonl", "lines", "markdown", "parquet", "tei", "text", "tsv"}
_FORMATS = {"records": "jsonl", "documents": "text"}

_FINAL = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u0964\u061f][\"'\u2019\u201d\u00bb)\]]*\Z")
_FILE = re.compile(r"\S\.[A-Za-z]\w{0,7}\Z")
_FEW = 4  # words; so many are a text


@contextmanager
def given_as_files(cls: type, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the arguments of a function with data replaced by the paths of files that hold it.

    Args:
        cls: the options of the command.
        values: its options by name.

    Raises:
        UsageError: data is empty, not of the form that an option takes, or mixed with paths.
    """
    with ExitStack() as stack:
        yield _Giving(cls, values, stack).replaced()


class _Giving:
    """Writes what a call gives as data."""

    def __init__(self, cls: type, values: Mapping[str, Any], stack: ExitStack) -> None:
        self._known = options_of(cls)
        self._values = values
        self._place = None if values.get("dry_run") else _folder_of(cls, values)
        self._stack = stack
        self._filled: dict[str, Any] = {}

    def replaced(self) -> dict[str, Any]:
        values = {
            name: self._of_option(self._known[name], value) if name in self._known and value is not None else value
            for name, value in self._values.items()
        }
        return {**self._filled, **values}

    def _of_option(self, entry: Option, value: Any) -> Any:
        if isinstance(value, str | os.PathLike):
            if entry.data:
                _check_is_no_text(entry, value)
            return value
        if not entry.data:
            if entry.path and (isinstance(value, Mapping) or is_frame(value)):
                raise UsageError(f"`{entry.name}` takes a path, not {type(value).__name__}: write it to a file first")
            return value
        if entry.data == "wordlist":
            return self._word_lists(entry, value)
        items = list(value) if is_list(value) else None
        if items == [] and entry.default == ():
            return items
        if items and entry.several:
            if all(isinstance(item, str | os.PathLike) for item in items) and not _holds_texts(entry, items):
                return items
            if all(isinstance(item, os.PathLike) or is_frame(item) for item in items):
                return [item if isinstance(item, os.PathLike) else self._saved(entry, item) for item in items]
            value = items if not isinstance(value, set | frozenset) else value
        path = self._saved(entry, value)
        return [path] if entry.several else path

    def _saved(self, entry: Option, value: Any) -> str:
        table = filled(table_of(value, entry.name, paired=entry.data == "cells"), entry.name)
        self._check_format(entry)
        are_texts = entry.positional and self._values.get("layout") == "documents"  # in which words are looked for
        if entry.data == "documents" or (entry.data == "cells" and are_texts):
            return self._write_documents(entry, table)
        if entry.data == "records":
            return self._write(entry.name, ".jsonl", records(table, entry.name, self._text_field(entry)))
        if entry.data == "words":
            return self._write(entry.name, ".txt", (f"{word}\n" for word in words_of(table, entry.name)))
        return self._write(entry.name, ".tsv", ROWS[entry.data](table, entry.name))

    def _check_format(self, entry: Option) -> None:
        """Fill in how a file of data is laid out; refuse another layout or format of files."""
        if not entry.positional:
            return
        layout, form = LAYOUTS.get(entry.data), _FORMATS.get(entry.data)
        of_files = {"layout": _OF_FILES - {layout}, "format": _OF_FILES - {form}}
        for name, refused in of_files.items():
            if (stated := self._values.get(name)) in refused:
                raise UsageError(
                    f"`{name}` {stated!r} is one of files, and `{entry.name}` is given as data: leave it out"
                )
        option = self._known.get("layout")
        if option is not None and option.default is MISSING and self._values.get("layout") is None:
            self._filled["layout"] = layout

    def _text_field(self, entry: Option) -> str | None:
        """Return the column that must be there."""
        if "text_field" not in self._known or "layout" in self._known or self._values.get("records"):
            return None
        return str(self._values.get("text_field") or self._known["text_field"].default)

    def _word_lists(self, entry: Option, value: Any) -> Any:
        if (entry.metavar or "").startswith("NAME="):
            if isinstance(value, Mapping):
                return [f"{name}={self._word_list(entry, held)}" for name, held in value.items()]
            if not is_list(value):
                raise UsageError(
                    f"`{entry.name}` needs a name for each list: give a dict, such as {{'frequency': data}}"
                )
            return value
        items = list(value) if is_list(value) else None
        if entry.several and items is not None and not all(isinstance(item, list | tuple) for item in items):
            return [self._word_list(entry, item) for item in items]
        return [self._word_list(entry, value)] if entry.several else self._word_list(entry, value)

    def _word_list(self, entry: Option, value: Any) -> str:
        if isinstance(value, str | os.PathLike):
            return os.fspath(value)
        table = filled(table_of(value, entry.name, paired=True), entry.name)
        path = self._write(entry.name, ".tsv", word_list(table, entry.name))
        return f"{path}:word={WORD_LIST[0]},value={WORD_LIST[1]}"

    def _write_documents(self, entry: Option, table: GivenTable) -> str:
        texts = list(texts_of(table, entry.name))
        digest = hashlib.sha256()
        for text in texts:
            digest.update(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
        folder = files.join(self._root(), digest.hexdigest()[:_DIGITS], entry.name)
        width = len(str(len(texts)))
        for number, text in enumerate(texts, 1):
            content = text.encode("utf-8", "surrogatepass")
            _save(files.join(folder, f"{number:0{width}}.txt"), io.BytesIO(content), len(content))
        return folder

    def _write(self, name: str, suffix: str, lines: Iterable[str]) -> str:
        """Write lines to a file that is named by them; return its path."""
        digest, size = hashlib.sha256(), 0
        with tempfile.SpooledTemporaryFile(_SPOOLED) as stream:
            for line in lines:
                data = line.encode("utf-8", "surrogatepass")
                digest.update(data)
                size += stream.write(data)
            path = files.join(self._root(), digest.hexdigest()[:_DIGITS], name + suffix)
            stream.seek(0)
            _save(path, stream, size)
        return path

    def _root(self) -> str:
        if self._place is None:
            self._place = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="lexbeam-"))
        else:
            make_output_folder(self._place)
        return files.join(self._place, GIVEN)


def _save(path: str, stream: Any, size: int) -> None:
    if files.size(path) != size if files.exists(path) else True:
        files.make_folder(path.rpartition("/")[0])
        with files.writing(path, durable=True) as target:
            shutil.copyfileobj(stream, target)


def _folder_of(cls: type, values: Mapping[str, Any]) -> str | None:
    """Return the folder that a command writes to, where its files stay with what is made of them; None: none."""
    for entry in options_of(cls).values():
        value = values.get(entry.name)
        publishes = issubclass(cls, PublishOptions)
        if isinstance(value, list | tuple) and len(value) == 1:
            value = value[0]
        if not isinstance(value, str | os.PathLike):
            continue
        if entry.name == "out" if publishes else entry.positional and entry.path == "place":
            return files.absolute(os.fspath(value))
    for entry in options_of(cls).values() if issubclass(cls, PublishOptions) else ():
        value = values.get(entry.name)
        value = value[0] if isinstance(value, list | tuple) and len(value) == 1 else value
        if entry.fills == "out" and isinstance(value, str | os.PathLike):
            return files.absolute(os.fspath(value))
    return None


def _check_is_no_text(entry: Option, value: str | os.PathLike[str]) -> None:
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


def _holds_texts(entry: Option, items: Sequence[Any]) -> bool:
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
