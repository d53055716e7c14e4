"""What describes words to a regressor of concreteness: inputs, each of one block or several.

A block is centred on the rated words that it knows and divided by the root of their mean square
length, so that blocks weigh alike; a word that it does not know is 0 in it, its mean. All blocks
side by side, divided by the root of their number, are reduced to their principal components on the
rated words. Nothing of this depends on ratings.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from transforms.cloze.abstractness.gloss_vectors import GlossVectors, gloss_vectors
from transforms.cloze.abstractness.ngrams import fit_ngrams, ngram_rows
from transforms.cloze.abstractness.options import InputOptions
from transforms.cloze.abstractness.wordnet_inputs import (
    Senses,
    classes_of,
    gloss_rows,
    hypernyms_of,
    numbers_of,
    senses_of,
)
from transforms.common.blas import one_thread
from transforms.common.code.registry import Entry, Registry
from transforms.common.errors import UsageError
from transforms.common.rowwise import product
from transforms.lexicon.vectors.static_vectors import StaticVectors
from transforms.lexicon.wordnet.wordnet import WordNet

__all__ = [
    "INPUTS",
    "DescribedWords",
    "Describing",
    "InputResources",
    "describe",
    "fit_inputs",
    "ngram_part",
    "with_glosses",
]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Arrays = dict[str, npt.NDArray[Any]]

WORDS_AT_ONCE = 2048
HYPERNYM_WORDS = 5  # rated words that must lie below a hypernym: fewer say more of the words than of it
_SMALL = 1e-9


class InputResources(NamedTuple):
    """What inputs look words up in."""

    wordnet: WordNet | None = None
    vectors: tuple[StaticVectors, ...] = ()
    glosses: GlossVectors | None = None


class InputBlock(NamedTuple):
    """Numbers of words, (words, columns), and which words they are known of."""

    values: Floats
    known: Bools


class WordsWithSenses(NamedTuple):
    """Words that are described, with their senses where there is a WordNet."""

    words: list[str]
    senses: Senses | None

    @property
    def column(self) -> pa.Array:
        """The words."""
        return pa.array(self.words, pa.large_string())


@dataclass(frozen=True)
class Input(Entry):
    """An input.

    Attributes:
        fit: from the rated words, what it needs, arrays by name.
        blocks: from what was fitted and words, its blocks by name.
    """

    fit: Callable[[WordsWithSenses, InputResources, InputOptions], Arrays]
    blocks: Callable[[Arrays, WordsWithSenses, InputResources], dict[str, InputBlock]]


def _nothing(_: WordsWithSenses, __: InputResources, ___: InputOptions) -> Arrays:
    return {}


def _fit_ngrams(asked: WordsWithSenses, _: InputResources, options: InputOptions) -> Arrays:
    return fit_ngrams(asked.words, least=options.ngram_words, dim=options.ngram_dim)


def _ngrams(fitted: Arrays, asked: WordsWithSenses, _: InputResources) -> dict[str, InputBlock]:
    return {"ngrams": InputBlock(*ngram_rows(fitted, asked.words))}


def _fit_wordnet(asked: WordsWithSenses, given: InputResources, options: InputOptions) -> Arrays:
    assert given.wordnet is not None
    assert asked.senses is not None
    below = np.bincount(hypernyms_of(given.wordnet, asked.senses).indices, minlength=len(given.wordnet))
    order = np.lexsort([np.arange(len(below)), -below])[: options.hypernyms]
    kept = np.sort(order[below[order] >= HYPERNYM_WORDS])
    numbers = numbers_of(given.wordnet, asked.senses)[asked.senses.known]
    scale = numbers.std(axis=0) if len(numbers) else np.ones(numbers.shape[1])
    return {"hypernyms": kept, "scale": np.where(scale > _SMALL, scale, 1.0)}


def _wordnet(fitted: Arrays, asked: WordsWithSenses, given: InputResources) -> dict[str, InputBlock]:
    wordnet, senses = given.wordnet, asked.senses
    assert wordnet is not None
    assert senses is not None
    above = hypernyms_of(wordnet, senses)[:, fitted["hypernyms"]].toarray()
    numbers = numbers_of(wordnet, senses) / fitted["scale"]
    return {
        "classes": InputBlock(classes_of(wordnet, senses), senses.known),
        "hypernyms": InputBlock(above, senses.known),
        "numbers": InputBlock(numbers, senses.known),
    }


def _glosses(_: Arrays, asked: WordsWithSenses, given: InputResources) -> dict[str, InputBlock]:
    assert given.wordnet is not None
    assert given.glosses is not None
    assert asked.senses is not None
    own, definitions, around = gloss_rows(given.wordnet, asked.senses, given.glosses)
    known = asked.senses.known
    return {
        "gloss_words": InputBlock(*own),
        "definitions": InputBlock(definitions, known),
        "around": InputBlock(around, known),
    }


def _vectors(_: Arrays, asked: WordsWithSenses, given: InputResources) -> dict[str, InputBlock]:
    found = {}
    for place, vectors in enumerate(given.vectors):
        rows, known = vectors.vectors(asked.column)
        if asked.senses is not None:  # a word that is not there may be there as its base form
            other, there = vectors.vectors(asked.senses.base)
            rows = np.where(known[:, None], rows, other)
            known = known | there
        found[f"vectors_{place}"] = InputBlock(rows.astype(np.float64), known)
    return found


INPUTS: Registry[Input] = Registry(
    {
        "ngrams": Input(_fit_ngrams, _ngrams, doc="n-grams of its letters"),
        "wordnet": Input(_fit_wordnet, _wordnet, doc="classes, hypernyms and numbers of its senses in WordNet"),
        "glosses": Input(_nothing, _glosses, doc="words of the glosses of its senses"),
        "vectors": Input(_nothing, _vectors, needs="vectors", doc="static vectors"),
    },
    what="input",
    group="lexbeam.concreteness_inputs",
)


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


def with_glosses(given: InputResources, options: InputOptions) -> InputResources:
    """Return what words are looked up in, with the vectors of WordNet's glosses."""
    if given.glosses is not None or given.wordnet is None:
        return given
    vectors = gloss_vectors(given.wordnet, options.gloss_dim, options.gloss_least)
    return given._replace(glosses=vectors)


def _asked(words: Sequence[str], given: InputResources) -> WordsWithSenses:
    senses = None
    if given.wordnet is not None:
        senses = senses_of(given.wordnet, pa.array(words, pa.large_string()))
    return WordsWithSenses(list(words), senses)


def _blocks(
    inputs: Sequence[str], fitted: Mapping[str, Arrays], asked: WordsWithSenses, given: InputResources
) -> dict[str, InputBlock]:
    found: dict[str, InputBlock] = {}
    for name in inputs:
        found |= INPUTS[name].blocks(fitted[name], asked, given)
    return found


def fit_inputs(
    words: Sequence[str], inputs: Sequence[str], given: InputResources, options: InputOptions
) -> DescribedWords:
    """Return rated words as they are described, and how.

    Args:
        words: rated words, distinct.
        inputs: entries of `INPUTS`; what they need is in `given`.
        given: what words are looked up in.
        options: of inputs.
    """
    from scipy.linalg import eigh

    asked = _asked(words, given)
    fitted = {name: INPUTS[name].fit(asked, given, options) for name in inputs}
    found = {name: INPUTS[name].blocks(fitted[name], asked, given) for name in inputs}
    known = {name: np.logical_or.reduce([block.known for block in own.values()]) for name, own in found.items()}
    blocks = {name: block for own in found.values() for name, block in own.items()}
    centres: dict[str, Floats] = {}
    scales: dict[str, float] = {}
    begins: dict[str, int] = {}
    columns = 0
    for name, block in blocks.items():
        own = block.values[block.known]
        centre = own.mean(axis=0) if len(own) else np.zeros(block.values.shape[1])
        square = float(((own - centre) ** 2).sum(axis=1).mean()) if len(own) else 0.0
        centres[name] = centre
        scales[name] = float(np.sqrt(max(square, _SMALL) * len(blocks)))
        begins[name], columns = columns, columns + len(centre)
    whole = Describing(tuple(inputs), fitted, centres, scales, np.eye(0), begins)
    rows = _side_by_side(whole, blocks)
    if not rows.shape[1]:
        raise UsageError(
            f"nothing is known of the rated words by {', '.join(inputs)}: give more `inputs`, or lower `ngram_words`"
        )
    rank = min(options.components, *rows.shape)
    with one_thread():
        # The lesser of rows' and columns' products has the same components.
        if rows.shape[1] <= rows.shape[0]:
            last = rows.shape[1] - 1
            way = eigh(rows.T @ rows, subset_by_index=(last + 1 - rank, last))[1]
        else:
            last = rows.shape[0] - 1
            values, left = eigh(rows @ rows.T, subset_by_index=(last + 1 - rank, last))
            way = rows.T @ (left / np.sqrt(np.maximum(values, _SMALL)))
    how = whole._replace(components=_signed(way[:, ::-1]))
    return DescribedWords(how, product(rows, how.components), known)


def _signed(components: Floats) -> Floats:
    """Return components whose greatest number is positive: their sign is any that was found."""
    greatest = np.abs(components).argmax(axis=0)
    signs = np.sign(components[greatest, np.arange(components.shape[1])])
    return np.asarray(components * np.where(signs == 0, 1.0, signs))


def _side_by_side(how: Describing, blocks: Mapping[str, InputBlock]) -> Floats:
    parts = [
        np.where(block.known[:, None], (block.values - how.centres[name]) / how.scales[name], 0.0)
        for name, block in blocks.items()
    ]
    return np.hstack(parts)


def describe(how: Describing, words: Sequence[str], given: InputResources) -> tuple[Floats, Bools]:
    """Return the numbers of words, (words, components), and which words any input knows."""
    found = [np.zeros((0, how.components.shape[1]))]
    known = [np.zeros(0, bool)]
    for start in range(0, len(words), WORDS_AT_ONCE):
        asked = _asked(words[start : start + WORDS_AT_ONCE], given)
        blocks: dict[str, InputBlock] = {}
        for name in how.inputs:
            blocks |= INPUTS[name].blocks(how.fitted[name], asked, given)
        rows = _side_by_side(how, blocks)
        found.append(product(rows, how.components))
        known.append(np.logical_or.reduce([block.known for block in blocks.values()]))
    return np.concatenate(found), np.concatenate(known)


def ngram_part(how: Describing) -> Describing:
    """Return how words are described of which nothing is known but their n-grams."""
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
