"""Words described by inputs: blocks of numbers side by side, reduced to principal components.

A block is centred on the rated words that its input knows and divided by the root of their mean square length, so that
blocks weigh alike; a word that the input does not know is 0 in it, its mean. All blocks side by side, divided by the
root of their number, are reduced to their principal components on the rated words. None of this depends on ratings.

A phrase (*fire engine*) that an input does not know is the mean of its words as far as it knows these; so are the
n-grams of every phrase.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from transforms.cloze.abstractness.inputs import (
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
from transforms.cloze.abstractness.options import InputOptions
from transforms.cloze.abstractness.wordnet_inputs import gloss_vectors
from transforms.common.blas import one_thread
from transforms.common.errors import UsageError
from transforms.common.rowwise import product

__all__ = ["DescribedWords", "Describing", "describe", "fit_inputs", "ngram_part", "with_glosses"]

WORDS_AT_ONCE = 2048


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


def with_glosses(resources: InputResources, options: InputOptions) -> InputResources:
    """Return what words are looked up in, with the vectors of WordNet's glosses."""
    if resources.glosses is not None or resources.wordnet is None:
        return resources
    vectors = gloss_vectors(resources.wordnet, options.gloss_dim, options.gloss_least)
    return resources._replace(glosses=vectors)


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
    by_input = _blocks(words, inputs, fitted, resources)
    known = {name: _known(blocks) for name, blocks in by_input.items()}
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
) -> dict[str, dict[str, InputBlock]]:
    """Return the blocks of words by input; phrases that an input does not know are made of their words."""
    phrases = {place: parts(word) for place, word in enumerate(words) if is_phrase(word)}
    places = {word: place for place, word in enumerate(dict.fromkeys(part for of in phrases.values() for part in of))}
    described = DescribableWords.of([*words, *places], resources)
    owners = np.repeat(np.array([*phrases], np.int64), [len(of) for of in phrases.values()])
    rows = len(words) + np.array([places[part] for of in phrases.values() for part in of], np.int64)
    by_input = {}
    for name in inputs:
        blocks = INPUTS[name].blocks(fitted[name], described, resources)
        by_input[name] = {
            of: _with_phrases(block, len(words), owners, rows, own=name != "ngrams") for of, block in blocks.items()
        }
    return by_input


def _with_phrases(block: InputBlock, count: int, owners: np.ndarray, rows: np.ndarray, *, own: bool) -> InputBlock:
    """Return the first rows of a block, with means of others in place of phrases.

    Args:
        block: of words, then of words of phrases.
        count: rows of words.
        owners: the phrase that each word of one is of, rising.
        rows: its row.
        own: whether a phrase that the block knows stays.
    """
    values, known = block.values[:count], block.known[:count]
    there = block.known[rows] & ~(own & known[owners])
    owners, rows = owners[there], rows[there]
    if not len(owners):
        return InputBlock(values, known)
    made, starts = np.unique(owners, return_index=True)
    values, known = values.copy(), known.copy()
    values[made] = np.add.reduceat(block.values[rows], starts) / np.diff([*starts, len(rows)])[:, None]
    known[made] = True
    return InputBlock(values, known)


def _known(blocks: Mapping[str, InputBlock]) -> Bools:
    """Return which words are known in any block."""
    return np.asarray(np.logical_or.reduce([block.known for block in blocks.values()]))


def _principal_components(rows: Floats, most: int) -> Floats:
    """Return principal components, the greatest first; rows are not centred again."""
    from scipy.linalg import eigh

    rank = min(most, *rows.shape)
    with one_thread():
        # The smaller of rows' and columns' products has the same components.
        if rows.shape[1] <= rows.shape[0]:
            last = rows.shape[1] - 1
            way = eigh(rows.T @ rows, subset_by_index=(last + 1 - rank, last))[1]
        else:
            last = rows.shape[0] - 1
            values, left = eigh(rows @ rows.T, subset_by_index=(last + 1 - rank, last))
            way = rows.T @ (left / np.sqrt(np.maximum(values, SMALL)))
    return _signed(way[:, ::-1])


def _signed(components: Floats) -> Floats:
    """Return components with signs such that the greatest number of each is positive: solvers give either."""
    greatest = np.abs(components).argmax(axis=0)
    signs = np.sign(components[greatest, np.arange(components.shape[1])])
    return np.asarray(components * np.where(signs == 0, 1.0, signs))


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
        by_input = _blocks(words[start : start + WORDS_AT_ONCE], how.inputs, how.fitted, resources)
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
