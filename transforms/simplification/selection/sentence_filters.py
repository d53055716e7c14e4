"""Filters pos, context and bigrams: what does not fit into the sentence drops out.

By pos the sentence is tagged again with the candidate in place. It goes on if the engine gives it the part of speech
that it gives the target in the same sentence (Ferrés and Saggion 2022, selection by part of speech). The same engine
tags both: the annotation of the target does not count. Where the engine says how far it looks, only so much of the
sentence is tagged: the tag is the same. Where it does not, it is shown `WINDOW` words to either side, or a sentence of
many targets would be tagged whole for each. What occurs twice is tagged once, even in different settings.

By context candidates drop out that an encoder finds unlike the target, each read in the sentence. The target's vector
is that of its pieces in its sentence, a candidate's that of its own with the candidate in place
(`lexicon/encoders/span_vectors.py`), capitals and the word before as they would be. Of a long sentence the `WINDOW`
words to either side are read. All texts of an instance go through the model together, so that no value depends on
others.

By bigrams what a corpus seldom has beside the words before and after drops out. Counts are those of `ngrams`, with
entries such as `del NOUN` and `VERB casa`: a word in lower case before or after a word that is tagged so. Of a word w
the share of a part of speech t behind it is

    share(t | w) = count(w t) / sum over all t' of count(w t')

and likewise before it. Three shares say how well a candidate stands in its place: that of its part of speech behind
the word before, and before the word behind; and, of a verb, that of the part of speech of the word behind it, for it
may want a preposition. Of several parts of speech that a word may have the most frequent counts; participles are
adjectives, too. Words of fewer than `ENOUGH` counted pairs say nothing.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.annotation.engines.engine import annotate_sentences
from lexbeam.transforms.annotation.engines.known_engines import load_tagger
from lexbeam.transforms.common.arithmetic import dots
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.batches import Sentence
from lexbeam.transforms.inflection.features import split
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.lexicon.encoders.loading_encoders import load_encoder
from lexbeam.transforms.lexicon.encoders.span_vectors import span_vectors
from lexbeam.transforms.simplification.resources import by_language
from lexbeam.transforms.simplification.selection.candidate_filter import (
    NGRAMS,
    CandidateState,
    InstanceCandidates,
    Selecting,
    TaggedPlace,
    neighbours,
    replaced,
)

WINDOW = 64
# What an engine leaves where it sets no tag; X (other) is a tag.
_UNSET = ("", "_")
# Where the head of a phrase is last, for other parts of speech than verbs.
_HEAD_LAST = ("en", "de", "sv", "nl", "da")


def equal_pos(pairs: Iterable[str]) -> dict[str, str]:
    """Return what stands for each part of speech, of those that are taken for one.

    Pairs chain, in whatever order they are named.

    >>> equal_pos(["VERB=AUX", "ADJ=VERB"])
    {'VERB': 'ADJ', 'AUX': 'ADJ', 'ADJ': 'ADJ'}
    """
    representatives: dict[str, str] = {}
    for pair in pairs:
        first, _, second = pair.partition("=")
        for name in (first, second):
            representatives.setdefault(name, name)
        representative, merged = representatives[first], representatives[second]
        representatives = {
            name: representative if current == merged else current for name, current in representatives.items()
        }
    return representatives


def filter_pos(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `pos_mismatch`; note phrases that are not judged.

    Raises:
        LexbeamError: the engine has no tag for a word.
    """
    queries: list[tuple[InstanceCandidates, CandidateState | None, TaggedPlace]] = []
    head = selecting.options.pos_phrases == "head"
    for group in groups:
        remaining = group.remaining
        instance = group.instance
        head_last = instance.language.partition("-")[0] in _HEAD_LAST
        if remaining:
            place = TaggedPlace(instance.sentence, instance.start, instance.end, head_last)
            queries.append((group, None, place))
        for candidate in remaining:
            if " " in candidate.form and not head:
                candidate.note = "pos_unchecked"
                continue
            sentence, start = replaced(instance, candidate.shown, candidate.before)
            place = TaggedPlace(sentence, start, start + len(candidate.shown), head_last)
            queries.append((group, candidate, place))
    tags = _tags([place for _, _, place in queries], selecting)
    same = equal_pos(selecting.options.same_pos)
    of_target: dict[str, str] = {}
    for (group, state, _), tag in zip(queries, tags, strict=True):
        if state is None:
            of_target[group.instance.instance_id] = tag
            continue
        state.upos = tag
        wanted = of_target[group.instance.instance_id]
        if same.get(tag, tag) != same.get(wanted, wanted):
            state.reason = "pos_mismatch"


def _tags(places: Sequence[TaggedPlace], selecting: Selecting) -> list[str]:
    """Return the tag of each place; those that are known already are not tagged anew."""
    tags: dict[TaggedPlace, str] = {} if selecting.tagged is None else selecting.tagged
    engine = load_tagger(selecting.engine, fingerprint=selecting.fingerprint)
    reach = WINDOW if engine.reach is None else engine.reach
    seen = [within_reach(place, reach) for place in places]
    new = {place: asked for place, asked in zip(seen, places, strict=True) if place not in tags}
    texts = list(dict.fromkeys(place.sentence for place in new))
    sentences = dict(zip(texts, annotate_sentences(texts, engine), strict=True))
    for place, asked in new.items():
        tag = _tag(sentences[place.sentence], place)
        if tag in _UNSET:
            raise LexbeamError(
                f"the engine has no part of speech for {asked.sentence[asked.start : asked.end]!r} in "
                f"{asked.sentence!r}: filter pos needs an engine that tags every word"
            )
        tags[place] = tag
    return [tags[place] for place in seen]


def within_reach(place: TaggedPlace, reach: int) -> TaggedPlace:
    """Return a place in what an engine sees of its sentence when it tags it.

    Args:
        reach: how many tokens to either side the engine looks.

    Tokens end at white space, so that as many stretches without it have at least as many tokens.

    >>> within_reach(TaggedPlace("As if a cat's paw hit.", 8, 11, True), 1)
    TaggedPlace(sentence="a cat's paw", start=2, end=5, head_last=True)
    """
    sentence = place.sentence
    before = sentence[: place.start + 1].rsplit(None, reach + 1)
    first = 0
    if len(before) > reach + 1:
        rest = sentence[len(before[0]) : place.start + 1]
        first = place.start + 1 - len(rest.lstrip())
    after = sentence[place.end - 1 :].split(None, reach + 1)
    end = len(sentence)
    if len(after) > reach + 1:
        end = len(sentence[: end - len(after[-1])].rstrip())
    return TaggedPlace(sentence[first:end], place.start - first, place.end - first, place.head_last)


def _tag(sentence: Sentence, place: TaggedPlace) -> str:
    """Return the tag of a word's first token, or of a phrase's head; empty if it has no token.

    In all languages a verb in front is the head of its phrase.
    """
    upos: Collection[str] = sentence.upos or ()
    starts, ends = sentence.starts or (), sentence.ends or ()
    tags = [tag for tag, start, end in zip(upos, starts, ends, strict=True) if start < place.end and end > place.start]
    if not tags:
        return ""
    is_phrase = len(tags) > 1 and " " in place.sentence[place.start : place.end]
    if is_phrase and place.head_last and tags[0] not in ("VERB", "AUX"):
        return tags[-1]
    # The first of several tokens of one word, as of a contraction or clitics, is the word itself.
    return tags[0]


def filter_context(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `below_context`: the cosine of target and candidate, each in the sentence, is below the threshold.

    What has no vector, such as a form of which the tokenizer knows no piece, goes on.
    """
    encoding = selecting.encoder
    assert encoding is not None  # `check_selection` has seen to it
    encoder = load_encoder(str(encoding.options.encoder), device=encoding.options.device, digest=encoding.info.digest)
    for instance, states in groups:
        remaining = [state for state in states if state.reason is None]
        if not remaining:
            continue
        places = [TaggedPlace(instance.sentence, instance.start, instance.end, False)]
        for state in remaining:
            sentence, start = replaced(instance, state.shown, state.before)
            places.append(TaggedPlace(sentence, start, start + len(state.shown), False))
        seen = [within_reach(place, WINDOW) for place in places]
        texts, starts, ends, _ = map(list, zip(*seen, strict=True))
        vectors = span_vectors(encoder, texts, starts, ends, options=encoding.options).vectors.astype(np.float64)
        lengths = np.sqrt(dots(vectors, vectors))
        known = (lengths > 0) & (lengths[0] > 0)  # not where they are NaN
        cosines = np.divide(
            dots(vectors, vectors[0]), lengths * lengths[0], where=known, out=np.full(len(known), np.nan)
        )
        for state, cosine in zip(remaining, np.clip(cosines[1:], -1, 1).tolist(), strict=True):
            if not np.isnan(cosine):
                state.context = cosine
                if cosine < selecting.options.least_context:
                    state.reason = "below_context"


ENOUGH = 20  # counted pairs: fewer are no evidence of what does not occur
_ALIKE = {"AUX": "VERB", "PROPN": "NOUN"}


class _Pair(NamedTuple):
    """A word, the parts of speech that stand beside it, and whether they stand behind it."""

    word: str
    tags: frozenset[str]
    behind: bool

    def entries(self) -> list[str]:
        """All entries of the counts that have the word on that side, in the order of tags."""
        return [f"{self.word} {tag}" if self.behind else f"{tag} {self.word}" for tag in UPOS]


def filter_bigrams(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `below_bigrams`: the least of the three shares is below the threshold, and below the target's.

    A candidate's part of speech is the one that filter pos gave it, else those of the form dictionary, which has those
    of the neighbours; where neither knows a word, it says nothing.
    """
    languages = [group.instance.language for group in groups]
    for rows, word_list in by_language(selecting.lexicon, NGRAMS, languages):
        queries = [query for row in rows for query in _queries(groups[row], selecting)]
        pairs = list(dict.fromkeys(pair for _, _, of_word in queries for pair in of_word))
        flat = [entry for pair in pairs for entry in pair.entries()]
        counts = word_list.look_up(pa.array(flat, pa.string()))["value"].to_numpy(zero_copy_only=False)
        table = np.nan_to_num(counts.astype(np.float64)).reshape(len(pairs), len(UPOS))
        shares = {pair: _share(pair, row) for pair, row in zip(pairs, table, strict=True)}
        of_target = 1.0
        for _, state, of_word in queries:
            known = [share for pair in of_word if (share := shares[pair]) is not None]
            least = min(known, default=1.0)
            if state is None:
                of_target = least
            elif least < min(selecting.options.least_bigram, of_target):
                state.reason = "below_bigrams"


def _share(pair: _Pair, counts: np.ndarray) -> float | None:
    total = float(counts.sum())
    if total < ENOUGH:
        return None
    alike = {_ALIKE.get(tag, tag) for tag in pair.tags}
    by_tag: dict[str, float] = {}
    for tag, count in zip(UPOS, counts.tolist(), strict=True):
        by_tag[_ALIKE.get(tag, tag)] = by_tag.get(_ALIKE.get(tag, tag), 0.0) + count
    return max(by_tag.get(tag, 0.0) for tag in alike) / total


_Query = tuple[InstanceCandidates, CandidateState | None, list[_Pair]]


def _queries(group: InstanceCandidates, selecting: Selecting) -> Iterator[_Query]:
    """Yield the pairs of the target, then of each candidate."""
    instance, inflector = group.instance, selecting.inflector_of(group.instance.language)
    remaining = group.remaining
    if not remaining:
        return
    tags = frozenset([instance.upos]) if instance.upos else _tags_of_word(inflector, instance.target.split()[0])
    yield group, None, list(_pairs(instance.target, neighbours(instance, instance.target, None), tags, inflector))
    for state in remaining:
        tags = frozenset([state.upos]) if state.upos else _tags_of_word(inflector, state.form.split()[0])
        yield group, state, list(_pairs(state.form, neighbours(instance, state.form, state.before), tags, inflector))


def _pairs(
    form: str, beside: tuple[str | None, str | None], tags: frozenset[str], inflector: Inflecting | None
) -> Iterator[_Pair]:
    words = form.lower().split()
    before, after = beside
    if before is not None and tags:
        yield _Pair(before, tags, True)
    if after is None:
        return
    # The last word of a phrase stands before what follows, and need not be the one that has the part of speech.
    own = tags if len(words) == 1 else _tags_of_word(inflector, words[-1])
    if own:
        yield _Pair(after, own, False)
    behind = _tags_of_word(inflector, after)
    if own == {"VERB"} and behind:
        yield _Pair(words[-1], behind, True)


def _tags_of_word(inflector: Inflecting | None, word: str) -> frozenset[str]:
    rows = [] if inflector is None else inflector.forms.of_form(word.lower())
    kinds = [split(row.inflection) for row in rows]
    participles = {"ADJ" for _, feats in kinds if feats.get("VerbForm") == "Part"}
    return frozenset({kind for kind, _ in kinds} | participles)
