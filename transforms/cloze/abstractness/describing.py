"""Words described by inputs: blocks of numbers side by side, reduced to principal components.

A block is centred on the rated words that its input knows and divided by the root of their mean square length, so that
blocks weigh alike; a word that the input does not know is 0 in it, its mean. All blocks side by side, divided by the
root of their number, are reduced to their principal components on the rated words. None of this depends on ratings.

A phrase (*fire engine*) that an input does not know is the mean of its words as far as it knows these; so are the
n-grams of every phrase. A word that WordNet does not have is, to an input that does not know it, the mean of the words
of WordNet that are spelled like it, weighted by the letters they have in common.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.cloze.abstractness.alike import SpelledWords, spelled_alike
from lexbeam.transforms.cloze.abstractness.inputs import (
    INPUTS,
    SMALL,
    Arrays,
    Bools,
    DescribableWords,
    Floats,
    InputBlock,
    InputResources,
    is_phrase,
    parts,
)
from lexbeam.transforms.cloze.abstractness.options import InputOptions
from lexbeam.transforms.cloze.abstractness.wordnet_inputs import gloss_vectors
from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.endable import endable
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.rowwise import product
from lexbeam.transforms.learning.fitting import with_fixed_signs
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet

WORDS_AT_ONCE = 2048
log = logging.getLogger("lexbeam")


class Describing(NamedTuple):
    """How words are described, fitted on rated words.

    Attributes:
        inputs: names.
        fitted: by input, what it needs.
        centres: by block, the mean of its columns.
        scales: by block, what it is divided by.
        components: (columns of all blocks, numbers).
        begins: by block, the row of `components` that its first column has.
    """

    inputs: tuple[str, ...]
    fitted: Mapping[str, Arrays]
    centres: Mapping[str, Floats]
    scales: Mapping[str, float]
    components: Floats
    begins: Mapping[str, int]


class DescribedWords(NamedTuple):
    """Rated words as they are described.

    Attributes:
        how: how words are described.
        rows: (words, components).
        known: by input, which words it knows, in any block.
    """

    how: Describing
    rows: Floats
    known: Mapping[str, Bools]


def with_wordnet(resources: InputResources, inputs: Sequence[str], options: InputOptions) -> InputResources:
    """Return what words are looked up in, with what is made of a WordNet: its words; vectors of glosses, if needed."""
    if resources.wordnet is None:
        return resources
    known = SpelledWords(single_words(resources.wordnet))
    if "glosses" not in inputs:
        return resources._replace(known=known)
    log.info("vectors of glosses")
    vectors = gloss_vectors(resources.wordnet, options.gloss_dim, options.gloss_least)
    return resources._replace(glosses=vectors, known=known)


def single_words(wordnet: WordNet) -> list[str]:
    """Return the words of a WordNet that are no phrases, sorted."""
    senses = wordnet.senses_in(np.arange(len(wordnet))).values
    lemmas = pc.unique(wordnet.lemmas(senses))
    single = lemmas.filter(pc.invert(pc.match_substring(lemmas, "_")))
    return sorted(single.to_pylist())


def fit_inputs(
    words: Sequence[str], inputs: Sequence[str], resources: InputResources, options: InputOptions
) -> DescribedWords:
    """Return rated words as they are described, and how.

    Args:
        words: rated words, distinct.
        inputs: entries of `INPUTS`; `resources` has what they need.
        resources: what words are looked up in.
        options: of inputs.
    """
    single = [word for word in words if not is_phrase(word)] or sorted({part for word in words for part in parts(word)})
    described = DescribableWords.of(single, resources)
    fitted = {name: INPUTS[name].fit(described, resources, options) for name in inputs}
    by_input, known = _blocks(words, inputs, fitted, resources)
    blocks = {name: block for named in by_input.values() for name, block in named.items()}
    centres: dict[str, Floats] = {}
    scales: dict[str, float] = {}
    begins: dict[str, int] = {}
    columns = 0
    for name, block in blocks.items():
        values = block.values[block.known]
        centre = values.mean(axis=0) if len(values) else np.zeros(block.values.shape[1])
        square = float(((values - centre) ** 2).sum(axis=1).mean()) if len(values) else 0.0
        centres[name] = centre
        scales[name] = float(np.sqrt(max(square, SMALL) * len(blocks)))
        begins[name], columns = columns, columns + len(centre)
    whole = Describing(tuple(inputs), fitted, centres, scales, np.eye(0), begins)
    rows = _side_by_side(whole, blocks)
    if not rows.shape[1]:
        raise UsageError(
            f"nothing is known of the rated words by {', '.join(inputs)}: give more `inputs`, or lower `ngram_words`"
        )
    how = whole._replace(components=_principal_components(rows, options.components))
    return DescribedWords(how, product(rows, how.components), known)


def _blocks(
    words: Sequence[str], inputs: Sequence[str], fitted: Mapping[str, Arrays], resources: InputResources
) -> tuple[dict[str, dict[str, InputBlock]], dict[str, Bools]]:
    """Return the blocks of words by input, and which words, or words of phrases, each input knows.

    What an input does not know has the mean of what stands in for it: phrases their words, words those spelled alike.
    """
    of_phrases = {place: [(part, 1) for part in parts(word)] for place, word in enumerate(words) if is_phrase(word)}
    alike = _alike(words, resources)
    others = dict.fromkeys(part for of in (*of_phrases.values(), *alike.values()) for part, _ in of)
    places = {word: len(words) + number for number, word in enumerate(others)}
    described = DescribableWords.of([*words, *places], resources)
    by_input, known = {}, {}
    for name in inputs:
        blocks = INPUTS[name].blocks(fitted[name], described, resources)
        blocks = {of: _filled(block, of_phrases, places, own=name != "ngrams") for of, block in blocks.items()}
        known[name] = _known(blocks)[: len(words)]
        by_input[name] = {of: _filled(block, alike, places, own=True) for of, block in blocks.items()}
    shown = {
        name: {of: InputBlock(block.values[: len(words)], block.known[: len(words)]) for of, block in blocks.items()}
        for name, blocks in by_input.items()
    }
    return shown, known


def _alike(words: Sequence[str], resources: InputResources) -> dict[int, list[tuple[str, int]]]:
    """Return, by place, the words of WordNet that are spelled like a word that it does not have."""
    if resources.wordnet is None or resources.known is None:
        return {}
    lacking = np.flatnonzero(resources.wordnet.morphy(pa.array(words, pa.large_string())).is_null().to_numpy(False))
    return {
        place: spelled_alike(resources.known, words[place]) for place in lacking.tolist() if not is_phrase(words[place])
    }


def _filled(
    block: InputBlock, others: Mapping[int, list[tuple[str, int]]], places: Mapping[str, int], *, own: bool
) -> InputBlock:
    """Return a block in which words have weighted means of others.

    Args:
        block: of all of these words.
        others: by place of a word, rising, the others and their weights.
        places: those of the others.
        own: whether a word that the block knows stays.
    """
    owners = np.repeat(np.array([*others], np.int64), [len(of) for of in others.values()])
    rows = np.array([places[word] for of in others.values() for word, _ in of], np.int64)
    weights = np.array([weight for of in others.values() for _, weight in of], np.float64)
    there = block.known[rows] & ~(own & block.known[owners])
    owners, rows, weights = owners[there], rows[there], weights[there]
    if not len(owners):
        return block
    made, starts = np.unique(owners, return_index=True)
    values, known = block.values.copy(), block.known.copy()
    sums = np.add.reduceat(block.values[rows] * weights[:, None], starts)
    values[made] = sums / np.add.reduceat(weights, starts)[:, None]
    known[made] = True
    return InputBlock(values, known)


def _known(blocks: Mapping[str, InputBlock]) -> Bools:
    """Return which words are known in any block."""
    return np.asarray(np.logical_or.reduce([block.known for block in blocks.values()]))


def _principal_components(rows: Floats, most: int) -> Floats:
    """Return principal components, the greatest first; rows are not centred again."""
    rank = min(most, *rows.shape)
    # The smaller of rows' and columns' products has the same components.
    wide = rows.shape[1] > rows.shape[0]
    square = _squared(rows.T if wide else rows)
    values, way = endable(_greatest, square, rank, rows=len(rows))
    return with_fixed_signs((rows.T @ (way / np.sqrt(np.maximum(values, SMALL))) if wide else way)[:, ::-1])


def _squared(rows: Floats) -> Floats:
    """Return the product of columns; an interrupt is heeded between pieces of it."""
    square = np.zeros((rows.shape[1], rows.shape[1]))
    with one_thread():
        for start in range(0, len(rows), WORDS_AT_ONCE):
            some = rows[start : start + WORDS_AT_ONCE]
            square += some.T @ some
    return square


def _greatest(square: Floats, rank: int) -> tuple[Floats, Floats]:
    """Return the greatest eigenvalues of a symmetric matrix, rising, and their vectors."""
    from scipy.linalg import eigh

    last = len(square) - 1
    values, vectors = eigh(square, subset_by_index=(last + 1 - rank, last))
    return np.asarray(values), np.asarray(vectors)


def _side_by_side(how: Describing, blocks: Mapping[str, InputBlock]) -> Floats:
    parts = [
        np.where(block.known[:, None], (block.values - how.centres[name]) / how.scales[name], 0.0)
        for name, block in blocks.items()
    ]
    return np.hstack(parts)


def describe(how: Describing, words: Sequence[str], resources: InputResources) -> tuple[Floats, Bools]:
    """Return the numbers of words, (words, components), and which words any input knows."""
    rows = [np.zeros((0, how.components.shape[1]))]
    known = [np.zeros(0, bool)]
    for start in range(0, len(words), WORDS_AT_ONCE):
        by_input, _ = _blocks(words[start : start + WORDS_AT_ONCE], how.inputs, how.fitted, resources)
        blocks = {name: block for named in by_input.values() for name, block in named.items()}
        rows.append(product(_side_by_side(how, blocks), how.components))
        known.append(_known(blocks))
    return np.concatenate(rows), np.concatenate(known)


def ngram_part(how: Describing) -> Describing:
    """Return how words are described by their n-grams alone."""
    begin = how.begins["ngrams"]
    end = begin + len(how.centres["ngrams"])
    return Describing(
        ("ngrams",),
        {"ngrams": how.fitted["ngrams"]},
        {"ngrams": how.centres["ngrams"]},
        {"ngrams": how.scales["ngrams"]},
        how.components[begin:end],
        {"ngrams": 0},
    )
