"""Simplified texts as files: each under the name that it had, below a folder."""

import re
from collections.abc import Iterable

from pipelines.commands.simplify.found_words import FoundIn
from schemas.simplification.documents import DOCUMENTS
from transforms.common.errors import UsageError
from transforms.common.names import unescape
from transforms.common.publish.snapshots import Snapshot
from transforms.common.store import files
from transforms.common.store.sound import checked
from transforms.common.store.tables import read_rows
from transforms.formats.ingest.listing import find_files

__all__ = ["check_places", "content_of", "places_of", "write_texts"]

_COUNTER = re.compile(r"\\~[0-9]+(?=/|\Z)")  # which tells the second of two equal names


def _place(name: str) -> str:
    """Return where a text of this published name is written, below the folder.

    Raises:
        UsageError: the name leads out of the folder.
    """
    try:
        place = unescape(_COUNTER.sub("", name))
    except ValueError:
        place = name
    if not place or place.startswith("/") or {"", ".", ".."} & {*place.split("/")}:
        raise UsageError(
            f"`write_text`: {files.shown(name)} is no name of a file below a folder: leave `write_text` out"
        )
    return place


def _taken(named: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the place of each text, from its name and the name that it is written under.

    Raises:
        UsageError: two have the same.
    """
    places: dict[str, str] = {}
    holders: dict[str, str] = {}
    for text, name in named:
        place = _place(name)
        if place in holders:
            raise UsageError(
                f"`write_text`: {files.shown(holders[place])} and {files.shown(text)} would both be written as "
                f"{files.shown(place)}: name one folder that holds all files, or simplify them apart"
            )
        holders[place] = text
        places[text] = place
    return places


def places_of(found: FoundIn) -> dict[str, str]:
    """Return where each text is written, by its name in the tables; those of a corpus go by their source.

    Raises:
        UsageError: two would be written to one place.
    """
    if found.patterns is not None:
        return _taken((file.name, file.name) for file in find_files(found.patterns))
    named: list[tuple[str, str]] = []
    for part in found.parts:
        for rows in read_rows([checked(part.pair.documents)], ["document_id", "source"]):
            named += zip(rows["document_id"].to_pylist(), rows["source"].to_pylist(), strict=True)
    return _taken(dict(named).items())


def check_places(folder: str, found: FoundIn, *, overwrite: bool) -> None:
    """Check that files may be written.

    Args:
        folder: to be written to.
        found: what texts are read of; its files must not be replaced.
        overwrite: whether others may be.

    Raises:
        UsageError: an input, or without leave another file, would be replaced.
    """
    read = {files.real(file.path) for file in find_files(found.patterns)} if found.patterns else set()
    for place in places_of(found).values():
        path = files.join(folder, place)
        if files.real(path) in read:
            raise UsageError(f"`write_text`: {files.shown(path)} is an input: name another folder")
        if not overwrite and files.exists(path):
            raise UsageError(
                f"`write_text`: {files.shown(path)} is there: move it away, name another folder, or replace it with "
                "`overwrite`"
            )


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
    for _, source, content in content_of(snapshot):
        path = files.join(folder, _place(source))
        files.make_folder(path.rpartition("/")[0])
        files.write_bytes(path, content, durable=True)
        number += 1
    return number
