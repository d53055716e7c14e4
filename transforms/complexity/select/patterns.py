"""Patterns of targets, by language: sequences of parts of speech, with a look-ahead.

CompLex (Shardlow et al. 2020, 2021) took nouns, and as multi-word expressions NN+NN or JJ+NN
followed by a tag that is not a noun's. Here

- the end of a sentence is no noun, so an expression may stand there;
- NOUN and PROPN are both nouns to a look-ahead: "the trade minister Smith" has no expression;
- plural nouns (NNS) count as nouns do, if they are not left out; proper nouns (NNP, NNPS) do not,
  if they are not asked for;
- where the layer xpos has a fine tag for a token, it must agree: comparatives (JJR, JJS) are no JJ,
  and what is NOUN by one tag and NNP by the other is no target. Where it has none, UPOS decides.
"""

from dataclasses import dataclass
from typing import NamedTuple

from schemas.complexity.instances import KINDS
from transforms.common.code.registry import Entry, Registry
from transforms.common.errors import UsageError, nearest

__all__ = ["NOUNS", "PATTERNS", "Pattern", "Step", "chosen_patterns"]

NOUNS = ("NOUN", "PROPN")
_SINGLE, _MWE = KINDS


class Step(NamedTuple):
    """A token of a target.

    Attributes:
        upos: universal parts of speech that it may have.
        fine: tags of the layer xpos, one of which it has where it has any; none: any tag.
        proper: whether PROPN is among its parts of speech where proper nouns are asked for.
        proper_fine: tags that it may have besides, then.
        plural: those of its fine tags that are left out where plurals are.
    """

    upos: tuple[str, ...]
    fine: tuple[str, ...] = ()
    proper: bool = False
    proper_fine: tuple[str, ...] = ()
    plural: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pattern(Entry):
    """A pattern of targets.

    Attributes:
        language: ISO 639.
        kind: kind of its instances.
        steps: the tokens of a target, which stand side by side.
        not_before: parts of speech that the next token must not have; it may be missing, but its
            part of speech must be known.
    """

    language: str
    kind: str
    steps: tuple[Step, ...]
    not_before: tuple[str, ...] = ()


_EN_NOUN = Step(("NOUN",), ("NN", "NNS"), True, ("NNP", "NNPS"), ("NNS", "NNPS"))
_EN_ADJ = Step(("ADJ",), ("JJ",))
# The fine tags of Spanish and German treebanks differ from one to another: UPOS decides.
_NOUN = Step(("NOUN",), proper=True)
_ADJ = Step(("ADJ",))

PATTERNS: Registry[Pattern] = Registry(
    {
        "en:noun": Pattern("en", _SINGLE, (_EN_NOUN,), doc="a noun"),
        "en:noun-noun": Pattern("en", _MWE, (_EN_NOUN, _EN_NOUN), NOUNS, doc="two nouns"),
        "en:adj-noun": Pattern("en", _MWE, (_EN_ADJ, _EN_NOUN), NOUNS, doc="an adjective and a noun"),
        "es:noun": Pattern("es", _SINGLE, (_NOUN,), doc="a noun"),
        "es:noun-adj": Pattern("es", _MWE, (_NOUN, _ADJ), doc="a noun and an adjective"),
        "de:noun": Pattern("de", _SINGLE, (_NOUN,), doc="a noun"),
        "de:adj-noun": Pattern("de", _MWE, (_ADJ, _NOUN), NOUNS, doc="an adjective and a noun"),
    },
    what="pattern",
    group="lexbeam.complexity_patterns",
)


def chosen_patterns(wanted: tuple[str, ...], languages: set[str]) -> tuple[str, ...]:
    """Return the names of patterns, sorted.

    Args:
        wanted: names, with a language (`en:noun`) or for every language that has such (`noun`);
            empty for all.
        languages: those that there are sentences in; only their patterns are returned.

    Raises:
        UsageError: there is no such pattern, or none for these languages.
    """
    short = {name.partition(":")[2] for name in PATTERNS}
    for name in wanted:
        if name not in PATTERNS and name not in short:
            hint = nearest(name, [*PATTERNS, *sorted(short)])
            raise UsageError(f"`patterns`: no pattern is called {name!r}{hint}")
    chosen = [
        name
        for name, pattern in sorted(PATTERNS.items())
        if pattern.language in languages and (not wanted or name in wanted or name.partition(":")[2] in wanted)
    ]
    if not chosen:
        known = sorted({pattern.language for pattern in PATTERNS.values()})
        raise UsageError(
            f"there are no such patterns for {', '.join(sorted(languages)) or 'no known language'}:"
            f" there are patterns for {', '.join(known)}; `language` says what sentences are in "
            "whose language is not known"
        )
    return tuple(chosen)
