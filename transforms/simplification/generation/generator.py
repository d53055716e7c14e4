"""What a generator is: instances in, proposals for each of them out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from transforms.common.code.registry import Entry
from transforms.inflection.inflector import Inflecting
from transforms.inflection.kept import KeptInflector, opened_inflector
from transforms.lexicon.resources import Lexicon, ResourceAlias
from transforms.simplification.records import Instance, Proposal

if TYPE_CHECKING:
    from transforms.simplification.generation.options import GenerationOptions

__all__ = ["THESAURUS", "VECTORS", "WORDNET", "Context", "Generator", "Propose", "Source"]

# What resources are called. Thesauri are several: their names have a number behind them.
THESAURUS = ResourceAlias("thesaurus_", "thesaurus")
VECTORS = ResourceAlias("vectors_", "vectors")
WORDNET = ResourceAlias("wordnet_", "wordnet")


class Context(NamedTuple):
    """What generators are given beside instances.

    Attributes:
        options: of the setting.
        lexicon: resources `THESAURUS`, `VECTORS`, `WORDNET`, and word lists.
        thesauri: names of the thesauri, in the order in which they are asked.
        lists: names of the word lists; the first settles ties.
        inflector: makes forms of lemmas; None: lemmas stand as they are.
        encoders: masked language models (`lexicon.encoders.encoding.Encoding`), in their order.
        gold: by instance, people's substitutes but the target, for generator `gold`.
    """

    options: "GenerationOptions"
    lexicon: Lexicon = Lexicon()
    thesauri: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    inflector: KeptInflector | None = None
    encoders: tuple[Any, ...] = ()
    gold: Mapping[str, Sequence[str]] = {}

    def inflector_of(self, language: str) -> Inflecting | None:
        """Return the inflector for a language, opened once per process; None if there is none."""
        if self.inflector is None or self.inflector.language != language.partition("-")[0]:
            return None
        return opened_inflector(self.inflector)


# The proposals of each instance, in their order.
Source = Sequence[Sequence[Proposal]]

# A generator has one source, but each masked language model is one of its own.
Propose = Callable[[Sequence[Instance], Context], Sequence[Source]]


@dataclass(frozen=True)
class Generator(Entry):
    """A generator; its doc line is what its column of scores holds.

    Attributes:
        propose: gives proposals.
        adds: whether raw scores of its sources are of one unit, and are added.
    """

    propose: Propose
    adds: bool = False
