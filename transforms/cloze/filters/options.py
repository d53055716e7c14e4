"""Options of `lexbeam cloze candidates`, and what they mean."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from lexbeam.schemas.cloze.pairs import CRITERIA, KINDS
from lexbeam.transforms.cloze.filters.base import FilterSetting
from lexbeam.transforms.cloze.filters.candidates import CandidateSetting
from lexbeam.transforms.cloze.filters.never_abstract import NEVER_ABSTRACT
from lexbeam.transforms.cloze.filters.nonspecificity import DEPTHS
from lexbeam.transforms.cloze.filters.predicted_concreteness import predictor_of
from lexbeam.transforms.cloze.filters.registry import EVALUATE, FILTERS, filters_of, optional_filters
from lexbeam.transforms.cloze.filters.relations import MATCHES, SENSES_OF
from lexbeam.transforms.cloze.filters.thresholds import check_threshold, parse_threshold
from lexbeam.transforms.cloze.word_resources import inflector_option, vectors_option
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import check_given, option
from lexbeam.transforms.inflection.models import inflector_reference
from lexbeam.transforms.lexicon.encoders.base import check_encoder_packages
from lexbeam.transforms.lexicon.encoders.encoding import encoding_of
from lexbeam.transforms.lexicon.encoders.options import EncoderOptions
from lexbeam.transforms.lexicon.finding_wordnet import is_installed, spec_or_default, wordnet_option
from lexbeam.transforms.lexicon.resources import CacheOptions, LexiconOptions, prepare

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
        choices="lexbeam.transforms.cloze.filters.registry:optional_filters",
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
        choices="lexbeam.transforms.cloze.filters.nonspecificity:SENSES",
    )
    depth: str = option("max", help="longest or shortest way to a root of WordNet", choices=DEPTHS)
    depth_below: float = option(6.0, help="words of this depth, or deeper, are not nonspecific", least=0)
    proper_nouns: str = option(
        "noun",
        help="whether proper nouns count as nouns",
        choices="lexbeam.transforms.cloze.filters.scores:PROPER_NOUNS",
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

    candidates: CandidateSetting
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
    return FilterRequest(CandidateSetting(kinds, optional, options.evaluate, setting, left_out), quantiles)


def _by_default(name: str, options: CandidateOptions) -> bool:
    need = FILTERS[name].needs
    return not need or bool(getattr(options, need))
