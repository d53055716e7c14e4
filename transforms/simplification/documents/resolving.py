"""A text with the choices of all its words: its edits, the text that comes out, and a row for each word.

The choices of a sentence are placed together, and sentences follow each other as they stand.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from lexbeam.schemas.simplification import INSTANCES, RANKINGS, SIMPLIFICATIONS
from lexbeam.transforms.common.store.join import Rows
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.simplification.documents.placed_texts import PlacedSentence
from lexbeam.transforms.simplification.instances.fixed_text import FIXED, fixed_places
from lexbeam.transforms.simplification.records import Row
from lexbeam.transforms.simplification.rewriting.together import Offer, PlacedEdit, TargetChoice, resolve

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


Refusal = Callable[[PlacedEdit], str | None]
InflectorOf = Callable[[str], Inflecting | None]


class Resolving:
    """A text whose chosen words are put in, some sentences after the others, which do not overlap.

    Args:
        document: its name.
        refusal: of an edit of the text, why it cannot be made; None if it can.
        inflector_of: of a language, what knows its genders; None: nothing does.
        agreement: one of `choices.AGREEMENT`.

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
        edits = [[_moved(edit, first) for edit in outcome.edits] for outcome in outcomes]
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


def _moved(edit: PlacedEdit, first: int) -> PlacedEdit:
    return edit._replace(start=edit.start + first, end=edit.end + first)


def _row(before: str, edit: PlacedEdit) -> Row:
    kind = "beside" if edit.beside else "word"
    return {"start": edit.start, "end": edit.end, "kind": kind, "target": before, "chosen": edit.text}
