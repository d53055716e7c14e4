"""What a generator is: instances in, proposals for each of them out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from lexbeam.transforms.common.code.registry import Entry
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.inflection.models import InflectorReference, inflector_for
from lexbeam.transforms.lexicon.resources import Lexicon, ResourceAlias
from lexbeam.transforms.simplification.records import Instance, Proposal

if TYPE_CHECKING:
    from lexbeam.transforms.simplification.generation.options import GenerationOptions

# What resources are called; thesauri have a number behind their name.
THESAURUS = ResourceAlias("thesaurus_", "thesaurus")


class Context(NamedTuple):
    """What generators work with beside the instances.

    Attributes:
        options: of the setting.
        lexicon: thesauri, vectors, WordNet and word lists.
        thesauri: names of the thesauri, in the order in which they are looked up.
        lists: names of the word lists; the first settles ties.
        inflector: makes forms of lemmas; None: lemmas stand as they are.
        encoders: masked language models, in their order.
        gold: by instance, people's substitutes except the target, for generator `gold`.
    """

    options: "GenerationOptions"
    lexicon: Lexicon = Lexicon()
    thesauri: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    inflector: InflectorReference | None = None
    # Of `Encoding`: a stage counts whatever its annotations name, and would count every encoder.
    encoders: tuple[Any, ...] = ()
    gold: Mapping[str, Sequence[str]] = {}

    def inflector_of(self, language: str) -> Inflecting | None:
        """Return the inflector for a language, opened once per process; None if there is none."""
        return inflector_for(self.inflector, language)


# The proposals of each instance, in their order.
Source = Sequence[Sequence[Proposal]]

# A generator is one source, except that each masked language model is a source of its own.
Propose = Callable[[Sequence[Instance], Context], Sequence[Source]]


@dataclass(frozen=True)
class Generator(Entry):
    """A generator; its doc line is what its column of scores holds.

    Attributes:
        propose: gives proposals.
        adds: whether the raw scores of its sources share a unit, so that they are added.
        reasons: why some of its proposals do not go on, each with what it means.
    """

    propose: Propose
    adds: bool = False
    reasons: Mapping[str, str] = field(default_factory=dict, kw_only=True)
