"""Words that are forms of one another: the annotation's lemma aside, by WordNet's morphy and by a form dictionary.

Two words are if some base form of theirs is the same, as one part of speech. Of the word that is asked about, only base
forms of its own part of speech count (*jailed*, a verb or an adjective, is a form of *jail*); those of an adjective may
be a verb's. Of the other word those of any count, since taggers err and words are derived (*in jail*).
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.cloze.filters.base import FilterSetting
from lexbeam.transforms.cloze.filters.batches import PairBatch, TokenPlaces, unique_hits
from lexbeam.transforms.cloze.word_resources import WORDNET
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.inflection.features import split
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.inflection.models import inflector_for
from lexbeam.transforms.lexicon.wordnet.ragged import Ragged, first_of_each, runs
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet

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
