"""Simplified texts as files: each under the name that it had, below a folder."""

import re
from array import array
from collections.abc import Collection, Iterable, Iterator

import numpy as np

from lexbeam.pipelines.commands.simplify.found_words import FoundIn
from lexbeam.schemas.simplification import DOCUMENTS
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.names import unescape
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.formats.ingest.input_listing import find_files

_COUNTER = re.compile(r"\\~[0-9]+(?=/|\Z)")  # which tells the second of two equal names


def _place(name: str) -> str:
    """Return where a text of this published name is written, below the folder."""
    try:
        place = unescape(_COUNTER.sub("", name))
    except ValueError:
        place = name
    if not place or place.startswith("/") or {"", ".", ".."} & {*place.split("/")}:
        raise UsageError(
            f"`write_text`: {files.shown(name)} is no name of a file below a folder: leave `write_text` out"
        )
    return place


def _places(found: FoundIn) -> Iterator[tuple[str, str]]:
    """Yield the name of each text in the tables, and where it is written; those of a corpus go by their source."""
    if found.patterns is not None:
        for file in find_files(found.patterns):
            yield file.name, _place(file.name)
    for part in found.parts:
        for rows in read_rows([checked(part.pair.documents)], ["document_id", "source"]):
            yield from zip(rows["document_id"].to_pylist(), map(_place, rows["source"].to_pylist()), strict=True)


def _check_apart(found: FoundIn) -> None:
    """Check that no two texts would be written to one place."""
    numbers = np.sort(np.fromiter((hash(place) for _, place in _places(found)), np.int64))
    often = set(numbers[1:][numbers[1:] == numbers[:-1]].tolist())
    holders: dict[str, str] = {}
    for text, place in _places(found) if often else ():
        if hash(place) in often and (holder := holders.setdefault(place, text)) != text:
            raise UsageError(
                f"`write_text`: {files.shown(holder)} and {files.shown(text)} would both be written as "
                f"{files.shown(place)}: name one folder that holds all files, or simplify them apart"
            )


def check_places(folder: str, found: FoundIn, *, overwrite: bool) -> None:
    """Check that files may be written; a number is held of each.

    Args:
        folder: to be written to.
        found: what texts are read of; its files must not be replaced.
        overwrite: whether others may be.

    Raises:
        UsageError: two texts would be written to one place, or an input, or without leave another file, would be
            replaced.
    """
    _check_apart(found)
    there = array("q")
    for _, place in _places(found):
        path = files.join(folder, place)
        if files.exists(path):
            there.append(hash(files.real(path)))
            if not overwrite:
                _check_inputs(found, there)
                raise UsageError(
                    f"`write_text`: {files.shown(path)} is there: move it away, name another folder, or replace it "
                    "with `overwrite`"
                )
    _check_inputs(found, there)


def _check_inputs(found: FoundIn, there: Collection[int]) -> None:
    """Check that no file is an input, by the hashes of where they really lie."""
    numbers = set(there)
    for file in find_files(found.patterns) if found.patterns and numbers else ():
        if hash(path := files.real(file.path)) in numbers:
            raise UsageError(f"`write_text`: {files.shown(path)} is an input: name another folder")


def content_of(snapshot: Snapshot) -> Iterable[tuple[str, str, bytes]]:
    """Yield name, source and bytes of each text: those of its file, or UTF-8."""
    for rows in read_rows(snapshot.paths(DOCUMENTS.name), ["document", "source", "text", "content"]):
        for place in range(rows.num_rows):
            row = {name: rows[name][place].as_py() for name in rows.column_names}
            content = row["content"]
            yield row["document"], row["source"], row["text"].encode() if content is None else content


def write_texts(snapshot: Snapshot, folder: str) -> int:
    """Write each text below a folder; return how many there are."""
    number = 0
    files.make_folder(folder)  # also of no texts, so that a refresh sees that it was written
    for _, source, content in content_of(snapshot):
        path = files.join(folder, _place(source))
        files.make_folder(path.rpartition("/")[0])
        files.write_bytes(path, content, durable=True)
        number += 1
    return number
