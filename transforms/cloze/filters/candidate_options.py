"""Options of `lexbeam cloze candidates`, checked, and what they ask of filters: resources, models, thresholds.

How concrete words are, a model predicts that each process opens once (`PredictedConcreteness`).
"""

import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.cloze import CRITERIA, KINDS
from lexbeam.transforms.cloze.abstractness.concreteness_model import (
    Concreteness,
    concreteness,
    is_listed,
    open_concreteness,
)
from lexbeam.transforms.cloze.filters.abstract_words import DEPTHS, NEVER_ABSTRACT
from lexbeam.transforms.cloze.filters.candidates import JudgeWords
from lexbeam.transforms.cloze.filters.cloze_filter import FilterSetting, Predictor
from lexbeam.transforms.cloze.filters.cloze_filters import (
    EVALUATE,
    FILTERS,
    MATCHES,
    SENSES_OF,
    filters_of,
    optional_filters,
)
from lexbeam.transforms.cloze.filters.similarity import check_threshold, parse_threshold
from lexbeam.transforms.cloze.word_resources import inflector_option, vectors_option
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.fields import check_given, option
from lexbeam.transforms.common.store.identity import Place
from lexbeam.transforms.inflection.models import inflector_reference
from lexbeam.transforms.lexicon.encoders.loading_encoders import check_encoder_packages
from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions, encoding_of
from lexbeam.transforms.lexicon.resources import (
    CacheOptions,
    LexiconOptions,
    is_installed,
    prepare,
    spec_or_default,
    wordnet_option,
)


@dataclass(frozen=True)
class PredictedConcreteness:
    """A model in a folder, which each process opens once.

    Attributes:
        folder: where it is.
        digest: of the model.
        below: words from this value on are too concrete.
        language: of the words that it was learned from; None: not known.
    """

    folder: Place
    digest: str
    below: float
    language: str | None = None

    def scores(self, forms: pa.Array, lemmas: pa.Array, upos: pa.Array) -> np.ndarray:
        """Return the concreteness of words, 0 (abstract) to 1, float64; NaN: not known.

        A word that the model has neither by its lemma nor by its form is predicted from the n-grams
        of what the model looks up first.

        Raises:
            LexbeamError: the model is gone, or another one has taken its place.
        """
        model = _opened(self)
        lemmas = _or_forms(lemmas, forms)
        first, second = (lemmas, forms) if model.of == "lemma" else (forms, lemmas)
        values = concreteness(model, first)
        other = ~is_listed(model, first) & is_listed(model, second)
        values[other] = concreteness(model, second.filter(pa.array(other)))
        return values

    def listed(self, forms: pa.Array, lemmas: pa.Array) -> np.ndarray:
        """Return which words the model has by their lemma or their form.

        Raises:
            LexbeamError: the model is gone, or another one has taken its place.
        """
        model = _opened(self)
        return is_listed(model, _or_forms(lemmas, forms)) | is_listed(model, forms)

    def described(self) -> Mapping[str, object]:
        """Return the model's digest."""
        return {"model": self.digest}


def _or_forms(lemmas: pa.Array, forms: pa.Array) -> pa.Array:
    return pc.coalesce(lemmas.cast(pa.large_string()), forms.cast(pa.large_string()))


_OPENED: dict[tuple[str, str], Concreteness] = {}
_OPENING = threading.Lock()


def _opened(predictor: PredictedConcreteness) -> Concreteness:
    key = (predictor.folder, predictor.digest)
    with _OPENING:
        if key not in _OPENED:
            model = open_concreteness(predictor.folder)
            if model.digest != predictor.digest:
                raise LexbeamError(
                    f"the model {predictor.folder} changed while it was used: run the same command again"
                )
            _OPENED[key] = model
        return _OPENED[key]


def predictor_of(folder: str, below: float | None) -> Predictor:
    """Return what a model in a folder predicts.

    Args:
        folder: of `lexbeam cloze abstractness`.
        below: the threshold; None: that of the model.

    Raises:
        LexbeamError: there is no such model.
    """
    model = open_concreteness(folder)
    predictor = PredictedConcreteness(folder, model.digest, model.below if below is None else below, model.language)
    with _OPENING:
        _OPENED[folder, model.digest] = model
    return predictor


# Filters that need WordNet, and those that take base forms from it where there is one.
OF_WORDNET = ("nonspecificity", "synonym", "antonym")
_OF_BASE_FORMS = ("repeated", "lemma")


@dataclass(frozen=True, kw_only=True)
class CandidateOptions(CacheOptions, EncoderOptions):
    """Which filters decide on the words of summaries, and how."""

    kind: tuple[str, ...] = option(
        ("imperceptibility", "nonspecificity"),
        help="what makes answers abstract: one or several",
        metavar="KIND",
        choices=KINDS,
    )
    filters: tuple[str, ...] = option(
        (),
        help="filters beside the kinds' own criteria; if not given, all whose resources are there",
        metavar="FILTER",
        choices="lexbeam.transforms.cloze.filters.cloze_filters:optional_filters",
    )
    evaluate: str = option(
        "all", help="whether every filter is applied to every word, or only until one rejects it", choices=EVALUATE
    )
    abstractness: str | None = option(
        None, help="folder of a model of `lexbeam cloze abstractness`", metavar="MODEL_DIR", path="place"
    )
    concreteness_below: float | None = option(
        None,
        help="words from this concreteness on, 0 to 1, are not imperceptible; if not given, "
        "the threshold that the model was calibrated to",
        least=0,
        most=1,
    )
    abstract_also: tuple[str, ...] = option(
        (),
        help="what may be abstract, by its concreteness, and else is not: names, words that the model does not list, "
        "function words such as so and when",
        choices=NEVER_ABSTRACT,
    )
    wordnet: str | None = wordnet_option()
    inflector: str | None = inflector_option("forms that WordNet lacks")
    vectors: str | None = vectors_option(
        ", and what docs/reference/resources.md has of options, such as centre=yes and remove=3"
    )
    sense: str = option(
        "lesk",
        help="which sense decides how deep a word lies",
        choices="lexbeam.transforms.cloze.filters.abstract_words:SENSES",
    )
    depth: str = option("max", help="longest or shortest way to a root of WordNet", choices=DEPTHS)
    depth_below: float = option(6.0, help="words of this depth, or deeper, are not nonspecific", least=0)
    proper_nouns: str = option(
        "noun",
        help="whether proper nouns count as nouns",
        choices="lexbeam.transforms.cloze.filters.abstract_words:PROPER_NOUNS",
    )
    relation_match: str = option(
        "surface",
        help="what synonyms and antonyms are compared with: forms of the passage, or lemmas as well",
        choices=MATCHES,
    )
    relation_senses: str = option(
        "all", help="whose synonyms and antonyms: of all senses, or of those of the word's tag", choices=SENSES_OF
    )
    static_threshold: str = option(
        "0.85",
        help="cosine of static vectors from which on a word of the passage is too "
        "similar, or quantile:Q of random words of this corpus",
        metavar="COSINE",
        check=check_threshold,
    )
    contextual_threshold: str = option(
        "0.85", help="the same for contextual vectors", metavar="COSINE", check=check_threshold
    )
    seed: int = option(1, help="of random word pairs")


class FilterRequest(NamedTuple):
    """What filters are to do, and of which of them the threshold is a quantile."""

    candidates: JudgeWords
    quantiles: Mapping[str, float]


def lacking(options: CandidateOptions) -> dict[str, str]:
    """Return the filters that lack a resource, each with the option that would name it."""
    options_by_filter = {} if options.abstractness else {"abstractness": "abstractness"}
    if options.wordnet is None and not is_installed():
        options_by_filter |= dict.fromkeys(OF_WORDNET, "wordnet")
    return options_by_filter


def check_candidates(options: CandidateOptions, without: Collection[str] = ()) -> None:
    """Check that filters have the resources that they need.

    Args:
        options: of the command.
        without: filters that are left out.

    Raises:
        UsageError: a filter lacks a resource that it needs.
    """
    if not options.kind:
        raise UsageError("`kind` names no kind: give at least one")
    for kind in options.kind:
        asks = "abstractness" in CRITERIA[kind] and "abstractness" not in without
        if asks and not options.abstractness:
            raise UsageError(
                f"kind {kind} asks how concrete words are, which needs `abstractness`: give the "
                "folder of a model, which `lexbeam cloze abstractness` makes, or another `kind`"
            )
    for name in options.filters:
        check_given(FILTERS[name].needs, options, f"`filters` names {name}", "filters")
    if options.encoder is not None:
        check_encoder_packages(options.encoder)


def filter_request(options: CandidateOptions, without: Collection[str] = ()) -> FilterRequest:
    """Return what filters are to do; resources are compiled.

    Args:
        options: of the command.
        without: filters that are left out though a kind has them.

    Raises:
        UsageError: a filter lacks a resource that it needs.
        LexbeamError: a resource cannot be read, or a package is missing.
    """
    check_candidates(options, without)
    optional = tuple(
        name
        for name in optional_filters()
        if (name in options.filters if options.filters else _by_default(name, options))
    )
    used = {name for kind in options.kind for name in filters_of(kind, optional)} - {*without}
    resources = []
    by_base_forms = used & {*_OF_BASE_FORMS} and (options.wordnet is not None or is_installed())
    if used & {*OF_WORDNET} or by_base_forms or options.proper_nouns == "common":
        resources.append(spec_or_default(options.wordnet))
    if "static" in used and options.vectors:
        resources.append(options.vectors)
    lexicon = prepare(LexiconOptions(resources=tuple(resources), cache=options.cache))
    stated = {"static": options.static_threshold, "contextual": options.contextual_threshold}
    parsed = {name: parse_threshold(text) for name, text in stated.items() if name in used}
    predictor = None
    if "abstractness" in used:
        predictor = predictor_of(str(options.abstractness), options.concreteness_below)
    setting = FilterSetting(
        lexicon=lexicon,
        sense=options.sense,
        depth=options.depth,
        depth_below=options.depth_below,
        propn=options.proper_nouns,
        inflector=inflector_reference(options.inflector) if options.inflector else None,
        relation_match=options.relation_match,
        relation_senses=options.relation_senses,
        abstractness=predictor,
        abstract_also=tuple(name for name in NEVER_ABSTRACT if name in options.abstract_also),
        encoder=encoding_of(options) if "contextual" in used else None,
        thresholds={name: limit.cosine for name, limit in parsed.items() if limit.cosine is not None},
    )
    quantiles = {name: limit.quantile for name, limit in parsed.items() if limit.quantile is not None}
    kinds = tuple(kind for kind in KINDS if kind in options.kind)
    left_out = tuple(name for name in FILTERS if name in without)
    return FilterRequest(JudgeWords(kinds, optional, options.evaluate, setting, left_out), quantiles)


def _by_default(name: str, options: CandidateOptions) -> bool:
    need = FILTERS[name].needs
    return not need or bool(getattr(options, need))
