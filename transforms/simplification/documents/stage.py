"""Documents as a stage: texts with what was chosen for all their words.

RESOLVE    placed texts; all parts of instances, rankings, simplifications -> a part of documents, one of changes
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa

from schemas.columns import Table
from schemas.simplification.documents import CHANGES, DOCUMENTS
from schemas.simplification.instances import INSTANCES
from schemas.simplification.rankings import RANKINGS, SIMPLIFICATIONS
from transforms.common.batched import batched
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.batches import SideRows
from transforms.common.store.join import joined
from transforms.common.store.receipts import File
from transforms.common.store.tables import Part, PartFile, write_rows
from transforms.formats.records.base import ReaderOptions
from transforms.formats.spans.registry import SPANS, spanned
from transforms.formats.spans.source import SpannedSource, TextEdit
from transforms.inflection.inflector import Inflecting
from transforms.inflection.models import InflectorReference, inflector_for
from transforms.simplification.documents.placed_texts import PlacedText, placed_texts
from transforms.simplification.documents.resolving import (
    COLUMNS,
    ChosenWord,
    Refusal,
    ResolvedText,
    chosen_word,
    resolved,
)
from transforms.simplification.records import ID, Row
from transforms.simplification.rewriting.choices import PlacedEdit

__all__ = ["CHANGED", "RESOLVE", "ResolveOptions", "ResolvedPart", "TextsTask"]

CHANGED = "changed"
_TEXTS, _WORDS = 256, 20_000  # that are resolved at a time


class TextsTask(NamedTuple):
    """Texts, and all parts of the tables that say what was chosen."""

    texts: File
    instances: tuple[Part, ...]
    rankings: tuple[Part, ...]
    simplifications: tuple[Part, ...]

    @property
    def weight(self) -> int:
        """Bytes of texts, for dealing out."""
        return self.texts.bytes


@dataclass(frozen=True, kw_only=True)
class ResolveOptions:
    """How texts are edited.

    Attributes:
        format, reader: how files were read, since they are edited in the same way.
        inflector: knows genders; None: what agrees with nouns stays, but for the word before.
    """

    format: str = "auto"
    reader: ReaderOptions = field(default_factory=ReaderOptions)
    inflector: InflectorReference | None = None

    def inflector_of(self, language: str) -> Inflecting | None:
        """Return the inflector for a language, opened once per process; None if there is none."""
        return inflector_for(self.inflector, language)


@dataclass(frozen=True)
class ResolvedPart:
    """Receipt of a part of both tables.

    Attributes:
        documents, changes: the parts.
        counts: words found complex, by `changed` or why they stay.
        beside: what changed beside words.
        altered: documents in which anything changed.
    """

    documents: PartFile
    changes: PartFile
    counts: dict[str, int]
    beside: int
    altered: int


def _resolve(artefact: Artefact, task: TextsTask, options: ResolveOptions) -> ResolvedPart:
    counts: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    schemas = DOCUMENTS.schema(), CHANGES.schema()

    def size(text: PlacedText) -> int:
        return sum(len(sentence.instances) for sentence in text.chosen)

    def documents(changes: SideRows) -> Iterator[pa.Table]:
        for texts in batched(placed_texts(task.texts), _TEXTS, size=size, largest=_WORDS):
            words = _words(texts, task)
            rows = []
            for text in texts:
                made, content = _edited(text, words, options)
                of_words = [row for row in made.rows if row["kind"] == "word"]
                counts.update(row["reason"] or CHANGED for row in of_words)
                totals["beside"] += len(made.rows) - len(of_words)
                totals["altered"] += bool(made.edits)
                changes.add(made.rows)
                rows.append(_document(text, made, content, of_words))
            yield pa.Table.from_pylist(rows, schemas[0])

    def written(suffix: str, table: Table, batches: Iterable[pa.Table | pa.RecordBatch]) -> PartFile:
        with artefact.writing(suffix) as stream:
            count = write_rows(stream, table.schema(), batches, sort_keys=table.key)
        return PartFile(artefact.file(suffix), count)

    with SideRows(schemas[1]) as changes:
        of_documents = written(".parquet", DOCUMENTS, documents(changes))
        of_changes = written("-changes.parquet", CHANGES, changes.batches())
    return ResolvedPart(of_documents, of_changes, dict(sorted(counts.items())), totals["beside"], totals["altered"])


def _words(texts: Sequence[PlacedText], task: TextsTask) -> dict[str, ChosenWord]:
    """Return what was chosen for the instances of texts."""
    tables = {INSTANCES.name: task.instances, RANKINGS.name: task.rankings, SIMPLIFICATIONS.name: task.simplifications}
    wanted = {name for text in texts for sentence in text.chosen for name in sentence.instances}
    return {identifier: chosen_word(identifier, rows) for identifier, rows in joined(tables, COLUMNS, ID, wanted)}


def _document(text: PlacedText, made: ResolvedText, content: bytes | None, words: Sequence[Row]) -> Row:
    return {
        "document": text.document,
        "source": text.source,
        "language": text.language,
        "text": made.text,
        "content": content,
        "sentences": text.sentences,
        "words": text.words,
        "chosen": len(words),
        "changed": sum(row["changed"] for row in words),
    }


def _edited(
    text: PlacedText, words: Mapping[str, ChosenWord], options: ResolveOptions
) -> tuple[ResolvedText, bytes | None]:
    """Return a text with its chosen words, and of a file its bytes; without a change they are those that it had."""
    if text.content is None:
        return resolved(text, words, _no_refusal, options.inflector_of), None
    source = spanned(text.content, text.document, format=options.format, options=options.reader)
    made = resolved(text, words, _refusal_of(source), options.inflector_of)
    if not made.edits:
        return made, text.content
    return made, source.replaced([_in_block(source, edit) for edit in made.edits])


def _no_refusal(_: PlacedEdit) -> str | None:
    return None


def _refusal_of(source: SpannedSource) -> Refusal:
    def refusal(edit: PlacedEdit) -> str | None:
        return source.refusal(_in_block(source, edit))

    return refusal


def _in_block(source: SpannedSource, edit: PlacedEdit) -> TextEdit:
    """Return an edit of the text as one of the block that it lies in: no sentence reaches into another."""
    number = bisect_right(source.blocks, edit.start, key=_start) - 1
    start = source.blocks[number].start
    return TextEdit(number, edit.start - start, edit.end - start, edit.text)


def _start(block: object) -> int:
    return block.start  # type: ignore[attr-defined, no-any-return]


def _chosen(_: TextsTask, options: ResolveOptions) -> Mapping[str, Sequence[str]]:
    formats = tuple(SPANS) if options.format == "auto" else (options.format,)
    return {"transforms.formats.spans.registry:SPANS": formats, "transforms.formats.readers.registry:READERS": formats}


RESOLVE: Stage[TextsTask, ResolveOptions, ResolvedPart] = Stage(
    name="simplification/resolve", receipt=ResolvedPart, build=_resolve, chosen=_chosen, unit="batches"
)
