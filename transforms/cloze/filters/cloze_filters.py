"""The filters by name, their verdicts on words of a kind, and those of them that compare words of a pair.

The order of the registry is that in which filters are applied, of reasons, and of columns.

Four filters stand here: `repeated` and `lemma` look for the word itself in summary and passage, `synonym` and `antonym`
for its synonyms and antonyms in the passage. Synonyms are the other words of its synsets, antonyms the words that
WordNet opposes to it, over all its senses or those of its part of speech. Expressions (`look_after`) are looked for as
consecutive tokens.
"""

from collections.abc import Collection, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.cloze import CRITERIA
from lexbeam.transforms.cloze.filters.abstract_words import abstractness, nonspecificity, or_else, pos
from lexbeam.transforms.cloze.filters.cloze_filter import (
    FAILS,
    ClozeFilter,
    Evaluate,
    FilterSetting,
    PairBatch,
    TokenPlaces,
    Verdicts,
    counted,
    nothing,
    same_base,
    unique_hits,
)
from lexbeam.transforms.cloze.filters.similarity import contextual, static
from lexbeam.transforms.cloze.word_resources import WORDNET
from lexbeam.transforms.common.code.registry import Registry
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


EVALUATE = ("all", "until-rejected")

FILTERS: Registry[ClozeFilter] = Registry(
    {
        "pos": ClozeFilter(pos, by_kind=True, doc="its part of speech is one of the kind's, a participle being a verb"),
        "abstractness": ClozeFilter(
            abstractness,
            needs="abstractness",
            doc="its concreteness, as it is rated or predicted, is below the threshold",
        ),
        "nonspecificity": ClozeFilter(nonspecificity, doc="its sense is less deep in WordNet than the threshold"),
        "repeated": ClozeFilter(repeated, doc="no other word of the summary has its form, lemma or base form"),
        "lemma": ClozeFilter(lemma, doc="no word of the passage has its form, lemma or base form"),
        "synonym": ClozeFilter(synonym, doc="no synonym of it stands in the passage"),
        "antonym": ClozeFilter(antonym, doc="no antonym of it stands in the passage"),
        "static": ClozeFilter(
            static,
            needs="vectors",
            doc="no word of the passage is as similar to it, by static vectors, as the threshold",
        ),
        "contextual": ClozeFilter(
            contextual,
            needs="encoder",
            doc="no word of the passage is as similar to it in its context as the threshold",
        ),
    },
    what="filter",
    group="lexbeam.cloze_filters",
)


def optional_filters() -> dict[str, ClozeFilter]:
    """Return the filters that can be switched off: all but what makes a word of a kind abstract."""
    criteria = {name for names in CRITERIA.values() for name in names}
    return {name: entry for name, entry in FILTERS.items() if name not in criteria}


class FilterVerdicts(NamedTuple):
    """The verdicts of filters on the words of a batch, for one kind.

    Attributes:
        verdicts: by filter; of one that is not evaluated on a word as if it abstained.
        asked: by filter, which words it was evaluated on.
        passed: whether no filter that was evaluated rejects the word.
        reason: the place in `FILTERS` of the first filter that does, -1: none.
    """

    verdicts: dict[str, Verdicts]
    asked: dict[str, np.ndarray]
    passed: np.ndarray
    reason: np.ndarray


def filters_of(kind: str, optional: Sequence[str]) -> list[str]:
    """Return the filters of a kind, in their order: its own criteria, and those that are named."""
    return [name for name in FILTERS if name in CRITERIA[kind] or name in optional]


def judge(
    batch: PairBatch,
    kinds: Sequence[str],
    optional: Sequence[str],
    setting: FilterSetting,
    evaluate: str,
    without: Collection[str] = (),
) -> dict[str, FilterVerdicts]:
    """Return the verdicts of filters on all words of the summaries of a batch, by kind.

    Args:
        batch: the pairs.
        kinds: keys of `CRITERIA`.
        optional: filters beside the kinds' own criteria.
        setting: what they need.
        evaluate: `all`: each filter on every word; `until-rejected`: on those that no filter
            before it rejects for some kind.
        without: filters that are not evaluated, though a kind has them.
    """
    count = len(batch.asked)
    judged = {kind: FilterVerdicts({}, {}, np.ones(count, bool), np.full(count, -1, np.int64)) for kind in kinds}
    for place, name in enumerate(FILTERS):
        users = [kind for kind in kinds if name in filters_of(kind, optional) and name not in without]
        open_to = {kind: np.ones(count, bool) if evaluate == "all" else judged[kind].passed.copy() for kind in users}
        shared: Verdicts | None = None
        if not FILTERS[name].by_kind and users:
            anyone = np.logical_or.reduce(list(open_to.values()))
            shared = _evaluated(FILTERS[name].evaluate, batch, anyone, setting)
        for kind in users:
            verdicts = shared
            if verdicts is None:
                of_kind = partial(FILTERS[name].evaluate, kind=kind)
                verdicts = _evaluated(of_kind, batch, open_to[kind], setting)
            judged[kind] = _added(judged[kind], name, place, verdicts, open_to[kind])
    return judged


def _evaluated(evaluate: Evaluate, batch: PairBatch, asked: np.ndarray, setting: FilterSetting) -> Verdicts:
    """Return verdicts on all words; the filter abstains on those that it is not applied to."""
    if asked.all():
        return evaluate(batch, batch.asked, setting)
    verdicts = nothing(len(asked))
    places = np.flatnonzero(asked)
    if not len(places):
        return verdicts
    evaluated = evaluate(batch, batch.asked[places], setting)
    verdicts.values[places], verdicts.passed[places] = evaluated.values, evaluated.passed
    rows = np.full(len(asked), -1)
    rows[places] = np.arange(len(places))
    return verdicts._replace(matches=evaluated.matches.take(pa.array(rows, mask=rows < 0)))


def _added(judged: FilterVerdicts, name: str, place: int, verdicts: Verdicts, asked: np.ndarray) -> FilterVerdicts:
    """Return verdicts with those of one more filter, on the words that it was applied to."""
    if not asked.all():
        verdicts = Verdicts(
            np.where(asked, verdicts.values, np.nan),
            verdicts.matches.take(pa.array(np.arange(len(asked)), mask=~asked)),
            np.where(asked, verdicts.passed, np.int8(-1)).astype(np.int8),
        )
    rejected = verdicts.passed == FAILS
    reason = np.where(rejected & (judged.reason < 0), place, judged.reason)
    return FilterVerdicts(
        {**judged.verdicts, name: verdicts}, {**judged.asked, name: asked}, judged.passed & ~rejected, reason
    )
