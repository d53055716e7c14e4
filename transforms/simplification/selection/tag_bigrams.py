"""Filter bigrams: what a corpus seldom has beside the words before and after, by pairs of word and part of speech.

Counts are those of `ngrams`, with entries such as `del NOUN` and `VERB casa`: a word in lower case before or after a
word that is tagged so. Of a word w the share of a part of speech t behind it is

    share(t | w) = count(w t) / sum over all t' of count(w t')

and likewise before it. Three shares say how well a candidate stands in its place: that of its part of speech behind
the word before, and before the word behind; and, of a verb, that of the part of speech of the word behind it, for it
may want a preposition. Of several parts of speech that a word may have the most frequent counts; participles are
adjectives, too. Words of fewer than `ENOUGH` counted pairs say nothing.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.inflection.features import split
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.simplification.resources import by_language
from lexbeam.transforms.simplification.selection.filter import (
    NGRAMS,
    CandidateState,
    InstanceCandidates,
    Selecting,
    neighbours,
)

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
    tags = frozenset([instance.upos]) if instance.upos else _tags(inflector, instance.target.split()[0])
    yield group, None, list(_pairs(instance.target, neighbours(instance, instance.target, None), tags, inflector))
    for state in remaining:
        tags = frozenset([state.upos]) if state.upos else _tags(inflector, state.form.split()[0])
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
    own = tags if len(words) == 1 else _tags(inflector, words[-1])
    if own:
        yield _Pair(after, own, False)
    behind = _tags(inflector, after)
    if own == {"VERB"} and behind:
        yield _Pair(words[-1], behind, True)


def _tags(inflector: Inflecting | None, word: str) -> frozenset[str]:
    rows = [] if inflector is None else inflector.forms.of_form(word.lower())
    kinds = [split(row.inflection) for row in rows]
    participles = {"ADJ" for _, feats in kinds if feats.get("VerbForm") == "Part"}
    return frozenset({kind for kind, _ in kinds} | participles)
