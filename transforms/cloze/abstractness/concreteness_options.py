"""Options of `lexbeam cloze abstractness`: ratings, inputs, estimators."""

from dataclasses import dataclass

from lexbeam.transforms.cloze.word_resources import RATING_LISTS, STATIC_VECTORS
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions
from lexbeam.transforms.lexicon.resources import CacheOptions, check_specs, wordnet_option

WORD_FORMS = ("lemma", "form")
RATED = ("use", "predict")
DEFAULT_INPUTS = ("ngrams", "wordnet", "glosses")


@dataclass(frozen=True, kw_only=True)
class InputOptions(CacheOptions):
    """What words are described by."""

    inputs: tuple[str, ...] = option(
        (),
        help="what words are described by; if not given, ngrams, wordnet, glosses, and vectors where there are such",
        metavar="INPUT",
        choices="lexbeam.transforms.cloze.abstractness.concreteness_inputs:INPUTS",
    )
    vectors: tuple[str, ...] = option(
        (),
        help="static vectors, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`; several may be given",
        metavar="FILE|DIR",
        split=False,
        path="resource",
        within=STATIC_VECTORS.within,
        stands_for=STATIC_VECTORS.spec,
        check=check_specs,
        group="resources",
    )
    wordnet: str | None = wordnet_option()
    components: int = option(400, help="numbers that all inputs of a word are reduced to", least=1, most=5000)
    ngram_words: int = option(4, help="rated words that an n-gram must be in", least=1)
    ngram_dim: int = option(150, help="numbers that n-grams are reduced to", least=1, most=5000)
    hypernyms: int = option(1000, help="hypernyms at most, those of the most words, of 5 rated ones at least", least=1)
    gloss_dim: int = option(200, help="numbers of a vector of glosses", least=1, most=2000)
    gloss_least: int = option(3, help="glosses that a word must stand in to have one", least=1)
    vocabulary: int = option(
        400_000,
        help="words whose predictions the model holds: those of WordNet, then those of "
        "vectors in their order; others are predicted from their n-grams",
        least=0,
    )


@dataclass(frozen=True, kw_only=True)
class EstimatorOptions:
    """How concreteness is learned.

    Defaults are of cross-validation: the kernel's on Brysbaert's words, the network's on the MRC database.
    """

    estimator: str = option(
        "kernel",
        help="how concreteness is learned",
        choices="lexbeam.transforms.cloze.abstractness.concreteness_estimators:ESTIMATORS",
    )
    compare: tuple[str, ...] = option(
        (),
        help="further estimators to measure on the same folds",
        choices="lexbeam.transforms.cloze.abstractness.concreteness_estimators:ESTIMATORS",
    )
    ridge_alpha: float = option(0.3, help="ridge and kernel: weight of the penalty", least=1e-9)
    kernel_gamma: float = option(1.0, help="kernel: how fast likeness falls with the squared distance", least=1e-6)
    landmarks: int = option(2500, help="kernel: words that others are compared with", least=1, most=20_000)
    hidden: int = option(128, help="network: units of each of its two layers", least=1, most=10_000)
    dropout: float = option(0.2, help="network: share of its inputs dropped", least=0, most=0.95)
    epochs: int = option(60, help="network: passes over the words at most", least=1, most=10_000)
    patience: int = option(8, help="network: passes without a lesser error on a tenth of the words", least=1)
    batch: int = option(32, help="network: words of a step", least=1)
    learning_rate: float = option(1e-3, help="network: Adam's step", least=1e-9, most=1)
    seed: int = option(1, help="of folds, landmarks and the network", least=0, most=2**31 - 1)


@dataclass(frozen=True, kw_only=True)
class AbstractnessOptions:
    """Options of `lexbeam cloze abstractness`."""

    ratings: tuple[str, ...] = option(
        help="rated words, FILE:word=COLUMN,value=COLUMN and what docs/reference/resources.md has of "
        "options, such as scale=1-5; the range is read from the file unless `scale` says it; "
        "several files are joined",
        metavar="FILE:word=,value=",
        split=False,
        path="resource",
        data="wordlist",
        within=RATING_LISTS.within,
        stands_for=RATING_LISTS.spec,
        check=check_specs,
    )
    out: str = option(help="folder of the model", metavar="MODEL_DIR", path="place")
    overwrite: bool = option(False, help="replace another model in that folder")
    of: str = option(
        "lemma", help="by what words of a text are looked up first: their lemma or their form", choices=WORD_FORMS
    )
    rated: str = option(
        "use",
        help="whether rated words have their rating, or the prediction of a fold that did not see it",
        choices=RATED,
    )
    abstract_below: float = option(
        0.35, help="words rated below this, 0 to 1, are abstract (ReCAM's)", least=0.01, most=0.99
    )
    folds: int = option(5, help="folds of rated words, by their hash", least=2, most=100)
    words: InputOptions = embedded(InputOptions, group="inputs")
    learning: EstimatorOptions = embedded(EstimatorOptions, group="estimators")
    bootstrap: BootstrapOptions = embedded(BootstrapOptions, group="evaluation")


def check_abstractness(options: AbstractnessOptions) -> None:
    """Check that options go together.

    Raises:
        UsageError: they do not.
    """
    words = options.words
    if not options.ratings:
        raise UsageError("`ratings` names no file: give FILE:word=COLUMN,value=COLUMN")
    if "vectors" in words.inputs and not words.vectors:
        raise UsageError("`inputs` names vectors, which needs `vectors`: give a file of them")
    if words.inputs and words.vectors and "vectors" not in words.inputs:
        raise UsageError("`vectors` are given and `inputs` does not name them: add `vectors` to it")
    if words.inputs and words.wordnet and not {"wordnet", "glosses"} & set(words.inputs):
        raise UsageError("`wordnet` is given, and `inputs` names neither wordnet nor glosses: add one of them")
