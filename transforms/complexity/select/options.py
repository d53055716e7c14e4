"""Options of `lexbeam complexity select`, and their parsing."""

import math
import re
from dataclasses import dataclass
from typing import NamedTuple

from lexbeam.schemas.complexity import KINDS
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.texts.languages import stated_language

TARGETS = "targets"
SAMPLING = "sampling"


class Band(NamedTuple):
    """A band of values of a named list: words outside, or not in the list, are no targets.

    Attributes:
        resource: the list's name.
        low: the least value.
        high: the greatest.
    """

    resource: str
    low: float
    high: float


def parse_bands(texts: tuple[str, ...]) -> tuple[Band, ...]:
    """Return bands written `LIST=low:high`; a missing edge is no bound.

    Raises:
        UsageError: a band is not written like this.
    """
    return tuple(map(_band, texts))


def _band(text: str) -> Band:
    name, equals, edges = text.partition("=")
    low, colon, high = edges.partition(":")
    try:
        band = Band(name, float(low or -math.inf), float(high or math.inf))
    except ValueError:
        band = Band("", math.nan, math.nan)
    if not (equals and colon and band.resource and band.low <= band.high):
        raise UsageError(
            f"`band` must be LIST=low:high, such as zipf=2:5 or zipf=:4.5 with a resource called zipf, not {text!r}"
        )
    return band


def parse_quotas(texts: tuple[str, ...]) -> dict[str, int | None]:
    """Return by kind the most instances of a genre, None for any number.

    A number is for every kind, `KIND=N` for one kind; of several the last counts.

    Raises:
        UsageError: a quota is neither.
    """
    quotas: dict[str, int | None] = dict.fromkeys(KINDS)
    for text in texts:
        kind, equals, number = text.rpartition("=")
        if not re.fullmatch(r"[0-9]{1,15}", number) or (equals and kind not in KINDS):
            raise UsageError(f"`quota` must be a number, or KIND=N with a kind of {', '.join(KINDS)}, not {text!r}")
        for name in [kind] if equals else KINDS:
            quotas[name] = int(number)
    return quotas


@dataclass(frozen=True, kw_only=True)
class SelectOptions:
    """Which targets are taken, and how many."""

    patterns: tuple[str, ...] = option(
        (),
        help="patterns of targets: noun, noun-noun, en:adj-noun; if not given, all of the corpora's languages",
        metavar="NAME",
        group=TARGETS,
    )
    proper: bool = option(False, help="proper nouns count as nouns", group=TARGETS)
    plurals: bool = option(True, help="plural nouns count as nouns; without them, layer xpos is needed", group=TARGETS)
    language: str | None = option(
        None,
        help="language of sentences whose language is not known",
        metavar="L",
        stands_for=stated_language,
        group=TARGETS,
    )
    genres: tuple[str, ...] = option(
        (),
        help="genre of each corpus, in the order of the corpora; if not given, the documents' own",
        metavar="NAME",
        group=TARGETS,
    )
    min_sentence: int = option(1, help="shortest sentence, in tokens", least=1, group=TARGETS)
    max_sentence: int | None = option(None, help="longest sentence, in tokens", least=1, group=TARGETS)
    band: tuple[str, ...] = option(
        (),
        help="only targets each word of which has a value of LIST, a resource, between these, "
        "both included: zipf=2:5, zipf=:4.5",
        metavar="LIST=LOW:HIGH",
        check=parse_bands,
        group=TARGETS,
    )
    contexts: int = option(5, help="most instances of a case-folded target in a genre", least=1, group=SAMPLING)
    quota: tuple[str, ...] = option(
        (),
        help="most instances of a genre and kind: N, or single=N,mwe=M; if not given, all",
        metavar="N",
        check=parse_quotas,
        group=SAMPLING,
    )
    seed: int = option(1, help="another seed draws other instances", least=0, group=SAMPLING)

    def __post_init__(self) -> None:
        """Refuse a range of lengths that is empty."""
        if self.max_sentence is not None and self.max_sentence < self.min_sentence:
            raise UsageError(f"`max_sentence` {self.max_sentence} is below `min_sentence` {self.min_sentence}")
