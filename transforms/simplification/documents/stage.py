"""Documents as a stage: texts with what was chosen for all their words.

RESOLVE    placed texts; all parts of instances, rankings, simplifications -> a part of documents, one of changes
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.columns import Table
from lexbeam.schemas.simplification import CHANGES, DOCUMENTS, INSTANCES, RANKINGS, SIMPLIFICATIONS
from lexbeam.transforms.common.batched import batched
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.batches import SideRows
from lexbeam.transforms.common.store.join import joined
from lexbeam.transforms.common.store.tables import Part, PartFile, write_rows
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.formats.spans.spanned import SPANS, SpannedSource, TextEdit, spanned
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.inflection.models import InflectorReference, chosen_formats, inflector_for
from lexbeam.transforms.simplification.documents.placed_texts import PlacedFiles, PlacedPiece, PlacedText, placed_pieces
from lexbeam.transforms.simplification.documents.resolving import COLUMNS, ChosenWord, Refusal, Resolving, chosen_word
from lexbeam.transforms.simplification.instances.fixed_text import FIXED, fixed_codes
from lexbeam.transforms.simplification.records import ID, Row
from lexbeam.transforms.simplification.rewriting.together import PlacedEdit, edited

CHANGED = "changed"
_PIECES, _WORDS = 256, 2_048  # of texts, that are resolved at a time


class TextsTask(NamedTuple):
    """Texts, and all parts of the tables that say what was chosen."""

    texts: PlacedFiles
    instances: tuple[Part, ...]
    rankings: tuple[Part, ...]
    simplifications: tuple[Part, ...]

    @property
    def weight(self) -> int:
        """Bytes of texts, for dealing out."""
        return self.texts.texts.bytes


@dataclass(frozen=True, kw_only=True)
class ResolveOptions:
    """How texts are edited.

    Attributes:
        format, reader: how files were read, since they are edited in the same way.
        inflector: knows genders; None: what agrees with nouns stays, but for the word before.
        agreement: one of `choices.AGREEMENT`.
    """

    format: str = "auto"
    reader: ReaderOptions = field(default_factory=ReaderOptions)
    inflector: InflectorReference | None = None
    agreement: str = "move"

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

    def size(piece: PlacedPiece) -> int:
        return len(piece.instances())

    def documents(changes: SideRows) -> Iterator[pa.Table]:
        text = None
        for pieces in batched(placed_pieces(task.texts), _PIECES, size=size, largest=_WORDS):
            words = _words(pieces, task)
            rows = []
            for piece in pieces:
                if text is None:
                    text = _OpenText(piece.text, options)
                made = text.add(piece, words)
                changes.add(made)
                counts.update(row["reason"] or CHANGED for row in made if row["kind"] == "word")
                totals["beside"] += sum(row["kind"] != "word" for row in made)
                if piece.is_last:
                    totals["altered"] += bool(text.resolving.edits)
                    rows.append(text.row())
                    text = None
            yield pa.Table.from_pylist(rows, schemas[0])

    def written(suffix: str, table: Table, batches: Iterable[pa.Table | pa.RecordBatch]) -> PartFile:
        with artefact.writing(suffix) as stream:
            count = write_rows(stream, table.schema(), batches, sort_keys=table.key)
        return PartFile(artefact.file(suffix), count)

    with SideRows(schemas[1]) as changes:
        of_documents = written(".parquet", DOCUMENTS, documents(changes))
        of_changes = written("-changes.parquet", CHANGES, changes.batches())
    return ResolvedPart(of_documents, of_changes, dict(sorted(counts.items())), totals["beside"], totals["altered"])


def _words(pieces: Sequence[PlacedPiece], task: TextsTask) -> dict[str, ChosenWord]:
    """Return what was chosen for the instances of texts."""
    tables = {INSTANCES.name: task.instances, RANKINGS.name: task.rankings, SIMPLIFICATIONS.name: task.simplifications}
    wanted = {name for piece in pieces for name in piece.instances()}
    words: dict[str, ChosenWord] = {}
    sentences: dict[str, str] = {}  # each instance comes with its own copy
    for identifier, rows in joined(tables, COLUMNS, ID, wanted):
        word = chosen_word(identifier, rows)
        words[identifier] = word._replace(sentence=sentences.setdefault(word.sentence, word.sentence))
    return words


class _OpenText:
    """A text while its pieces are resolved, and its row of table simplification/documents then."""

    def __init__(self, text: PlacedText, options: ResolveOptions) -> None:
        self._text = text
        self._source: SpannedSource | None = None
        if text.content is not None and text.pieces:
            self._source = spanned(
                text.content, text.document, format=options.format, options=options.reader, language=text.language or ""
            )
        refusal = _refusal_in(text.text) if self._source is None else _refusal_of(self._source)
        self.resolving = Resolving(text.document, refusal, options.inflector_of, options.agreement)
        self._counts = {"chosen": 0, "changed": 0}

    def add(self, piece: PlacedPiece, words: Mapping[str, ChosenWord]) -> list[Row]:
        """Take in the next piece; return its rows of table simplification/changes."""
        rows = self.resolving.add(piece.sentences(), words)
        of_words = [row for row in rows if row["kind"] == "word"]
        self._counts["chosen"] += len(of_words)
        self._counts["changed"] += sum(row["changed"] for row in of_words)
        return rows

    def row(self) -> Row:
        """Return the row; without a change a file has the bytes that it had."""
        text, source, edits = self._text, self._source, self.resolving.edits
        content = text.content
        if edits and source is not None:
            content = source.replaced([_in_block(source, edit) for edit in edits])
        return {
            "document": text.document,
            "source": text.source,
            "language": text.language,
            "text": edited(text.text, edits),
            "content": content,
            "sentences": text.sentences,
            "words": text.words,
            **self._counts,
        }


def _refusal_in(text: str) -> Refusal:
    fixed = fixed_codes(text)

    def refusal(edit: PlacedEdit) -> str | None:
        kind = fixed.kind(edit.start, edit.end)
        return kind and f"it stands {FIXED[kind]}"

    return refusal


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
    return {
        "lexbeam.transforms.formats.spans.spanned:SPANS": formats,
        "lexbeam.transforms.formats.readers.registry:READERS": formats,
        **chosen_formats(options.inflector),
    }


RESOLVE: Stage[TextsTask, ResolveOptions, ResolvedPart] = Stage(
    name="simplification/resolve",
    noun="rewritten texts",
    receipt=ResolvedPart,
    build=_resolve,
    chosen=_chosen,
    unit="batches",
)
