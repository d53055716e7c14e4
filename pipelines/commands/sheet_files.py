"""Sheets as files that commands write: a single file, or a file for each annotator; no existing file is lost."""

import os
from collections.abc import Callable, Mapping, Sequence

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store import files

ENDING = ".tsv"


def check_sheets(to: str, annotators: Sequence[str]) -> None:
    """Check the options that name files of sheets.

    Raises:
        UsageError: `to` does not end in .tsv, or an annotator is named twice.
    """
    if not to.endswith(ENDING):
        raise UsageError(f"`to` is a file NAME{ENDING}, not {to!r}")
    doubled = sorted({name for name in annotators if annotators.count(name) > 1})
    if doubled:
        raise UsageError(f"`annotator` {doubled[0]} is there twice")


def path_of(to: str, annotator: str) -> str:
    """Return the file of an annotator, `FILE.NAME.tsv`; for an empty name, `FILE.tsv`."""
    return f"{to.removesuffix(ENDING)}.{annotator}{ENDING}" if annotator else to


def write_texts(texts: Mapping[str, str], content: str, tell: Callable[[str], object]) -> None:
    """Write texts to their paths; a file that has the same text already may be there.

    Args:
        texts: texts by path.
        content: what they hold, in words, for the lines told.
        tell: takes a line for each file.

    Raises:
        LexbeamError: a different file is there; nothing is written.
    """
    for path, text in texts.items():
        if files.exists(path) and files.read_bytes(path) != text.encode():
            raise LexbeamError(
                f"{files.shown(path)} is there and is another file, perhaps filled in: move it "
                "away, or write to another one"
            )
    for path, text in texts.items():
        if folder := os.path.dirname(path):
            files.make_folder(folder)
        files.write_bytes(path, text.encode(), durable=True)
        tell(f"{files.shown(path)}: {content}")
