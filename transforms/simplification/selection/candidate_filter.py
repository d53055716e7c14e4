"""What a filter of candidates is: what it works with, what it notes of a candidate; and the options of a setting."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lexbeam.transforms.common.code.registry import Entry
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.patterns import match_backwards
from lexbeam.transforms.common.store.identity import Fingerprinted
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.inflection.models import InflectorReference, inflector_for
from lexbeam.transforms.lexicon.resources import Lexicon
from lexbeam.transforms.simplification.records import Instance

_FILTERS = "lexbeam.transforms.simplification.selection.filters:FILTERS"


@dataclass(frozen=True, kw_only=True)
class SelectionOptions:
    """Which candidates go on."""

    filters: tuple[str, ...] = option(
        ("morphology",), help="the filters that candidates must pass, in this order", metavar="FILTER", choices=_FILTERS
    )
    same_pos: tuple[str, ...] = option(
        ("VERB=AUX", "NOUN=PROPN"),
        help="pairs of parts of speech that filter pos does not distinguish",
        metavar="UPOS=UPOS",
        of=f"{_FILTERS}=pos",
    )
    pos_phrases: str = option(
        "pass",
        help="what filter pos does with phrases: pass them, with the note pos_unchecked, or judge them by their head",
        choices=("pass", "head"),
        of=f"{_FILTERS}=pos",
    )
    least_similarity: float = option(
        0.2,
        help="least cosine to the target for filter similarity; candidates without a vector pass",
        least=-1,
        most=1,
        of=f"{_FILTERS}=similarity",
    )
    least_context: float = option(
        0.35,
        help="least cosine of target and candidate, each in the sentence, for filter context; each model has its own",
        least=-1,
        most=1,
        of=f"{_FILTERS}=context",
    )
    most_sense: int = option(
        4,
        help="number of a candidate's last sense, in WordNet's order, that filter rare-senses lets pass",
        least=1,
        of=f"{_FILTERS}=rare-senses",
    )
    least_ngram: float = option(
        0.1, help="least fit with the words before and after for filter ngram", least=0, of=f"{_FILTERS}=ngram"
    )
    least_bigram: float = option(
        0.02,
        help="least share of a part of speech beside a word for filter bigrams",
        least=0,
        most=1,
        of=f"{_FILTERS}=bigrams",
    )


NGRAMS = "ngrams"
_WORD = re.compile(r" *(\w+)")
_SPLIT = re.compile(r"\b(de|a) +el (\W*)\Z", re.IGNORECASE)


@dataclass
class CandidateState:
    """A candidate, and what filters have noted of it; columns of table simplification/selections.

    Attributes:
        shown: the form with the target's capitals.
        before: what the word before it becomes; None if that stays.
        came_as_form: whether it was generated as a form, so that its lemma is one of several that the form may have.
    """

    form: str
    shown: str
    lemma: str | None
    before: str | None
    score: float
    votes: int | None
    reason: str | None = None
    note: str | None = None
    merged_into: str | None = None
    upos: str | None = None
    similarity: float | None = None
    ngram: float | None = None
    context: float | None = None
    came_as_form: bool = False


class InstanceCandidates(NamedTuple):
    """An instance and its candidates."""

    instance: Instance
    states: list[CandidateState]

    @property
    def remaining(self) -> list[CandidateState]:
        """The candidates that no filter has dropped."""
        return [state for state in self.states if state.reason is None]


class TaggedPlace(NamedTuple):
    """Words of a sentence that are tagged: start and end, and whether the head of a phrase is its last word."""

    sentence: str
    start: int
    end: int
    head_last: bool


class Selecting(NamedTuple):
    """What filters work with beside candidates.

    Attributes:
        lexicon: vectors and `NGRAMS`.
        inflector: knows the lemmas of forms; None: only the lemmas of candidates count.
        engine: the engine that tags, by its specification; empty: none.
        fingerprint: what identifies the engine.
        encoder: reads words in their sentences; None: no filter of the setting needs it.
        tagged: tags by place, which settings share; None: each setting tags for itself.
    """

    options: "SelectionOptions"
    lexicon: Lexicon = Lexicon()
    inflector: InflectorReference | None = None
    engine: Fingerprinted = ""
    fingerprint: str = ""
    # An `Encoding`: a stage counts whatever its annotations name, and would count every encoder.
    encoder: Any = None
    tagged: "dict[TaggedPlace, str] | None" = None

    def inflector_of(self, language: str) -> Inflecting | None:
        """Return the inflector for a language, opened once per process; None if there is none."""
        return inflector_for(self.inflector, language)


def contracted(left: str) -> str:
    """Return Spanish text with `a el` and `de el` at its end as one word.

    >>> contracted("cerca de el "), contracted("A el "), contracted("DE EL ")
    ('cerca del ', 'Al ', 'DEL ')
    """
    return _SPLIT.sub(lambda match: f"{match[1]}{'L' if match[0].isupper() else 'l'} {match[2]}", left)


def replaced(instance: Instance, form: str, before: str | None = None) -> tuple[str, int]:
    """Return the sentence with a form in the target's place, and where the form starts.

    Args:
        instance: the target in its sentence.
        form: with its capitals.
        before: what the word before the target becomes; None if it stays.
    """
    left = instance.left(before)
    if before is not None and instance.language.partition("-")[0] == "es":
        left = contracted(left)
    right = instance.sentence[instance.end :]
    if form.endswith(".") and right.startswith(".") and not right.startswith(".."):
        right = right[1:]  # one full stop ends an abbreviation and the sentence
    return left + form + right, len(left)


def neighbours(instance: Instance, form: str, before: str | None) -> tuple[str | None, str | None]:
    """Return the words before and after a form in the target's place, in lower case; None: no word, only spaces apart.

    Args:
        instance: the target in its sentence.
        form: what stands there.
        before: what the word before the target becomes; None if it stays.
    """
    sentence, start = replaced(instance, form, before)
    left = match_backwards(_WORD, sentence, start)
    right = _WORD.match(sentence, start + len(form))
    return None if left is None else left[1][::-1].lower(), None if right is None else right[1].lower()


@dataclass(frozen=True)
class CandidateFilter(Entry):
    """A filter of candidates.

    Attributes:
        drop: gives some of the candidates that remain in groups a reason.
        reasons: those that it gives, each with what it means.
        notes: what it remarks on candidates that it keeps, each with what that means.
    """

    drop: Callable[[Sequence[InstanceCandidates], Selecting], None]
    reasons: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    notes: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    @property
    def explained(self) -> str:
        """The doc line, and the reasons that it gives."""
        return f"{self.doc} ({', '.join(self.reasons)})" if self.reasons else self.doc
