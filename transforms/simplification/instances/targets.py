"""Options that say how words to simplify are found, and what they make of words."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.complexity.features.looked_up import FeatureLists
from lexbeam.transforms.complexity.scorers.word_scorer import word_scorer
from lexbeam.transforms.lexicon.compiled.frequencies import Frequencies
from lexbeam.transforms.lexicon.compiled.word_list import WordList
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.simplification.generation.target_forms import read_words
from lexbeam.transforms.simplification.instances.complex_choice import FREQUENCY, WordChoice

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
