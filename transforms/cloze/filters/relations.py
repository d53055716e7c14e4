"""Filters that look for the word itself in summary and passage, and for its synonyms and antonyms in the passage.

Synonyms are the other words of its synsets, antonyms the words that WordNet opposes to it, over all its senses or those
of its part of speech. Expressions (`look_after`) are looked for as consecutive tokens.
"""

from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.cloze.filters.base import FilterSetting, Verdicts, counted, nothing
from lexbeam.transforms.cloze.filters.base_forms import same_base
from lexbeam.transforms.cloze.filters.batches import PairBatch, TokenPlaces, unique_hits
from lexbeam.transforms.cloze.filters.nonspecificity import or_else
from lexbeam.transforms.cloze.word_resources import WORDNET
from lexbeam.transforms.lexicon.wordnet.ragged import Ragged
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet

MATCHES = ("surface", "lemma")
SENSES_OF = ("all", "tag")


def _equal(batch: PairBatch, asked: np.ndarray, setting: FilterSetting, side: str) -> tuple[np.ndarray, np.ndarray]:
    """Return words and tokens of a side that have the same form, lemma or base form."""
    summary, other = batch.summary, getattr(batch, side)
    size = len(batch.folded)
    owners = summary.owners[asked]
    by_form = TokenPlaces(other.folded, other.owners, size).find(owners, summary.folded[asked])
    by_lemma = TokenPlaces(other.lemma, other.owners, size).find(owners, summary.lemma[asked])
    by_base = same_base(batch, asked, setting, side)
    return unique_hits(*(np.concatenate(hits) for hits in zip(by_form, by_lemma, by_base, strict=True)))


def lemma(batch: PairBatch, asked: np.ndarray, setting: FilterSetting) -> Verdicts:
    """Let a word through if no word of the passage has its form, its lemma or a base form of its, whatever its tag.

    Case does not count. The value is the number of such words.
    """
    places, tokens = _equal(batch, asked, setting, "passage")
    return counted(len(asked), places, tokens, batch.passage.forms, None)


def repeated(batch: PairBatch, asked: np.ndarray, setting: FilterSetting) -> Verdicts:
    """Let a word through if no other word of the summary has its form, its lemma or a base form of its.

    The value is the number of such words.
    """
    places, tokens = _equal(batch, asked, setting, "summary")
    other = tokens != asked[places]
    return counted(len(asked), places[other], tokens[other], batch.summary.forms, None)


def synonym(batch: PairBatch, asked: np.ndarray, setting: FilterSetting) -> Verdicts:
    """Let a word through if no synonym is in the passage; the value is how many words are."""
    return _related(batch, asked, setting, "synonyms")


def antonym(batch: PairBatch, asked: np.ndarray, setting: FilterSetting) -> Verdicts:
    """Let a word through if no antonym is in the passage; the value is how many words are."""
    return _related(batch, asked, setting, "antonyms")


def _related(batch: PairBatch, asked: np.ndarray, setting: FilterSetting, relation: str) -> Verdicts:
    languages = batch.rows["language"].combine_chunks()
    owners = batch.summary.owners[asked]
    verdicts = nothing(len(asked))
    for rows, wordnet in setting.lexicon.by_language(WORDNET, languages):
        mine = np.flatnonzero(np.isin(owners, rows))
        if not isinstance(wordnet, WordNet) or not len(mine):
            continue
        of_language = _of_language(batch, asked[mine], setting, relation, wordnet)
        if len(mine) == len(asked):
            return of_language
        verdicts.values[mine], verdicts.passed[mine] = of_language.values, of_language.passed
        matches = np.full(len(asked), len(asked), np.int64)
        matches[mine] = np.arange(len(mine))
        taken = of_language.matches.take(pa.array(matches, mask=matches == len(asked)))
        verdicts = verdicts._replace(matches=pc.coalesce(verdicts.matches, taken))
    return verdicts


def _of_language(
    batch: PairBatch, asked: np.ndarray, setting: FilterSetting, relation: str, wordnet: WordNet
) -> Verdicts:
    summary, passage = batch.summary, batch.passage
    by_lemma = setting.relation_match == "lemma"
    lists, known = _lists(batch, asked, setting, relation, wordnet)
    targets = lists.owners()
    parts, numbers = _spelled(batch, known)
    codes = Ragged(parts, numbers)
    # An expression is there only if all its words are.
    whole = np.bincount(codes.owners()[codes.values < 0], minlength=len(targets)) == 0
    # The word itself is what filter `lemma` looks for.
    single = codes.lengths() == 1
    first = codes.values[np.minimum(parts[:-1], max(len(codes.values) - 1, 0))]
    is_word_itself = single & ((first == summary.folded[asked][targets]) | (first == summary.lemma[asked][targets]))
    related = np.flatnonzero(whole & ~is_word_itself)
    owners = summary.owners[asked][targets[related]]
    hits = [TokenPlaces(passage.folded, passage.owners, len(batch.folded)).find(owners, first[related])]
    if by_lemma:
        places = TokenPlaces(passage.lemma, passage.owners, len(batch.folded))
        hits.append(places.find(owners, first[related]))
    phrase, token = unique_hits(*(np.concatenate(side) for side in zip(*hits, strict=True)))
    lengths = codes.lengths()[related][phrase]
    starts = parts[:-1][related][phrase]
    right = token + lengths <= passage.bounds[1:][owners[phrase]]
    for step in range(1, int(lengths.max(initial=1))):
        more = np.flatnonzero(right & (lengths > step))
        wanted = codes.values[starts[more] + step]
        same = passage.folded[token[more] + step] == wanted
        if by_lemma:
            same |= passage.lemma[token[more] + step] == wanted
        right[more] = same
    target, token, length = targets[related][phrase][right], token[right], lengths[right]
    # One token may begin several expressions, and counts once, with the longest.
    order = np.lexsort((-length, token, target))
    target, token, length = target[order], token[order], length[order]
    new = np.ones(len(order), bool)
    new[1:] = (target[1:] != target[:-1]) | (token[1:] != token[:-1])
    return counted(len(asked), target[new], token[new], passage.forms, length[new])


def _lists(
    batch: PairBatch, asked: np.ndarray, setting: FilterSetting, relation: str, wordnet: WordNet
) -> tuple[Ragged, pa.Array]:
    """Return the related words of each word: their places, and the words."""
    rows = pa.array(asked)
    forms, lemmas = batch.summary.forms.take(rows), batch.summary.lemmas.take(rows)
    pos = batch.summary.upos.take(rows) if setting.relation_senses == "tag" else None
    known = wordnet.polysemy(lemmas, pos) > 0
    base = pc.if_else(pa.array(known), lemmas, pa.scalar(None, lemmas.type))
    tags = None if pos is None else pos.filter(pa.array(~known))
    base = or_else(base, forms, partial(wordnet.morphy, pos=tags))
    lists = getattr(wordnet, relation)(base, pos)
    lengths = np.asarray(pc.list_value_length(lists).fill_null(0))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    words = pc.list_flatten(lists).cast(pa.large_string())
    return Ragged(offsets, np.arange(len(words))), words


def _spelled(batch: PairBatch, words: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Return where the parts of each word begin, and their numbers."""
    distinct = words.dictionary_encode()
    lowered = pc.utf8_lower(distinct.dictionary.cast(pa.large_string()))
    split = pc.split_pattern(lowered, "_")
    lists = split.take(distinct.indices)
    lengths = np.asarray(pc.list_value_length(lists))
    bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return bounds, batch.codes(pc.list_flatten(lists))
