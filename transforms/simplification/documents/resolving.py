"""A text with the choices of all its words: its edits, the text that comes out, and a row for each word.

The choices of a sentence are placed together, and sentences follow each other as they stand.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from schemas.simplification.instances import INSTANCES
from schemas.simplification.rankings import RANKINGS, SIMPLIFICATIONS
from transforms.common.store.join import Rows
from transforms.inflection.inflector import Inflecting
from transforms.simplification.documents.placed_texts import PlacedSentence, PlacedText
from transforms.simplification.records import Row
from transforms.simplification.rewriting.choices import Offer, PlacedEdit, TargetChoice, edited
from transforms.simplification.rewriting.together import resolve

__all__ = ["COLUMNS", "ChosenWord", "ResolvedText", "chosen_word", "resolved"]

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
        sentence: the sentence.
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
        identifier: of the instance.
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


class ResolvedText(NamedTuple):
    """A text with its chosen words.

    Attributes:
        text: as it is now.
        edits: of the text as it was, from left to right.
        rows: of table simplification/changes.
    """

    text: str
    edits: list[PlacedEdit]
    rows: list[Row]


Refusal = Callable[[PlacedEdit], str | None]
InflectorOf = Callable[[str], Inflecting | None]


def resolved(
    text: PlacedText, words: Mapping[str, ChosenWord], refusal: Refusal, inflector_of: InflectorOf
) -> ResolvedText:
    """Return a text with its chosen words.

    Args:
        text: where they stand in it.
        words: by instance, what was chosen.
        refusal: of an edit of the text, why it cannot be made; None if it can.
        inflector_of: of a language, what knows its genders; None: nothing does.
    """
    edits: list[PlacedEdit] = []
    rows: list[Row] = []
    for sentence in text.chosen:
        of_sentence = [words[name] for name in sentence.instances]
        last = sentence.first + len(of_sentence[0].sentence)
        here = {"document": text.document, "sentence": sentence.number}
        for row, edit in _sentence(sentence, of_sentence, refusal, inflector_of(of_sentence[0].language)):
            if row["changed"]:
                edits.append(edit)
            rows.append({**row, **here, "sentence_start": sentence.first, "sentence_end": last})
    edits.sort()
    rows.sort(key=_place)
    out = _Shifted(edits)
    for row in rows:
        row["start_out"] = out.at(row["start"])
        row["end_out"] = row["start_out"] + len(row["chosen"])
        row["sentence_start"], row["sentence_end"] = out.at(row["sentence_start"]), out.at(row["sentence_end"])
    return ResolvedText(edited(text.text, edits), edits, rows)


def _place(row: Row) -> tuple[int, int]:
    return row["start"], row["end"]


class _Shifted:
    """Where a place of the text before its edits lies after them."""

    def __init__(self, edits: Sequence[PlacedEdit]) -> None:
        self._ends = [edit.end for edit in edits]
        self._shifts = [0, *accumulate(len(edit.text) - (edit.end - edit.start) for edit in edits)]

    def at(self, place: int) -> int:
        """Return the place; it must lie in no edit, but may border on one."""
        return place + self._shifts[bisect_right(self._ends, place)]


def _sentence(
    sentence: PlacedSentence, words: Sequence[ChosenWord], refusal: Refusal, inflector: Inflecting | None
) -> Iterator[tuple[Row, PlacedEdit]]:
    """Yield the rows of a sentence, each with its edit of the text.

    What the source refuses is taken out, and the others are placed anew, for words agree with each other.
    """
    first, whole, language = sentence.first, words[0].sentence, words[0].language
    choices = [word.choice for word in words]
    refusals: dict[int, str] = {}
    while True:
        outcomes = resolve(whole, choices, language, inflector, tokens=sentence.tokens)
        edits = [[_moved(edit, first) for edit in outcome.edits] for outcome in outcomes]
        new = {at: why for at, made in enumerate(edits) for edit in made if (why := refusal(edit)) is not None}
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


def _moved(edit: PlacedEdit, first: int) -> PlacedEdit:
    return edit._replace(start=edit.start + first, end=edit.end + first)


def _row(before: str, edit: PlacedEdit) -> Row:
    kind = "beside" if edit.beside else "word"
    return {"start": edit.start, "end": edit.end, "kind": kind, "target": before, "chosen": edit.text}
