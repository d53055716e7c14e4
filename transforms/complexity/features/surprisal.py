"""Features of surprisal: how unexpected the target is after the words before it.

The model is that of `ngrams`, counted in a named reference corpus, or, without one, in the distinct
sentences of all instances; the instance's own sentence, and every copy of it, is left out. Below
single words stands their frequency by wordfreq, 10^-9 for a word that it does not have.
"""

from collections.abc import Sequence

import numpy as np

from transforms.complexity.features.base import (
    Feature,
    FeatureGroup,
    FeatureSetting,
    Floats,
    InstanceBatch,
    Values,
    known_tag,
    numbers,
    sums,
)
from transforms.complexity.features.frequency import ZIPF, zipf_of
from transforms.complexity.features.ngram_stages import sequences_of_instances
from transforms.complexity.features.ngrams import Sequences, keys_of, sentence_keys, surprisal, uses_in_sentence

__all__ = ["SURPRISAL"]

_LEAST = 1e-9  # of a word that wordfreq does not have: Zipf 0


def _columns(_: FeatureSetting) -> Sequence[Feature]:
    def of(name: str, doc: str, range: str = "0 and up") -> Feature:
        return Feature(name, doc, range, "bits", "trigram model without the sentence (after MacKay and Peto 1995)")

    return (
        of("surprisal", "-log2 of the target's probability after the two words before it, mean over its words"),
        of(
            "surprisal_context",
            "bits by which these words make it less surprising than its frequency in the model does, likewise",
            "any number",
        ),
        of("surprisal_next", "-log2 of the probability of the word behind the target; null at the end"),
        of("surprisal_sentence", "mean surprisal of the sentence's other words"),
    )


def _of_instances(batch: InstanceBatch, setting: FeatureSetting) -> Values:
    counts = setting.ngrams
    if counts is None:
        return {}
    rows = batch.rows
    words = sequences_of_instances(rows, counts.of_instances)
    keys = keys_of(words)
    copies = counts.look_up(sentence_keys(words))[words.owners]
    in_sentence = uses_in_sentence(keys, words.owners)
    base = _base(words, rows["language"].to_pylist(), setting)
    bits = surprisal(counts.look_up(keys), in_sentence, copies, base)
    start = numbers(rows["position"])
    end = start + numbers(rows["tokens"])
    begin, after = start[words.owners], end[words.owners]
    inside = (words.place >= begin) & (words.place < after)  # false for NaN
    # The first word behind the target: marks in between are no words.
    following = np.zeros(len(inside), bool)
    behind = np.flatnonzero(words.place >= after)
    following[behind[np.unique(words.owners[behind], return_index=True)[1]]] = True

    def mean(values: Floats, mask: np.ndarray) -> Floats:
        number = sums(words.owners[mask], words.sentences)
        total = sums(words.owners[mask], words.sentences, values[mask])
        return np.divide(total, number, out=np.full(words.sentences, np.nan), where=number > 0)

    return {
        "surprisal": mean(bits.after, inside),
        "surprisal_context": mean(bits.alone - bits.after, inside),
        "surprisal_next": mean(bits.after, following),
        "surprisal_sentence": mean(bits.after, ~inside),
    }


def _base(words: Sequences, languages: Sequence[str | None], setting: FeatureSetting) -> Floats:
    """Return the share of each word in its language; NaN where nothing is known of the language."""
    base = np.full(len(words.codes), np.nan)
    tags = [known_tag(tag) for tag in languages]
    for tag in sorted({tag for tag in tags if tag}):
        if setting.lexicon.find(ZIPF, tag) is None:
            continue
        zipf = zipf_of(words.words, tag, setting)
        share = np.where(np.isnan(zipf), _LEAST, 10 ** (zipf - 9))
        of_tag = np.array([language == tag for language in tags], bool)[words.owners]
        base[of_tag] = share[words.codes[of_tag]]
    return base


SURPRISAL = FeatureGroup(
    _columns,
    of_instances=_of_instances,
    default_needs="corpus",
    doc="how unexpected the target is in its sentence, under an n-gram model",
)
