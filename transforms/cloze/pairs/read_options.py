"""What every layout of pairs takes, and what it yields, see `layouts.LAYOUTS`."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import BinaryIO, NamedTuple

from lexbeam.transforms.cloze.pairs.cutting import CutOptions
from lexbeam.transforms.cloze.pairs.pair import RawPair
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.formats.records.base import ReaderOptions, Reject

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
        format: of documents, or of records.
        language, genre: of records that do not say.
        engine_language: language where it is not known otherwise.
        cut: how documents are cut.
        reader: how files are read; its `fields` say which field gives what, see `paths_of_fields`.
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
    def record_reader(self) -> ReaderOptions:
        """How files of records are read: the text is the passage, the summary and others are fields."""
        paths = paths_of_fields(self.reader)
        passage = paths.pop("passage")
        return replace(self.reader, text_field=passage, fields=tuple(f"{name}={path}" for name, path in paths.items()))


def paths_of_fields(reader: ReaderOptions) -> dict[str, str]:
    """Return where the passage, the summary and others of `FIELDS` are.

    Passage and summary are at their own names, unless `fields` names another place by `NAME=FIELD`. `text_field`
    may name that of the passage instead, as it does for other texts.

    Raises:
        UsageError: another name is given, or two places of the passage.
    """
    paths = {name: name for name in FIELDS[:2]}
    for pair in reader.fields:
        name, _, path = pair.partition("=")
        if name not in FIELDS:
            raise UsageError(f"`fields`: a pair has no {name!r}{nearest(name, FIELDS)}: name {', '.join(FIELDS)}")
        paths[name] = path
    if reader.text_field != ReaderOptions.text_field:
        if paths["passage"] not in ("passage", reader.text_field):
            raise UsageError(
                f"`text_field` and `fields` both say where the passage is: {reader.text_field!r} and "
                f"{paths['passage']!r}: leave one out"
            )
        paths["passage"] = reader.text_field
    return paths


PairEntry = RawPair | Reject
