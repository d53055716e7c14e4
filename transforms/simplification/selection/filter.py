"""What filters of candidates are given, and what they say."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from transforms.common.code.registry import Entry
from transforms.common.store.identity import Fingerprinted
from transforms.inflection.inflector import Inflecting
from transforms.inflection.kept import KeptInflector, opened_inflector
from transforms.lexicon.resources import Lexicon, ResourceAlias
from transforms.simplification.records import Instance

if TYPE_CHECKING:
    from transforms.simplification.selection.options import SelectionOptions

__all__ = [
    "NGRAMS",
    "VECTORS",
    "CandidateFilter",
    "CandidateState",
    "InstanceCandidates",
    "Selecting",
    "contracted",
    "replaced",
]

VECTORS = ResourceAlias("vectors_", "vectors")
NGRAMS = "ngrams"
_SPLIT = re.compile(r"\b(de|a) +el (\W*)\Z", re.IGNORECASE)


@dataclass
class CandidateState:
    """A candidate, and what filters have said of it; columns of table simplification/selections.

    Attributes:
        shown: the form with the target's capitals.
        before: what the word before it becomes; None if that stays.
        given: whether it came as a form, so that its lemma is one of those that the form may have.
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
    given: bool = False


class InstanceCandidates(NamedTuple):
    """An instance and its candidates."""

    instance: Instance
    states: list[CandidateState]

    @property
    def kept(self) -> list[CandidateState]:
        """The candidates that no filter has dropped."""
        return [state for state in self.states if state.reason is None]


class Selecting(NamedTuple):
    """What filters are given beside candidates.

    Attributes:
        options: of the setting.
        lexicon: resources `VECTORS` and `NGRAMS`.
        inflector: says lemmas of forms; None: those of candidates alone count.
        engine: the engine that tags, by its specification; empty: none.
        fingerprint: what identifies it.
        tagged: tags by sentence and place, which settings share; None: each tags for itself.
    """

    options: "SelectionOptions"
    lexicon: Lexicon = Lexicon()
    inflector: KeptInflector | None = None
    engine: Fingerprinted = ""
    fingerprint: str = ""
    tagged: dict[Any, str] | None = None

    def inflector_of(self, language: str) -> Inflecting | None:
        """Return the inflector for a language, opened once per process; None if there is none."""
        if self.inflector is None or self.inflector.language != language.partition("-")[0]:
            return None
        return opened_inflector(self.inflector)


def contracted(left: str) -> str:
    """Return Spanish text with `a el` and `de el` at its end as one word.

    >>> contracted("cerca de el "), contracted("A el "), contracted("DE EL ")
    ('cerca del ', 'Al ', 'DEL ')
    """
    return _SPLIT.sub(lambda found: f"{found[1]}{'L' if found[0].isupper() else 'l'} {found[2]}", left)


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


@dataclass(frozen=True)
class CandidateFilter(Entry):
    """A filter of candidates.

    Attributes:
        drop: looks at those of groups that are kept, and gives some a reason.
    """

    drop: Callable[[Sequence[InstanceCandidates], Selecting], None]
