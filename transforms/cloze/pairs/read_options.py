"""What every layout of pairs takes, and what it yields, see `layouts.LAYOUTS`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple

from transforms.cloze.pairs.cutting import CutOptions
from transforms.cloze.pairs.pair import RawPair
from transforms.common.errors import UsageError, nearest
from transforms.formats.records.base import ReaderOptions, Reject

__all__ = ["FIELDS", "InputText", "PairEntry", "ReadOptions", "paths_of_fields"]

# What `fields` may name; the first two must be there.
FIELDS = ("passage", "summary", "id", "language", "genre")


class InputText(NamedTuple):
    """A file: its published name, where it really lies, and what opens a stream of its bytes."""

    name: str
    path: str
    open: Callable[[], BinaryIO]


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """What decides how a file's records are read.

    Attributes:
        layout: an entry of `LAYOUTS`.
        kind: of ReCAM's questions, where the file's name does not say.
        format: of documents.
        language, genre: of records that do not say.
        engine_language: language where it is not known otherwise.
        cut: how documents are cut.
        reader: how files are read; its `fields` say which field gives what.
    """

    layout: str
    kind: str | None = None
    format: str = "auto"
    language: str | None = None
    genre: str | None = None
    engine_language: str | None = None
    cut: CutOptions = field(default_factory=CutOptions)
    reader: ReaderOptions = field(default_factory=ReaderOptions)

    @property
    def paths(self) -> dict[str, str]:
        """Where each of `FIELDS` stands, of layouts with fields."""
        return paths_of_fields(self.reader.fields)


def paths_of_fields(pairs: tuple[str, ...]) -> dict[str, str]:
    """Return where each of `FIELDS` is: at its own name, unless `NAME=FIELD` names another place.

    Raises:
        UsageError: another name is given.
    """
    paths = {name: name for name in FIELDS}
    for pair in pairs:
        name, _, path = pair.partition("=")
        if name not in paths:
            raise UsageError(f"`fields`: a pair has no {name!r}{nearest(name, FIELDS)}: name {', '.join(FIELDS)}")
        paths[name] = path
    return paths


PairEntry = RawPair | Reject
