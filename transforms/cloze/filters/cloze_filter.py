"""What a cloze filter is, and the batches of pairs that it is asked of; words that are forms of one another.

Two words are forms of one another, the annotation's lemma aside, if some base form of theirs is the same, as one part
of speech: by WordNet's morphy and by a form dictionary. Of the word that is asked about, only base forms of its own
part of speech count (*jailed*, a verb or an adjective, is a form of *jail*); those of an adjective may be a verb's. Of
the other word those of any count, since taggers err and words are derived (*in jail*).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.cloze.word_resources import WORDNET
from lexbeam.transforms.common.code.registry import Entry
from lexbeam.transforms.common.texts.characters import straight
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.inflection.features import split
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.inflection.models import InflectorReference, inflector_for
from lexbeam.transforms.lexicon.compiled.word_keys import coded
from lexbeam.transforms.lexicon.resources import Lexicon
from lexbeam.transforms.lexicon.wordnet.ragged import Ragged, first_of_each, runs
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet

# What is read of `cloze/pairs`.
COLUMNS = (
    "pair_id",
    "article_id",
    "language",
    "targets",
    "summary",
    "passage",
    *(
        f"{side}_{name}"
        for side in ("summary", "passage")
        for name in ("forms", "lemmas", "upos", "starts", "ends", "sentences")
    ),
)

_PAIRS = 64
_WORD = r"[\p{L}\p{N}]"


class SideTokens(NamedTuple):
    """The tokens of all summaries, or of all passages.

    Attributes:
        bounds: where the tokens of each pair begin, and one end, int64.
        owners: the pair of each token.
        forms: as they stand, large_string.
        lemmas: null where there is no annotation.
        upos: null where there is no annotation.
        form: the place of each form in `PairBatch.distinct`.
        folded: its number without regard to case; equal forms and lemmas have one.
        lemma: that of its lemma, of its form where there is none.
        words: which tokens have a letter or digit.
    """

    bounds: np.ndarray
    owners: np.ndarray
    forms: pa.Array
    lemmas: pa.Array
    upos: pa.Array
    form: np.ndarray
    folded: np.ndarray
    lemma: np.ndarray
    words: np.ndarray


class PairBatch(NamedTuple):
    """A batch of pairs.

    Attributes:
        rows: rows of `cloze/pairs`, with `COLUMNS`.
        summary: the tokens of the summaries.
        passage: the tokens of the passages.
        distinct: the different forms of both.
        folded: the different forms and lemmas without regard to case, large_string.
        asked: those tokens of the summaries that are words, rising.
    """

    rows: pa.Table
    summary: SideTokens
    passage: SideTokens
    distinct: pa.Array
    folded: pa.Array
    asked: np.ndarray

    def codes(self, words: pa.Array) -> np.ndarray:
        """Return the numbers of words in lower case, -1 where no text has them."""
        places = pc.index_in(words.cast(pa.large_string()), value_set=self.folded)
        return np.asarray(places.fill_null(-1).to_numpy(zero_copy_only=False), np.int64)


def batches_of(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield rows of `cloze/pairs` in batches that depend on the rows alone.

    A batch ends behind the pairs of an article, which stand next to one another.
    """
    left: pa.Table | None = None
    for table in tables:
        table = table if left is None else pa.concat_tables([left, table])
        start = 0
        while (stop := _end(table, start)) < table.num_rows:
            yield table.slice(start, stop - start).combine_chunks()
            start = stop
        left = table.slice(start)
    if left is not None and left.num_rows:
        yield left.combine_chunks()


def _end(table: pa.Table, start: int) -> int:
    stop, rows = start + _PAIRS, int(table.num_rows)
    if stop >= rows:
        return rows
    last = table["article_id"][stop - 1].as_py()
    while stop < rows and table["article_id"][stop].as_py() == last:
        stop += 1
    return stop


def batch_of(rows: pa.Table) -> PairBatch:
    """Return rows of `cloze/pairs`, with `COLUMNS`, as flat arrays."""
    flat: dict[tuple[str, str], Any] = {}
    for side in ("summary", "passage"):
        lists = rows[f"{side}_forms"].combine_chunks()
        lengths = np.asarray(pc.list_value_length(lists).fill_null(0)).astype(np.int64)
        for name in ("forms", "lemmas", "upos"):
            tokens = rows[f"{side}_{name}"].combine_chunks()
            flat[side, name] = _flat(tokens, lengths)
        flat[side, "lengths"] = lengths
    forms = [flat[side, "forms"] for side in ("summary", "passage")]
    lemmas = [flat[side, "lemmas"] for side in ("summary", "passage")]
    distinct, form = coded(pa.concat_arrays(forms))
    known, lemma = coded(pa.concat_arrays(lemmas))
    texts = [straight(text.casefold()) for text in [*distinct.to_pylist(), *known.to_pylist()]]
    folded, of = coded(pa.array(texts, pa.large_string()))
    by_form = of[: len(distinct)][form]
    by_lemma = np.append(of[len(distinct) :], -1)[lemma]
    by_lemma = np.where(by_lemma < 0, by_form, by_lemma)
    spelled = pc.match_substring_regex(distinct, _WORD).to_numpy(zero_copy_only=False)[form]
    sides = []
    first = 0
    for side in ("summary", "passage"):
        lengths = flat[side, "lengths"]
        span = slice(first, first + int(lengths.sum()))
        first = span.stop
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        owners = np.repeat(np.arange(len(lengths)), lengths)
        texts_of = {name: flat[side, name] for name in ("forms", "lemmas", "upos")}
        sides.append(
            SideTokens(
                bounds=bounds,
                owners=owners,
                **texts_of,
                form=form[span],
                folded=by_form[span],
                lemma=by_lemma[span],
                words=spelled[span],
            )
        )
    summary, passage = sides
    return PairBatch(rows, summary, passage, distinct, folded, np.flatnonzero(summary.words))


def _flat(lists: pa.Array, lengths: np.ndarray) -> pa.Array:
    """Return the tokens of all lists; a list that is null has as many nulls as there are tokens."""
    flat = pc.list_flatten(lists).cast(pa.large_string())
    if not lists.null_count:
        return flat
    there = np.repeat(lists.is_valid().to_numpy(zero_copy_only=False), lengths)
    places = np.where(there, np.cumsum(there) - 1, -1)
    return flat.take(pa.array(places, mask=~there))


class TokenPlaces:
    """Where numbers stand in the tokens of each pair."""

    def __init__(self, codes: np.ndarray, owners: np.ndarray, size: int) -> None:
        self._size = size
        keys = owners * size + codes
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def find(self, owners: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs of number and token that are equal: places in `codes`, and tokens.

        Args:
            owners: in whose tokens to look.
            codes: what to look for; negative ones are not found.
        """
        keys = owners * self._size + codes
        starts = np.searchsorted(self._keys, keys)
        ends = np.where(codes < 0, starts, np.searchsorted(self._keys, keys, side="right"))
        lengths = ends - starts
        asked = np.repeat(np.arange(len(codes)), lengths)
        within = np.arange(len(asked)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return asked, self._order[starts[asked] + within]


def unique_hits(asked: np.ndarray, tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each pair of number and token once, in their order."""
    size = int(tokens.max(initial=0)) + 1
    together = np.unique(asked * size + tokens)
    return together // size, together % size


PASSES, FAILS, ABSTAINS = 1, 0, -1


class Predictor(Protocol):
    """What predicts how concrete words are."""

    @property
    def below(self) -> float:
        """Words from this value on are too concrete, 0 to 1."""

    @property
    def language(self) -> str | None:
        """The language of its words; None: not known, and words of every language are scored."""

    def scores(self, forms: pa.Array, lemmas: pa.Array, upos: pa.Array) -> np.ndarray:
        """Return the concreteness of words, 0 (abstract) to 1, float64; NaN: not known."""

    def listed(self, forms: pa.Array, lemmas: pa.Array) -> np.ndarray:
        """Return which words it knows; of others it knows the letters alone."""

    def described(self) -> Mapping[str, object]:
        """Return what the manifest notes of it, plain values."""


class FilterSetting(NamedTuple):
    """What filters are evaluated with.

    Attributes:
        lexicon: resources `WORDNET` and `VECTORS` of `word_resources`.
        sense: an entry of `abstract_words.SENSES`.
        depth: `max` or `min`.
        depth_below: words of this depth, or deeper, are too specific.
        propn: what becomes of proper nouns, an entry of `abstract_words.PROPER_NOUNS`.
        inflector: what knows the forms of words beside WordNet.
        relation_match: `surface` or `lemma`: what of passage words is compared.
        relation_senses: `all`, or those of the `tag`.
        abstractness: what predicts concreteness.
        abstract_also: of `NEVER_ABSTRACT`, what may be abstract all the same.
        encoder: what encodes words in their sentences.
        thresholds: `static` and `contextual`: cosines from which on a word is too similar.
    """

    lexicon: Lexicon
    sense: str = "lesk"
    depth: str = "max"
    depth_below: float = 6.0
    propn: str = "noun"
    inflector: InflectorReference | None = None
    relation_match: str = "surface"
    relation_senses: str = "all"
    abstractness: Predictor | None = None
    abstract_also: tuple[str, ...] = ()
    # An `Encoding`: a stage counts whatever its annotations name, and would count every encoder.
    encoder: Any = None
    thresholds: Mapping[str, float] = {}


class Verdicts(NamedTuple):
    """The verdicts of a filter on words.

    Attributes:
        values: what is compared with the threshold, or how many words offend; NaN: none.
        matches: the sense, or the first word that offends; null: none.
        passed: `PASSES`, `FAILS` or `ABSTAINS`, int8.
    """

    values: np.ndarray
    matches: pa.Array
    passed: np.ndarray


# From a batch, tokens of its summaries, rising, and the setting, to verdicts on these tokens.
Evaluate = Callable[[PairBatch, np.ndarray, FilterSetting], Verdicts]


@dataclass(frozen=True)
class ClozeFilter(Entry):
    """A filter; its doc line is what holds of a word that it lets through.

    Attributes:
        evaluate: from a batch, tokens of its summaries and the setting, the verdicts on these tokens.
        by_kind: whether verdicts depend on the kind; `evaluate` then takes `kind`.
    """

    evaluate: Callable[..., Verdicts]
    by_kind: bool = False


def nothing(count: int) -> Verdicts:
    """Return the verdicts of a filter that abstains from all words."""
    return Verdicts(np.full(count, np.nan), pa.nulls(count, pa.large_string()), np.full(count, ABSTAINS, np.int8))


def counted(count: int, asked: np.ndarray, tokens: np.ndarray, words: pa.Array, lengths: np.ndarray | None) -> Verdicts:
    """Return the verdicts of a filter that counts words that offend.

    Args:
        count: how many words there are.
        asked: the word that each hit is of, rising; the tokens of a word rise, too.
        tokens: the offending token of each hit.
        words: all tokens.
        lengths: of each hit, how many tokens offend together; None: one each.
    """
    values = np.bincount(asked, minlength=count).astype(np.float64)
    owners, first = np.unique(asked, return_index=True)
    matches: list[str | None] = [None] * count
    for owner, place in zip(owners.tolist(), first.tolist(), strict=True):
        token = int(tokens[place])
        length = 1 if lengths is None else int(lengths[place])
        matches[owner] = " ".join(words.slice(token, length).to_pylist())
    return Verdicts(values, pa.array(matches, pa.large_string()), (values == 0).astype(np.int8))


_LETTERS = {"n": ("NOUN", "PROPN"), "v": ("VERB", "AUX", "ADJ"), "a": ("ADJ",), "r": ("ADV",)}
_KINDS = {"NOUN": 0, "PROPN": 0, "VERB": 1, "ADJ": 2, "ADV": 3}
_PARTICIPLES = ("Part", "Ger")


def same_base(batch: PairBatch, asked: np.ndarray, setting: FilterSetting, side: str) -> tuple[np.ndarray, np.ndarray]:
    """Return words and tokens of a side that share a base form: places in `asked`, and tokens.

    Args:
        batch: the pairs.
        asked: tokens of the summaries.
        setting: with WordNet and an inflector, where there are such.
        side: `summary` or `passage`.
    """
    summary, other = batch.summary, getattr(batch, side)
    places, tokens = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for rows, wordnet, inflector in _by_language(batch, setting):
        mine = np.flatnonzero(np.isin(summary.owners[asked], rows))
        others = np.flatnonzero(np.isin(other.owners, rows))
        forms = np.unique(np.concatenate([summary.form[asked[mine]], other.form[others]]))
        bases = _bases(pc.utf8_lower(batch.distinct.take(pa.array(forms))), wordnet, inflector)
        size = int(bases.values.max(initial=0)) + 1
        of_others = _taken(bases, np.searchsorted(forms, other.form[others]))
        found = TokenPlaces(of_others.values, other.owners[others][of_others.owners()], size)
        wanted = _taken(bases, np.searchsorted(forms, summary.form[asked[mine]]))
        upos = summary.upos.take(pa.array(asked[mine]))
        wanted = wanted.keep(_allowed(upos)[wanted.owners(), wanted.values % len(_LETTERS)])
        at, hits = found.find(summary.owners[asked[mine]][wanted.owners()], wanted.values)
        places.append(mine[wanted.owners()[at]])
        tokens.append(others[of_others.owners()[hits]])
    return unique_hits(np.concatenate(places), np.concatenate(tokens))


def are_participles(batch: PairBatch, asked: np.ndarray, setting: FilterSetting) -> np.ndarray:
    """Return which words have a verb as base form, and are not that verb themselves: *jailed*, *leading*."""
    participles = np.zeros(len(asked), bool)
    owners = batch.summary.owners[asked]
    for rows, wordnet, inflector in _by_language(batch, setting):
        mine = np.flatnonzero(np.isin(owners, rows))
        texts = pc.utf8_lower(batch.summary.forms.take(pa.array(asked[mine])))
        if wordnet is not None:
            other = pc.not_equal(wordnet.morphy(texts, "v"), texts).fill_null(False)
            participles[mine] |= other.to_numpy(zero_copy_only=False)
        if inflector is not None:
            participles[mine] |= [_is_participle(inflector, text) for text in texts.to_pylist()]
    return participles


def _is_participle(inflector: Inflecting, text: str) -> bool:
    kinds = [split(row.inflection) for row in inflector.forms.of_form(text) if row.lemma != text]
    return any(kind == "VERB" and feats.get("VerbForm") in _PARTICIPLES for kind, feats in kinds)


def _by_language(
    batch: PairBatch, setting: FilterSetting
) -> Iterator[tuple[np.ndarray, WordNet | None, Inflecting | None]]:
    """Yield the rows of each language that has a WordNet or an inflector, with both."""
    languages = batch.rows["language"].combine_chunks()
    for rows, wordnet in setting.lexicon.by_language(WORDNET, languages):
        known = wordnet if isinstance(wordnet, WordNet) else None
        inflector = inflector_for(setting.inflector, short_tag(languages[int(rows[0])].as_py() or ""))
        if known is not None or inflector is not None:
            yield rows, known, inflector


def _bases(texts: pa.Array, wordnet: WordNet | None, inflector: Inflecting | None) -> Ragged:
    """Return the base forms of each text, as numbers whose remainder by four is the part of speech."""
    owners, parts, words = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [pa.array([], pa.large_string())]
    if wordnet is not None:
        for part, letter in enumerate(_LETTERS):
            lists = wordnet.base_forms(texts, letter)
            lengths = np.asarray(pc.list_value_length(lists).fill_null(0), np.int64)
            owners.append(np.repeat(np.arange(len(texts)), lengths))
            parts.append(np.full(int(lengths.sum()), part))
            words.append(pc.list_flatten(lists).cast(pa.large_string()))
    if inflector is not None:
        found = [
            (owner, _KINDS[kind], row.lemma)
            for owner, text in enumerate(texts.to_pylist())
            for row in inflector.forms.of_form(text)
            if (kind := row.inflection.partition(" ")[0]) in _KINDS
        ]
        owners.append(np.array([owner for owner, *_ in found], np.int64))
        parts.append(np.array([part for _, part, _ in found], np.int64))
        words.append(pa.array([lemma for *_, lemma in found], pa.large_string()))
    codes = pa.concat_arrays(words).dictionary_encode().indices.to_numpy(zero_copy_only=False).astype(np.int64)
    owner, values = np.concatenate(owners), codes * len(_LETTERS) + np.concatenate(parts)
    once = first_of_each(owner, values)
    owner, values = owner[once], values[once]
    order = np.argsort(owner, kind="stable")
    return Ragged(np.searchsorted(owner[order], np.arange(len(texts) + 1)), values[order])


def _taken(lists: Ragged, rows: np.ndarray) -> Ragged:
    """Return the lists of rows."""
    taken = runs(lists.offsets[rows], lists.offsets[rows + 1])
    return Ragged(taken.offsets, lists.values[taken.values])


def _allowed(upos: pa.Array) -> np.ndarray:
    """Return which parts of speech count for words, (words, 4); all where the word has none."""
    columns = [
        pc.is_in(upos, value_set=pa.array(tags, upos.type)).to_numpy(zero_copy_only=False) for tags in _LETTERS.values()
    ]
    unknown = upos.is_null().to_numpy(zero_copy_only=False)
    return np.asarray(np.column_stack(columns) | unknown[:, None])
