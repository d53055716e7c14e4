"""What commands have in common that take in files of people: their digests, and the engine for their texts."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from transforms.annotation.engines.registry import describe_engine
from transforms.common.errors import UsageError
from transforms.common.store.files import ListedFile
from transforms.common.store.lanes import group_by_size
from transforms.common.store.resources import content_digest
from transforms.formats.ingest.stage import InputFile, Unit
from transforms.formats.ingest.units import UNIT_BYTES, UNIT_FILES
from transforms.intake.merging import TextAnnotationOptions
from transforms.intake.row_files import RowFile

__all__ = ["TextEngine", "file_digests", "file_units", "row_files", "text_engine"]


def file_units(listed: Sequence[InputFile]) -> tuple[Unit, ...]:
    """Return files in units of neighbours, for tables that have a part for each unit: small ones many at a time."""
    return tuple(
        Unit(tuple(group), sum(file.size for file in group))
        for group in group_by_size(listed, _share_of_unit, UNIT_BYTES)
    )


def _share_of_unit(file: InputFile) -> int:
    return max(file.size, UNIT_BYTES // UNIT_FILES)


def row_files(files: Iterable[InputFile]) -> tuple[RowFile, ...]:
    """Return files of rows, named by their content."""
    return tuple(RowFile(file.name, file.path, file.size, content_digest(file.path)) for file in files)


def file_digests(files: Iterable[InputFile | ListedFile]) -> list[dict[str, Any]]:
    """Return what the manifest says of files: name, bytes and SHA-256."""
    return [{"name": file.name, "bytes": file.size, "sha256": content_digest(file.path)} for file in files]


class TextEngine(NamedTuple):
    """The engine that annotates texts.

    Attributes:
        name: with its version; empty: none.
        language: the language that it is made for; None: none in particular.
        options: how texts are annotated.
    """

    name: str
    language: str | None
    options: TextAnnotationOptions


def text_engine(spec: str | None, layers: tuple[str, ...] = ()) -> TextEngine:
    """Return the engine that an option names, with these layers if it has them.

    Raises:
        UsageError: there is no such engine.
    """
    if not spec:
        return TextEngine("", None, TextAnnotationOptions(engine="", fingerprint=""))
    info = describe_engine(spec)
    try:
        info = describe_engine(spec, layers=layers)
    except UsageError:
        layers = ()
    options = TextAnnotationOptions(engine=spec, layers=layers, fingerprint=info.fingerprint)
    return TextEngine(info.name, info.language, options)
