"""What commands have in common that take in files of people: their digests, and the engine for their texts."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from lexbeam.transforms.annotation.engines.known_engines import describe_engine
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.publish.manifests import Section
from lexbeam.transforms.common.store.files import ListedFile
from lexbeam.transforms.common.store.resources import content_digest
from lexbeam.transforms.formats.ingest.ingestion import InputFile
from lexbeam.transforms.intake.settling import TextAnnotationOptions


def file_digests(files: Iterable[InputFile | ListedFile]) -> list[dict[str, Any]]:
    """Return what the manifest says of files: name, bytes and SHA-256."""
    return [{"name": file.name, "bytes": file.size, "sha256": content_digest(file.path)} for file in files]


def notes_told(section: Section, table: str) -> Iterator[str]:
    """Yield what readers changed or guessed, for a summary; `table` has that of each file."""
    if notes := section.get("notes"):
        yield f"while reading: {', '.join(f'{note} {number}' for note, number in notes.items())}; see {table}"


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
