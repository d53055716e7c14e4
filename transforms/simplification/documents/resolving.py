"""Texts with what was chosen for all their words: their edits, the texts that come out, and a row for each word.

The choices of a sentence are placed together, and sentences follow each other as they stand.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple

import pyarrow as pa

from lexbeam.schemas.simplification import CHANGES, DOCUMENTS, INSTANCES, RANKINGS, SIMPLIFICATIONS
from lexbeam.transforms.common.portions import batched
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.batches import SideRows
from lexbeam.transforms.common.store.tables import Part, PartFile, Rows, joined, write_part
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.formats.spans.spanned import SPANS, SpannedSource, TextEdit, spanned
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.inflection.models import InflectorReference, chosen_formats, inflector_for
from lexbeam.transforms.simplification.documents.placed_texts import (
    LoadedTexts,
    PlacedFiles,
    PlacedPiece,
    PlacedSentence,
    PlacedText,
    placed_pieces,
)
from lexbeam.transforms.simplification.instances.content_words import FIXED, fixed_codes, fixed_places
from lexbeam.transforms.simplification.records import ID, Row
from lexbeam.transforms.simplification.rewriting.agreeing_rewriting import (
    Offer,
    PlacedEdit,
    TargetChoice,
    edited,
    resolve,
)

# What is read of each table, beside the instance.
COLUMNS = {
    INSTANCES.name: ("language", "sentence", "target", "start", "end", "upos", "feats", "chosen_by", "chosen_value"),
    SIMPLIFICATIONS.name: ("chosen", "form", "changed", "reason", "score", "target_score", "article_change"),
    RANKINGS.name: ("form", "is_target", "place"),
}


class ChosenWord(NamedTuple):
    """An instance with what was chosen for it.

    Attributes:
        language: of its sentence.
        choice: the target, and what was chosen as its one offer; none where it stays.
        reason: why the target stays.
        about: columns of table simplification/changes that hold wherever the instance stands.
    """

    language: str
    sentence: str
    choice: TargetChoice
    reason: str | None
    about: Row

    @property
    def target(self) -> str:
        """The word as it stands."""
        return self.sentence[self.choice.start : self.choice.end]


def chosen_word(identifier: str, rows: Mapping[str, Rows]) -> ChosenWord:
    """Return what was chosen for an instance.

    Args:
        rows: by table those of the instance, `COLUMNS` of them; of one setting and ranker.
    """
    (found,), (made,) = rows[INSTANCES.name], rows[SIMPLIFICATIONS.name]
    of_candidates = [row for row in rows[RANKINGS.name] if not row["is_target"]]
    before = made["article_change"].partition(" ")[2] if made["article_change"] else None
    offers = (Offer(made["chosen"], before),) if made["changed"] else ()
    place = next((row["place"] for row in of_candidates if row["form"] == made["form"]), None)
    about = {
        "instance_id": identifier,
        "chosen_by": found["chosen_by"],
        "chosen_value": found["chosen_value"],
        "place": place if made["changed"] else None,
        "candidates": len(of_candidates),
        "score": made["score"],
        "target_score": made["target_score"],
    }
    choice = TargetChoice(found["start"], found["end"], found["upos"], found["feats"], offers)
    return ChosenWord(found["language"], found["sentence"], choice, made["reason"], about)


Refusal = Callable[[PlacedEdit], str | None]
InflectorOf = Callable[[str], Inflecting | None]


class Resolving:
    """A text whose chosen words are put in, some sentences after the others, which do not overlap.

    Args:
        document: its name.
        refusal: of an edit of the text, why it cannot be made; None if it can.
        inflector_of: of a language, what knows its genders; None: nothing does.
        agreement: one of `agreeing_rewriting.AGREEMENT`.

    Attributes:
        edits: of the text as it was, from left to right.
    """

    def __init__(self, document: str, refusal: Refusal, inflector_of: InflectorOf, agreement: str = "move") -> None:
        self.edits: list[PlacedEdit] = []
        self._document = document
        self._refusal = refusal
        self._inflector_of = inflector_of
        self._agreement = agreement
        self._longer = 0  # than it was, in characters, with the sentences so far

    def add(self, sentences: Iterable[PlacedSentence], words: Mapping[str, ChosenWord]) -> list[Row]:
        """Take in the next sentences of the text; return their rows of table simplification/changes.

        Args:
            sentences: in the order of the text.
            words: by instance, what was chosen.
        """
        rows: list[Row] = []
        for sentence in sentences:
            rows += self._rows(sentence, [words[name] for name in sentence.instances])
        return rows

    def _rows(self, sentence: PlacedSentence, words: Sequence[ChosenWord]) -> list[Row]:
        inflector = self._inflector_of(words[0].language)
        made = sorted(
            _sentence(sentence, words, self._refusal, inflector, self._agreement), key=lambda pair: pair[1][:2]
        )
        edits = [edit for row, edit in made if row["changed"]]
        ends = [edit.end for edit in edits]  # in order, for they do not overlap
        longer = list(accumulate(map(_longer, edits), initial=self._longer))

        def out(place: int) -> int:
            """Return where a place before the edits lies after them; it lies in none, but may border on one."""
            return place + longer[bisect_right(ends, place)]

        self.edits += edits
        self._longer = longer[-1]
        first, last = sentence.first, sentence.first + len(words[0].sentence)
        here = {"document": self._document, "sentence": sentence.number}
        here |= {"sentence_start": out(first), "sentence_end": out(last)}
        places = [out(edit.start) for _, edit in made]
        return [
            {**row, **here, "start_out": start, "end_out": start + len(row["chosen"])}
            for (row, _), start in zip(made, places, strict=True)
        ]


def _longer(edit: PlacedEdit) -> int:
    return len(edit.text) - (edit.end - edit.start)


def _sentence(
    sentence: PlacedSentence,
    words: Sequence[ChosenWord],
    refusal: Refusal,
    inflector: Inflecting | None,
    agreement: str,
) -> Iterator[tuple[Row, PlacedEdit]]:
    """Yield the rows of a sentence, each with its edit of the text.

    What the source refuses is taken out, and the others are placed anew, for words agree with each other.
    """
    first, whole, language = sentence.first, words[0].sentence, words[0].language
    choices = [word.choice for word in words]
    refusals: dict[int, str] = {}
    fixed = fixed_places(whole)

    def reason_of(edit: PlacedEdit) -> str | None:
        kind = fixed.kind(edit.start - first, edit.end - first)
        return refusal(edit) if kind is None else f"it stands {FIXED[kind]}"

    while True:
        outcomes = resolve(whole, choices, language, inflector, agreement, sentence.tokens)
        edits = [
            [edit._replace(start=edit.start + first, end=edit.end + first) for edit in outcome.edits]
            for outcome in outcomes
        ]
        new = {at: why for at, made in enumerate(edits) for edit in made if (why := reason_of(edit)) is not None}
        if not new:
            break
        refusals |= new
        choices = [choice._replace(offers=()) if at in new else choice for at, choice in enumerate(choices)]
    for at, (word, outcome, made) in enumerate(zip(words, outcomes, edits, strict=True)):
        if outcome.chosen is None:
            refused = outcome.refused[0] if outcome.refused else None
            reason = "refused" if at in refusals else word.reason or refused
            stays = PlacedEdit(first + word.choice.start, first + word.choice.end, word.target)
            about = {**word.about, "place": None, "changed": False, "reason": reason, "detail": refusals.get(at)}
            yield {**about, **_row(word.target, stays)}, stays
        for edit in made:
            about = {**word.about, "changed": True, "reason": None, "detail": None}
            yield {**about, **_row(whole[edit.start - first : edit.end - first], edit)}, edit


def _row(before: str, edit: PlacedEdit) -> Row:
    kind = "beside" if edit.beside else "word"
    return {"start": edit.start, "end": edit.end, "kind": kind, "target": before, "chosen": edit.text}


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


def texts_tasks(element: tuple[int, LoadedTexts], parts: Iterable[Part]) -> Iterator[tuple[int, TextsTask]]:
    """Yield the task of texts, of parts of all tables; none without words, since too many records were rejected."""
    by_table: dict[str, list[Part]] = {}
    for part in sorted(parts):
        by_table.setdefault(part.table, []).append(part)
    if INSTANCES.name in by_table:
        names = (INSTANCES.name, RANKINGS.name, SIMPLIFICATIONS.name)
        yield element[0], TextsTask(element[1].texts, *(tuple(by_table[name]) for name in names))


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


@dataclass(frozen=True, kw_only=True)
class Resolve(Step[TextsTask, ResolvedPart]):
    """Put what was chosen into texts.

    Attributes:
        format, reader: how files were read, since they are edited in the same way.
        inflector: knows genders; None: what agrees with nouns stays, but for the word before.
        agreement: one of `agreeing_rewriting.AGREEMENT`.
    """

    format: str = "auto"
    reader: ReaderOptions = field(default_factory=ReaderOptions)
    inflector: InflectorReference | None = None
    agreement: str = "move"

    name = "simplification/resolve"
    noun = "rewritten texts"
    unit = "batches"

    def inflector_of(self, language: str) -> Inflecting | None:
        """Return the inflector for a language, opened once per process; None if there is none."""
        return inflector_for(self.inflector, language)

    def make(self, artefact: Artefact, task: TextsTask) -> ResolvedPart:
        """Write the parts of both tables."""
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
                        text = _OpenText(piece.text, self)
                    made = text.add(piece, words)
                    changes.add(made)
                    counts.update(row["reason"] or CHANGED for row in made if row["kind"] == "word")
                    totals["beside"] += sum(row["kind"] != "word" for row in made)
                    if piece.is_last:
                        totals["altered"] += bool(text.resolving.edits)
                        rows.append(text.row())
                        text = None
                yield pa.Table.from_pylist(rows, schemas[0])

        with SideRows(schemas[1]) as changes:
            of_documents = write_part(artefact, schemas[0], documents(changes), sort_keys=DOCUMENTS.key)
            of_changes = write_part(artefact, schemas[1], changes.batches(), sort_keys=CHANGES.key, suffix="-changes")
        return ResolvedPart(of_documents, of_changes, dict(sorted(counts.items())), totals["beside"], totals["altered"])

    def chosen(self, task: TextsTask) -> Mapping[str, Sequence[str]]:
        """Return the formats, and those of inflectors."""
        formats = tuple(SPANS) if self.format == "auto" else (self.format,)
        return {
            "lexbeam.transforms.formats.spans.spanned:SPANS": formats,
            "lexbeam.transforms.formats.readers.registry:READERS": formats,
            **chosen_formats(self.inflector),
        }


def _words(pieces: Sequence[PlacedPiece], task: TextsTask) -> dict[str, ChosenWord]:
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

    def __init__(self, text: PlacedText, options: Resolve) -> None:
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
    number = bisect_right(source.blocks, edit.start, key=attrgetter("start")) - 1
    start = source.blocks[number].start
    return TextEdit(number, edit.start - start, edit.end - start, edit.text)
