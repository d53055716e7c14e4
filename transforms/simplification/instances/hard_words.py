"""Which content words are hard, by their frequency or by a scorer of complexity; and the options that say so."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.complexity.features.base import LAYERS
from lexbeam.transforms.complexity.features.looked_up import FeatureLists
from lexbeam.transforms.complexity.scorers.word_scorer import AT_ONCE, WordScorer, word_complexity, word_scorer
from lexbeam.transforms.lexicon.compiled.frequencies import Frequencies
from lexbeam.transforms.lexicon.compiled.word_list import WordList
from lexbeam.transforms.lexicon.resources import Lexicon, LexiconOptions, prepare
from lexbeam.transforms.simplification.generation.target_forms import read_words
from lexbeam.transforms.simplification.instances.content_words import ContentWords

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_ROUNDING = 1e-9  # of a product such as .1 * 30, which is above 3
FREQUENCY = "frequency"  # the resource that `zipf_below` goes by


class WordChoice(NamedTuple):
    """How words are chosen among content words; without frequency and scorer all are.

    Attributes:
        zipf_below: the frequency, in Zipf, that a word must lie below; None: frequency decides nothing.
        above: the complexity that it must lie above; None: none.
        share: the share of each document's content words that is chosen, the hardest; None: any.
        lexicon: lists of frequency, called `FREQUENCY`.
        protected: words and phrases that are left alone, in the form of `key_of`, sorted.
    """

    zipf_below: float | None = None
    above: float | None = None
    share: float | None = None
    lexicon: Lexicon = Lexicon()
    scorer: WordScorer | None = None
    protected: tuple[str, ...] = ()


class Chosen(NamedTuple):
    """Which words are chosen, why, and by what value, nan for none.

    `lexbeam.schemas.simplification.CHOSEN_BY` has the reasons.
    """

    words: npt.NDArray[np.int64]
    by: str
    values: Floats


def choose(words: ContentWords, choice: WordChoice) -> Chosen:
    """Return the words that are chosen, in their order."""
    if choice.scorer is not None:
        values = _complexity(words, choice.scorer)
        if choice.share is None:
            return _chosen("scorer", values, values > (choice.above or 0.0))
        return _chosen("scorer", values, hardest(values, words.text_of[words.row], choice.share))
    if choice.zipf_below is not None:
        values = _zipf(words, choice.lexicon)
        return _chosen("zipf", values, values < choice.zipf_below)  # false for nan
    values = np.full(len(words.targets), np.nan)
    return _chosen("content", values, np.ones(len(values), bool))


def _chosen(by: str, values: Floats, which: Bools) -> Chosen:
    places = np.flatnonzero(which)
    return Chosen(places, by, values[places])


def hardest(values: Floats, documents: npt.NDArray[np.int64], share: float) -> Bools:
    """Return which values are among the highest of their document: a share of them, rounded up, and equal ones.

    Args:
        values: of words.
        documents: the document of each.
        share: 0 to 1.
    """
    which = np.zeros(len(values), bool)
    for document in np.unique(documents):
        members = np.flatnonzero(documents == document)
        number = math.ceil(share * len(members) - _ROUNDING)
        if number:
            least = np.sort(values[members])[len(members) - number]
            which[members] = values[members] >= least
    return which


def _zipf(words: ContentWords, lexicon: Lexicon) -> Floats:
    """Return the frequency of each word: of its form or its lemma, whichever is the commoner, in lower case.

    A word that the list lacks has 0; nan without a list for its language.
    """
    values = np.full(len(words.targets), np.nan)
    forms = pc.utf8_lower(pa.array(words.targets, pa.string()))
    lemmas = pc.coalesce(pc.utf8_lower(pa.array(words.lemmas, pa.string())), forms)
    for rows, known in lexicon.by_language(FREQUENCY, pa.array(words.languages(), pa.string())):
        if known is not None:
            of_language = [known.look_up(column.take(pa.array(rows))) for column in (forms, lemmas)]  # type: ignore[attr-defined]
            values[rows] = np.maximum(*(found["value"].fill_null(0.0).to_numpy() for found in of_language))
    return values


def _complexity(words: ContentWords, scorer: WordScorer) -> Floats:
    pieces = [np.zeros(0)]
    for start in range(0, len(words.targets), AT_ONCE):
        pieces.append(word_complexity(_described(words, slice(start, start + AT_ONCE)), scorer))
    return np.concatenate(pieces)


def _described(words: ContentWords, some: slice) -> pa.Table:
    """Return words as features read them: columns of `complexity/instances`, and layers."""
    rows, places = words.row[some], words.place[some]
    texts = [words.texts[text] for text in words.text_of[rows].tolist()]
    lines = [words.lines[row] for row in rows.tolist()]
    held = words.table.take(pa.array(rows))
    count = len(rows)
    spots = list(zip(lines, places.tolist(), strict=True))
    columns = {
        "token": pa.array(words.targets[some], pa.string()),
        "genre": pa.array([text.genre for text in texts], pa.string()),
        "language": pa.array([text.language for text in texts], pa.string()),
        "sentence": pa.array([line.text for line in lines], pa.string()),
        **{name: held[name] for name in ("forms", "lemmas", "upos")},
        "start": pa.array([line.starts[place] for line, place in spots], pa.int32()),
        "end": pa.array([line.ends[place] for line, place in spots], pa.int32()),
        "position": pa.array(places, pa.int32()),
        "tokens": pa.array([1] * count, pa.int32()),
        **{name: held[name] for name in LAYERS if name in held.column_names},
    }
    return pa.table(columns)


MARKED, CONTENT, COMPLEX = "marked", "content", "complex"


@dataclass(frozen=True, kw_only=True)
class TargetOptions(FeatureLists):
    """How words to simplify are found; lists and WordNet are those that a scorer was trained with."""

    targets: str = option(
        MARKED,
        help="the words that the input names; or, of corpora and texts, all content words, or those that are hard",
        choices=(MARKED, CONTENT, COMPLEX),
    )
    complexity_scorer: str | None = option(
        None,
        help="of complex: a scorer that `lexbeam complexity score` kept with `save`",
        metavar="MODEL",
        path="place",
        published=False,
    )
    above: float | None = option(
        None, help="of `complexity_scorer`: take words that it finds harder than this, 0 to 1", least=0, most=1
    )
    share: float | None = option(
        None,
        help="of `complexity_scorer`: take this share of the content words of each document, the hardest",
        least=0,
        most=1,
    )
    zipf_below: float | None = option(
        None,
        help="of complex: take words rarer than this, in Zipf, by the word list `frequency`, or else wordfreq",
        least=0,
    )
    protect: str | None = option(
        None,
        help="words and phrases that are left alone: a text file with one a line",
        metavar="FILE",
        path="file",
        data="words",
    )


def check_targets(options: TargetOptions) -> None:
    """Check that options of targets go together.

    Raises:
        UsageError: they do not, or say nothing.
    """
    how = options.targets
    scorer, below = options.complexity_scorer, options.zipf_below
    for name in ("complexity_scorer", "above", "share", "zipf_below", "wordnet", "wordlist"):
        if getattr(options, name) not in (None, ()) and how != COMPLEX:
            raise UsageError(f"`{name}` is of `targets` complex, not of {how}")
    if options.protect is not None and how == MARKED:
        raise UsageError("`protect` is of `targets` content and complex: leave the words unmarked")
    if how != COMPLEX:
        return
    if (scorer is None) == (below is None):
        raise UsageError("`targets` complex goes by `complexity_scorer` or by `zipf_below`: give one of them")
    if scorer is not None and (options.above is None) == (options.share is None):
        raise UsageError("`complexity_scorer` needs `above` or `share`, one of them: how hard a word must be")
    for name in ("above", "share", "wordnet"):
        if scorer is None and getattr(options, name) is not None:
            raise UsageError(f"`{name}` is of `complexity_scorer`, not of `zipf_below`")


def word_choice(options: TargetOptions, languages: Sequence[str], layers: Collection[str]) -> WordChoice:
    """Return how words are chosen; resources are compiled, a scorer is opened.

    Args:
        options: checked by `check_targets`.
        languages: those of the texts, as resources have them.
        layers: those that their sentences have.

    Raises:
        UsageError: a file cannot be read, a list is for none of the languages, or the scorer reads what cannot be had.
        LexbeamError: a resource or the model cannot be read, or a package is missing.
    """
    choice = WordChoice(
        zipf_below=options.zipf_below,
        above=options.above,
        share=options.share,
        protected=read_words(options.protect, "protect"),
    )
    if options.complexity_scorer is not None:
        own = {field.name: getattr(options, field.name) for field in fields(FeatureLists)}
        scorer = word_scorer(options.complexity_scorer, FeatureLists(**own), languages, layers)
        return choice._replace(scorer=scorer)
    if options.zipf_below is None:
        return choice
    specs = options.wordlist or tuple(f"{FREQUENCY}=wordfreq:{language}" for language in languages)
    lexicon = prepare(LexiconOptions(resources=specs, cache=options.cache))
    lists = [held for held in lexicon.held if held.name == FREQUENCY]
    if not lists or not all(isinstance(held.open(), WordList | Frequencies) for held in lists):
        raise UsageError(f"`zipf_below` goes by the list that is called {FREQUENCY}: name it so, {FREQUENCY}=...")
    for language in languages:
        if lexicon.find(FREQUENCY, language) is None:
            raise UsageError(f"`zipf_below`: no list called {FREQUENCY} is for language {language!r}: name one")
    return choice._replace(lexicon=lexicon.only(FREQUENCY))
