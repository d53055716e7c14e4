"""Data from Python as the files that commands read: written by content, so that all else goes by paths.

    DIR/_given/<digest>/inputs.jsonl

An option takes data if it says in which form (`Option.data`). The file is named by its content: equal data is the same
file, other data another one, and what was given before stays as it was. It lies in the folder that the command
publishes to, since `refresh` and `status` look for what a section was made from; of a command that publishes nothing it
lies in a temporary folder.
"""

import hashlib
import io
import itertools
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import MISSING
from typing import Any

from lexbeam._data import (
    LAYOUTS,
    ROWS,
    WORD_LIST,
    GivenTable,
    check_is_no_text,
    filled,
    hold_texts,
    is_frame,
    is_list,
    pairs_of,
    path_or_text,
    records,
    table_of,
    texts_of,
    word_list,
    words_of,
)
from lexbeam.pipelines.frame.command import PublishOptions
from lexbeam.transforms.annotation.language_guessing import LOOKED_AT, NO_ENGINE, engine_of
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.fields import options_of
from lexbeam.transforms.common.options.option import Option
from lexbeam.transforms.common.publish.layout import GIVEN
from lexbeam.transforms.common.publish.leases import make_output_folder
from lexbeam.transforms.common.store import files

_DIGITS = 32
_SPOOLED = 1 << 24  # bytes in memory
# Layouts that say how a file is written, not what stands in it.
_LAYOUTS_OF_FILES = {"csv", "json", "jsonl", "parquet", "tsv"}
_FORMATS = {"records": "jsonl", "documents": "text"}


@contextmanager
def given_as_files(cls: type, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the arguments of a function with data replaced by the paths of files that hold it.

    Args:
        cls: the options of the command.
        values: its options by name.

    Raises:
        UsageError: data is empty, not of the form that an option takes, or mixed with paths.
        LexbeamError: the block raised it; it names arguments, not files that nobody made but this.
    """
    with ExitStack() as stack:
        giving = _Giving(cls, values, stack)
        try:
            yield giving.replaced()
        except LexbeamError as error:
            error.args = (giving.told(error),)
            raise


class _Giving:
    """Writes what a call gives as data."""

    def __init__(self, cls: type, values: Mapping[str, Any], stack: ExitStack) -> None:
        self._known = options_of(cls)
        self._values = values
        self._place = None if values.get("dry_run") else _folder_of(cls, values)
        self._stack = stack
        self._filled: dict[str, Any] = {}
        self._written: dict[str, str] = {}  # paths, with what they hold
        self._texts: list[tuple[Any, Any]] = []  # the first ones, each with its language as data say

    def replaced(self) -> dict[str, Any]:
        values = {
            name: self._of_option(self._known[name], value) if name in self._known and value is not None else value
            for name, value in self._values.items()
        }
        if self._texts:
            self._filled["engine"] = engine_of(self._texts, self._values.get("language"))
        return {**values, **self._filled}

    def told(self, error: LexbeamError) -> str:
        """Return what an error says, with arguments in place of files that were written."""
        message = str(error)
        for path, called in self._written.items():
            for file in (path, files.shown(path), path.rpartition("/")[2]):
                again = f"({re.escape(called.partition(' ')[0])}:? )?"  # where the option is named already
                message = re.sub(rf"{again}(?<![\w/.]){re.escape(file)}(?![\w/])", lambda _: called, message)  # noqa: B023
        if isinstance(error, files.NoFilesError):
            hints = (
                path_or_text(self._known[name], value) for name, value in self._values.items() if name in self._known
            )
            message = "; ".join([message, *filter(None, hints)])
        return message

    def _of_option(self, entry: Option, value: Any) -> Any:
        if isinstance(value, str | os.PathLike):
            if entry.data:
                check_is_no_text(entry, value)
            return value
        if not entry.data:
            if entry.path and (isinstance(value, Mapping) or is_frame(value)):
                remedy = (
                    "give a folder that a command made of it" if entry.path == "place" else "write it to a file first"
                )
                raise UsageError(f"`{entry.name}` takes a path, not {type(value).__name__}: {remedy}")
            return value
        if entry.data == "wordlist":
            return self._word_lists(entry, value)
        value = list(value) if isinstance(value, Iterator) else value
        items = list(value) if is_list(value) else None
        if items == [] and entry.default == ():
            return items
        if entry.several and isinstance(value, Mapping) and value and all(map(_is_table, value.values())):
            return [self._saved(entry, held, name=_file_name(entry, name)) for name, held in value.items()]
        if items and entry.several:
            if all(isinstance(item, str | os.PathLike) for item in items) and not hold_texts(entry, items):
                return items
            if all(isinstance(item, os.PathLike) or is_frame(item) for item in items):
                saved = [item if isinstance(item, os.PathLike) else self._saved(entry, item) for item in items]
                if any(isinstance(item, os.PathLike) for item in items):
                    self._texts.clear()  # an engine would annotate files, too, that may come annotated
                return saved
        path = self._saved(entry, value)
        return [path] if entry.several else path

    def _saved(self, entry: Option, value: Any, name: str = "") -> str:
        """Write what is given for an option; return the path of the file, which is called `name`, or as the option."""
        value = pairs_of(value) if entry.data == "lists" else value
        table = filled(table_of(value, entry.name, paired=entry.data in ("cells", "lists")), entry.name)
        self._check_format(entry)
        are_texts = entry.positional and self._values.get("layout") == "documents"  # in which words are looked for
        if entry.data == "documents" or (entry.data == "cells" and are_texts):
            return self._write_documents(entry, table)
        if entry.data == "records":
            table = self._looked_at(entry, table)
            return self._write(entry, ".jsonl", records(table, entry.name, self._text_field(entry)), name)
        if entry.data == "words":
            return self._write(entry, ".txt", (f"{word}\n" for word in words_of(table, entry.name)))
        return self._write(entry, ".tsv", ROWS[entry.data](table, entry.name), name)

    def _looked_at(self, entry: Option, table: GivenTable) -> GivenTable:
        """Return a table of texts; note the first ones if an engine has to be found for them."""
        engine, field = self._known.get("engine"), self._text_field(entry)
        if engine is None or engine.default != NO_ENGINE or self._values.get("engine") is not None:
            return table
        names = table.names or (field,)
        rows = iter(table.rows)
        first = list(itertools.islice(rows, LOOKED_AT - len(self._texts)))
        if field in names:
            place = names.index(field)
            language = names.index("language") if "language" in names else None
            self._texts += [(row[place], None if language is None else row[language]) for row in first]
        return table._replace(rows=itertools.chain(first, rows))

    def _check_format(self, entry: Option) -> None:
        """Fill in how a file of data is laid out; refuse another layout or format of files."""
        if not entry.positional:
            return
        layout, form = LAYOUTS.get(entry.data), _FORMATS.get(entry.data)
        stated = {name: self._values.get(name) for name in ("layout", "format")}
        wrong = ["layout"] if stated["layout"] in _LAYOUTS_OF_FILES - {layout} else []
        wrong += ["format"] if form and stated["format"] not in (None, "auto", form) else []
        for name in wrong:
            raise UsageError(
                f"`{name}` {stated[name]!r} is one of files, and `{entry.name}` is given as data: leave it out"
            )
        option = self._known.get("layout")
        if option is not None and option.default is MISSING and stated["layout"] is None:
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
        path = self._write(entry, ".tsv", word_list(table, entry.name))
        return f"{path}:word={WORD_LIST[0]},value={WORD_LIST[1]}"

    def _write_documents(self, entry: Option, table: GivenTable) -> str:
        texts = list(texts_of(table, entry.name))
        digest = hashlib.sha256()
        for text in texts:
            digest.update(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
        folder = files.join(self._root(), digest.hexdigest()[:_DIGITS], entry.name)
        self._written[folder] = f"`{entry.name}`"
        width = len(str(len(texts)))
        for number, text in enumerate(texts, 1):
            content = text.encode("utf-8", "surrogatepass")
            _save(files.join(folder, f"{number:0{width}}.txt"), io.BytesIO(content), len(content))
        return folder

    def _write(self, entry: Option, suffix: str, lines: Iterable[str], name: str = "") -> str:
        option, name = entry.name, name or entry.name
        digest, size = hashlib.sha256(), 0
        with tempfile.SpooledTemporaryFile(_SPOOLED) as stream:
            for line in lines:
                data = line.encode("utf-8", "surrogatepass")
                digest.update(data)
                size += stream.write(data)
            path = files.join(self._root(), digest.hexdigest()[:_DIGITS], name + suffix)
            self._written[path] = f"`{option}`" if name == option else f"`{option}` {name!r}"
            stream.seek(0)
            _save(path, stream, size)
        return path

    def _root(self) -> str:
        if self._place is None:
            self._place = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="lexbeam-"))
        else:
            make_output_folder(self._place)
        return files.join(self._place, GIVEN)


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping) or is_frame(value)


def _file_name(entry: Option, name: object) -> str:
    """Return the name of one of several tables as that of its file."""
    if not re.fullmatch(r"\w[\w .+-]{0,99}", str(name)):
        raise UsageError(f"`{entry.name}`: {name!r} is the name of a file, too: write letters, digits, - and _")
    return str(name)


def _save(path: str, stream: Any, size: int) -> None:
    if not files.exists(path) or files.size(path) != size:
        files.make_folder(path.rpartition("/")[0])
        with files.writing(path, durable=True) as target:
            shutil.copyfileobj(stream, target)


def _folder_of(cls: type, values: Mapping[str, Any]) -> str | None:
    """Return the folder that a command writes to, where its files stay with what is made of them; None: none."""
    known = options_of(cls).values()
    if issubclass(cls, PublishOptions):
        names = ["out", *(entry.name for entry in known if entry.fills == "out")]
    else:
        names = [entry.name for entry in known if entry.positional and entry.path == "place"]
    for name in names:
        value = values.get(name)
        if isinstance(value, list | tuple) and len(value) == 1:
            (value,) = value
        if isinstance(value, str | os.PathLike):
            return files.absolute(os.fspath(value))
    return None
