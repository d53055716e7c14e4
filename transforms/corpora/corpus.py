"""Annotated corpora: their parts, and what their manifests say of years and columns."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lexbeam.transforms.common.code.fingerprints import bucket_of
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.store.identity import Place, Size
from lexbeam.transforms.common.store.tables import Part

SECTION = "corpus"
# All may have been left out, or forgotten.
UNDATED = "no document has a year: make the corpus anew with `dates` or, if it has no document at all, with others"
_DOCUMENTS = "documents"
_SENTENCES = "sentences"


class SentencePart(NamedTuple):
    """A part of table `sentences` of one of the corpora; `rows` is its size."""

    rows: Size
    path: Place
    bytes: Size
    sha256: str


class PartPair(NamedTuple):
    """The parts of `documents` and of `sentences` that hold the same documents."""

    documents: Part
    sentences: Part

    @property
    def size(self) -> int:
        """Bytes of the sentences, for dealing out."""
        return self.sentences.bytes


@dataclass(frozen=True)
class Corpus:
    """An annotated corpus: its parts, and what its manifest says of it.

    Attributes:
        parts: the parts of tables `documents` and `sentences`, in their order.
        section: the section `corpus` of its manifest.
    """

    parts: Mapping[str, tuple[Part, ...]]
    section: Mapping[str, Any]

    @classmethod
    def published(cls, snapshot: Snapshot) -> "Corpus":
        """Return the corpus of a snapshot.

        Raises:
            LexbeamError: it has none.
        """
        section = snapshot.section(SECTION)
        parts = {table: tuple(snapshot.parts(table)) for table in (_DOCUMENTS, _SENTENCES)}
        return cls(parts, section)

    @property
    def pairs(self) -> tuple[PartPair, ...]:
        """The parts of both tables, by bucket: `place_of` tells which holds a document."""
        both = zip(self.parts[_DOCUMENTS], self.parts[_SENTENCES], strict=True)
        return tuple(PartPair(*parts) for parts in both)


def place_of(document_id: str, parts: int) -> int:
    """Return which of a corpus's parts holds a document, if the corpus has it.

    An id that is not hexadecimal belongs to no document: any part, such as the first, will say so.
    """
    try:
        return bucket_of(document_id, parts)
    except ValueError:
        return 0


def sentence_parts(corpora: Sequence[Corpus]) -> list[SentencePart]:
    """Return the parts of `sentences` of all corpora, sorted; each content once."""
    parts = {
        part.sha256: SentencePart(part.rows, part.path, part.bytes, part.sha256)
        for corpus in corpora
        for part in corpus.parts[_SENTENCES]
    }
    return sorted(parts.values())


def years(corpora: Sequence[Corpus]) -> dict[int, int]:
    """Return the documents of each year; a document that several corpora hold counts in each.

    Raises:
        LexbeamError: no document has a year.
    """
    documents = _by_year(corpora, "documents_by_year")
    if not documents:
        raise LexbeamError(UNDATED)
    return documents


def tokens_by_year(corpora: Sequence[Corpus]) -> dict[int, int]:
    """Return the tokens of each year; those of a document in several corpora count in each."""
    return _by_year(corpora, "tokens_by_year")


def _by_year(corpora: Sequence[Corpus], name: str) -> dict[int, int]:
    totals: dict[int, int] = {}
    for corpus in corpora:
        for year, number in corpus.section[name].items():
            totals[int(year)] = totals.get(int(year), 0) + number
    return totals


def languages(corpora: Sequence[Corpus]) -> set[str]:
    """Return the languages of the documents; empty if none is known."""
    return {name for corpus in corpora for name in corpus.section.get("languages", ())}


def check_columns(corpora: Sequence[Corpus], wanted: Collection[str], *, remedy: str) -> None:
    """Check that these columns of `sentences` are filled in every corpus.

    Raises:
        UsageError: a corpus lacks some; the message names them and ends with `remedy`.
    """
    for corpus in corpora:
        lacking = sorted(set(wanted) - set(corpus.section["columns"]))
        if lacking:
            name = corpus.section["engine"]["name"]
            raise UsageError(f"the corpus annotated by {name!r} has no {' and no '.join(lacking)}: {remedy}")


def common_layers(corpora: Sequence[Corpus]) -> list[str]:
    """Return the layers that all corpora were made with, in order; they may be null throughout."""
    made = [corpus.section.get("options", {}).get("layers", ()) for corpus in corpora]
    return [name for name in (made[0] if made else ()) if all(name in names for names in made)]


def check_layers(corpora: Sequence[Corpus], layers: Collection[str]) -> None:
    """Check that every corpus has these layers, and values in them.

    Raises:
        UsageError: a corpus lacks a layer, or has no value in it.
    """
    check_columns(
        corpora,
        layers,
        remedy=f"make it anew with `layers` {','.join(sorted(layers))}, from an engine or an input "
        "that has them (docs/reference/annotation.md)",
    )
