"""Patterns of targets, by language, and the targets that they match, whole columns at once; options of a selection.

A pattern is a sequence of parts of speech with a look-ahead. CompLex (Shardlow et al. 2020, 2021) took
nouns, and as multi-word expressions NN+NN or JJ+NN followed by a tag that is not a noun's. Here

- the end of a sentence is no noun, so an expression may stand there;
- NOUN and PROPN are both nouns to a look-ahead: "the trade minister Smith" has no expression;
- plural nouns (NNS) count as nouns unless they are left out; proper nouns (NNP, NNPS) count only on
  request;
- where the layer xpos has a fine tag for a token, it must agree: comparatives (JJR, JJS) are not JJ, and
  what one tag calls NOUN and the other NNP is no target. Where it has none, UPOS decides.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.complexity import KINDS
from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.texts.languages import stated_language

NOUNS = ("NOUN", "PROPN")
_SINGLE, _MWE = KINDS


class PatternStep(NamedTuple):
    """A token of a target.

    Attributes:
        upos: universal parts of speech that it may have.
        fine: tags of the layer xpos: if it has one, it is among these; none: any tag.
        proper: whether it may be PROPN when proper nouns count.
        proper_fine: further tags that it may then have.
        plural: those of its fine tags that are left out with plurals.
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
    steps: tuple[PatternStep, ...]
    not_before: tuple[str, ...] = ()


_EN_NOUN = PatternStep(("NOUN",), ("NN", "NNS"), True, ("NNP", "NNPS"), ("NNS", "NNPS"))
_EN_ADJ = PatternStep(("ADJ",), ("JJ",))
# The fine tags of Spanish and German treebanks differ from one to another: UPOS decides.
_NOUN = PatternStep(("NOUN",), proper=True)
_ADJ = PatternStep(("ADJ",))

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
        wanted: names, with a language (`en:noun`) or for every language that has the pattern (`noun`);
            empty for all.
        languages: those of the sentences; only their patterns are returned.

    Raises:
        UsageError: a pattern is unknown, or there are none for these languages.
    """
    short = {name.partition(":")[2] for name in PATTERNS}
    for name in wanted:
        if name not in PATTERNS and name not in short:
            hint = nearest(name, [*PATTERNS, *sorted(short)])
            raise UsageError(
                f"`patterns`: no pattern is called {name!r}{hint}; there are {', '.join(sorted(short))}; "
                "words of other parts of speech come from a table, by `lexbeam complexity load`"
            )
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


Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


class Matches(NamedTuple):
    """Targets, sorted by row, position, kind.

    Attributes:
        row: which of the sentences, int64.
        position: place of the first token in the sentence, int64.
        token: its place among all tokens of all sentences, int64.
        tokens: how many tokens it has, int64.
        kind: its place among the kinds of the patterns, sorted, int64.
        kinds: those kinds.
    """

    row: Ints
    position: Ints
    token: Ints
    tokens: Ints
    kind: Ints
    kinds: tuple[str, ...]


def match(
    upos: pa.ListArray,
    xpos: pa.ListArray | None,
    patterns: Sequence[Pattern],
    *,
    proper: bool = False,
    plural: bool = True,
) -> Matches:
    """Return all targets of some sentences.

    Of the targets of one kind that begin at one token the longest counts. A token without a part
    of speech is in no target, and what precedes it passes no look-ahead.

    Args:
        upos: universal parts of speech of each sentence; a null has no targets.
        xpos: fine tags, parallel; a null, of a sentence or of a token, decides nothing.
        patterns: what to look for.
        proper: whether proper nouns count as nouns.
        plural: whether plural nouns do.

    Raises:
        ValueError: the lists of a sentence differ in length.
    """
    lengths, tags = _flat(upos)
    codes = pc.fill_null(pc.index_in(tags, value_set=pa.array(UPOS)), -1).to_numpy()
    fine = None
    if xpos is not None:
        fine = _fine(xpos, lengths)
    ends = np.cumsum(lengths)
    begins = ends - lengths
    rows = np.repeat(np.arange(len(lengths)), lengths)
    left = ends[rows] - np.arange(len(codes))  # tokens from here to the end of the sentence
    kinds = tuple(sorted({pattern.kind for pattern in patterns}))
    best = np.zeros((len(codes), len(kinds)), np.int64)
    for pattern in patterns:
        n = len(pattern.steps)
        here = left >= n
        for place, step in enumerate(pattern.steps):
            here &= _shifted(_allowed(step, codes, fine, proper, plural), place)
        if pattern.not_before:
            after = (codes >= 0) & ~_coded(pattern.not_before)[codes]
            here &= (left == n) | _shifted(after, n)
        column = best[:, kinds.index(pattern.kind)]
        np.maximum(column, n * here, out=column)
    token, kind = np.nonzero(best)
    return Matches(rows[token], token - begins[rows[token]], token, best[token, kind], kind, kinds)


def _flat(lists: pa.ListArray) -> tuple[Ints, pa.Array]:
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy().astype(np.int64)
    return lengths, lists.flatten()


def _fine(xpos: pa.ListArray, lengths: Ints) -> pa.DictionaryArray:
    """Return the fine tag of each token; null for none."""
    sizes, values = _flat(xpos)
    there = pc.is_valid(xpos).to_numpy(zero_copy_only=False)
    if (sizes != lengths)[there & (lengths > 0)].any():
        raise ValueError("xpos and upos of a sentence differ in length")
    tagged = np.repeat(there & (lengths > 0), lengths)
    # Sentences without upos have no tokens here, and so no fine tags either.
    tags = values.filter(pa.array(np.repeat(lengths > 0, sizes)))
    places = np.cumsum(tagged) - 1
    return tags.take(pa.array(places, mask=~tagged)).dictionary_encode()


def _coded(tags: Sequence[str]) -> Bools:
    """Return whether each code is of one of the tags; the last entry is for no tag."""
    return np.array([tag in tags for tag in UPOS] + [False])


def _allowed(step: PatternStep, codes: Ints, fine: pa.DictionaryArray | None, proper: bool, plural: bool) -> Bools:
    more = proper and step.proper
    allowed: Bools = _coded((*step.upos, "PROPN") if more else step.upos)[codes]
    if fine is None or not step.fine:
        return allowed
    tags = {*step.fine, *(step.proper_fine if more else ())} - (set() if plural else set(step.plural))
    right = np.array([tag in tags for tag in fine.dictionary.to_pylist()] + [True])
    allowed &= right[pc.fill_null(fine.indices, -1).to_numpy()]
    return allowed


def _shifted(values: Bools, by: int) -> Bools:
    """Return for each token the value of the token `by` places after it; false beyond the last."""
    shifted = np.zeros(len(values), bool)
    shifted[: max(len(values) - by, 0)] = values[by:]
    return shifted


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
