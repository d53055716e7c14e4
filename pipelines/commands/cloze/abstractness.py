"""How concrete words are, learned from ratings: a model in a folder of its own.

    lexbeam cloze abstractness --ratings mrc.csv:word=WORD,value=CONC --out models/concreteness \\
        --vectors results:slice=1880-1920

docs/tasks/cloze/abstractness.md says what words are described by and what the model holds.
"""

from collections.abc import Iterator, Mapping, Sequence

from lexbeam.pipelines.frame.command import Action, Command
from lexbeam.transforms.cloze.abstractness.concreteness_estimators import ESTIMATORS
from lexbeam.transforms.cloze.abstractness.concreteness_inputs import InputResources
from lexbeam.transforms.cloze.abstractness.concreteness_options import AbstractnessOptions, check_abstractness
from lexbeam.transforms.cloze.abstractness.concreteness_training import Learned, inputs_of, joined_ratings, learn
from lexbeam.transforms.cloze.word_resources import RATINGS, VECTORS, WORDNET
from lexbeam.transforms.common.errors import UsageError, check_packages
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.texts.languages import short_tag
from lexbeam.transforms.evaluation.evaluating import MeasuredMetric
from lexbeam.transforms.learning.models.keeping import keep_model
from lexbeam.transforms.lexicon.compiled.static_vectors import StaticVectors
from lexbeam.transforms.lexicon.compiled.word_list import WordList
from lexbeam.transforms.lexicon.resource_cache import parse_spec
from lexbeam.transforms.lexicon.resources import Lexicon, LexiconOptions, prepare, spec_or_default
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet


def _resources(options: AbstractnessOptions) -> dict[str, str]:
    """Return the resources that are needed, by name, as a person would write them."""
    inputs = inputs_of(options)
    texts = _numbered(options.ratings, RATINGS)
    if {"wordnet", "glosses"} & set(inputs):
        texts[WORDNET] = spec_or_default(options.words.wordnet)
    if "vectors" in inputs:
        texts |= _numbered(options.words.vectors, VECTORS)
    return texts


def _language(texts: Mapping[str, str]) -> str | None:
    """Return the language that resources state; None if none does.

    Raises:
        UsageError: they are of several.
    """
    stated = {name: parse_spec(text).parsed.language for name, text in texts.items()}
    languages = {short_tag(language) for language in stated.values() if language}
    if len(languages) > 1:
        said = "; ".join(f"{_called(texts[name])}: {language}" for name, language in stated.items() if language)
        raise UsageError(f"the words of a model are of one language, and there are several ({said}): give `language=`")
    return next(iter(languages), None)


def _numbered(texts: Sequence[str], name: str) -> dict[str, str]:
    bare = [text.removeprefix(f"{name}=") for text in texts]
    return {f"{name}{number}": f"{name}{number}={text}" for number, text in enumerate(bare)}


def _called(text: str) -> str:
    """Return what messages call a resource: its files, and the slice of vectors of ours."""
    parsed = parse_spec(text).parsed
    part = getattr(parsed.options, "slice", "")
    return ", ".join(map(files.shown, parsed.paths)) + (f", slice {part}" if part else "")


def _digests(lexicon: Lexicon) -> Mapping[str, str]:
    return {held.name.strip("_"): held.compiled.digest for held in lexicon.held}


def _summary(learned: Learned, options: AbstractnessOptions, digest: str) -> Iterator[str]:
    for name, (low, high) in learned.scales.items():
        yield f"{name}: from {low:g}, abstract, to {high:g}, concrete"
    known = ", ".join(f"{name} {count}" for name, count in learned.known.items())
    yield f"{learned.words} rated words, known to {known}"
    yield f"Pearson's r of {options.folds} folds, pooled"
    for name, measured in learned.measured.items():
        chosen = ", kept" if name == options.learning.estimator else ""
        yield f"  {name}: {_interval(measured)}{chosen}"
        for sort, own in learned.apart[name].items():
            yield f"    {sort}: {_interval(own)}"
    below = options.abstract_below
    plain, calibrated = learned.cuts
    yield f"of words rated below {below:g}, and of the others, so many are predicted"
    for cut, how in ((plain, ""), (calibrated, ", calibrated (Youden's index)")):
        yield (f"  below {cut.threshold:.3g}: {cut.sensitivity:.1%}, {1 - cut.specificity:.1%}{how}")
    yield f"{learned.vocabulary} words in {files.shown(options.out)}, model {digest[:12]}"


def _interval(measured: MeasuredMetric) -> str:
    if measured.value is None:
        return f"none ({measured.reason})"
    if measured.low is None or measured.high is None:
        return f"{measured.value:.3f}"
    return f"{measured.value:.3f} ({measured.low:.3f} to {measured.high:.3f})"


class ClozeAbstractness(Command[AbstractnessOptions, None]):
    """`lexbeam cloze abstractness`."""

    options = AbstractnessOptions
    examples = """\
  lexbeam cloze abstractness --ratings mrc.csv:word=WORD,value=CONC --out models/concreteness
  lexbeam cloze abstractness --ratings mrc.csv:word=WORD,value=CONC --out models/concreteness \\
      --vectors news.vec --vectors results:slice=1880-1920 --compare network
  lexbeam cloze abstractness --ratings words.tsv:word=Word,value=Conc.M,scale=1-5 \\
      --out models/forms --inputs ngrams,vectors --vectors words.vec --of form --estimator ridge"""

    def check(self, options: AbstractnessOptions) -> None:
        check_abstractness(options)
        check_packages("concreteness needs", ("sklearn", "safetensors"), "models")
        for name in (options.learning.estimator, *options.learning.compare):
            ESTIMATORS[name].check_installed(f"estimator `{name}`")

    def action(self, options: AbstractnessOptions, action: Action) -> None:
        """Learn a model and keep it.

        Raises:
            UsageError: the words of a resource are wrong.
            LexbeamError: a file is not what it should be, or nothing can be learned from it; the folder
                holds something else.
        """
        texts = _resources(options)
        language = _language(texts)
        lexicon = prepare(LexiconOptions(resources=tuple(texts.values()), cache=options.words.cache))
        opened = {held.name: held.open() for held in lexicon.held}
        called = {name: _called(text) for name, text in texts.items()}
        ratings = joined_ratings({called[name]: held for name, held in opened.items() if isinstance(held, WordList)})
        wordnet = opened.get(WORDNET)
        vectors = {name: held for name, held in opened.items() if isinstance(held, StaticVectors)}
        inputs = InputResources(wordnet if isinstance(wordnet, WordNet) else None, tuple(vectors.values()))
        made_from = {
            "wordnet": called.get(WORDNET, ""),
            "glosses": called.get(WORDNET, ""),
            "vectors": ", ".join(called[name] for name in vectors),
        }
        learned = learn(ratings, inputs, options, _digests(lexicon), made_from, language)
        digest = keep_model(options.out, learned.model, overwrite=options.overwrite)
        for line in _summary(learned, options, digest):
            action.tell(line)
