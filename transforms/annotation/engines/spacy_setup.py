"""Which components of a spaCy pipeline run, read from its configuration: spacy.py says which.

In: the folder of a pipeline. Out: a `Setup`.
"""

import functools
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from lexbeam.transforms.annotation.engines.spacy_reach import listens, reach_of
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.layers.registry import needs_of

_UNUSED = frozenset(
    {
        "ner",
        "beam_ner",
        "entity_linker",
        "entity_ruler",
        "span_ruler",
        "spancat",
        "spancat_singlelabel",
        "span_finder",
        "textcat",
        "textcat_multilabel",
    }
)
_PARSERS = frozenset({"parser", "beam_parser"})
# Where a morphologizer lists what it learnt.
_LABELS = {"token.pos": "labels_pos", "token.morph": "labels_morph"}
_SETTERS = frozenset({"senter", "sentencizer"})
_LEMMA = ["token.lemma"]
# Components of spaCy that give tokens no part of speech; those with encoders are listened to.
_WITHOUT_POS = frozenset({"tagger", "lemmatizer", "trainable_lemmatizer"})
_ENCODERS = frozenset({"tok2vec", "transformer", "curated_transformer"})
# It cuts at white space, and within a stretch without it looks at nothing else.
_TOKENIZER = "spacy.Tokenizer.v1"


class Setup(NamedTuple):
    """The components of a pipeline to run, read from its configuration; `reach` is that of `EngineInfo`."""

    language: str | None
    order: list[str]
    exclude: list[str]
    enable: list[str]
    add_sentencizer: bool
    has_lemmas: bool
    has_upos: bool
    reach: int | None = None


def setup_of(folder: str, engine: str, layers: tuple[str, ...], *, tags_alone: bool = False) -> Setup:
    """Return the components of a pipeline that run.

    Args:
        folder: of the pipeline.
        engine: its name in messages.
        layers: those that it must give.
        tags_alone: whether parts of speech are all that is asked for.

    Raises:
        UsageError: the pipeline lacks what a layer needs.
    """
    from spacy import util

    config = util.load_config(os.path.join(folder, "config.cfg"))
    language = config["nlp"]["lang"]
    factories = {name: config["components"][name].get("factory", "") for name in config["nlp"]["pipeline"]}
    disabled = [name for name in config["nlp"].get("disabled", []) if name in factories]
    active = [name for name in factories if name not in disabled]
    setters = [name for name in active if factories[name] in _SETTERS]
    spare = [name for name in disabled if factories[name] in _SETTERS]
    enable = [] if setters else spare[:1]
    needed = _needed(folder, engine, language, {name: factories[name] for name in active}, layers)
    exclude = [name for name, factory in factories.items() if factory in _UNUSED and name not in needed]
    parsers = [name for name in active if factories[name] in _PARSERS]
    order = list(factories)
    if setters or enable:
        exclude += [name for name in parsers if name not in needed]
        order = _before(order, [*setters, *enable], [name for name in parsers if name in needed])
    run = [name for name in active if name not in exclude]
    setup = Setup(
        language=None if language == "xx" else language,
        order=order,
        exclude=exclude,
        enable=enable,
        add_sentencizer=not (setters or enable or parsers),
        has_lemmas=any(_assigns(language, factories[name], "token.lemma") for name in run),
        has_upos=any(_sets(folder, language, name, factories[name], "token.pos") for name in run),
    )
    if not tags_alone:
        return setup
    return _tags_alone(setup, folder, config, {name: factories[name] for name in [*run, *spare]})


def _tags_alone(setup: Setup, folder: str, config: Any, factories: dict[str, str]) -> Setup:
    """Return the components to run for parts of speech alone.

    `factories` are those of the components that would run, and of those that could set sentences. An
    attribute ruler may depend on anything but lemmas, which come last. If all components are of spaCy and there
    is none, those that give no part of speech are spared, and it is known how far the others look.
    """
    language = config["nlp"]["lang"]
    spared = {name for name, kind in factories.items() if _all_that(language, kind) == _LEMMA}
    if "attribute_ruler" in factories.values():
        return setup._replace(exclude=[*setup.exclude, *sorted(spared)], has_lemmas=False)
    spared |= {name for name, kind in factories.items() if kind in _SETTERS | _PARSERS}
    reach = None
    if {kind for name, kind in factories.items() if name not in spared} <= {"morphologizer", *_ENCODERS, *_WITHOUT_POS}:
        models = _models(config, language, factories)
        setting = [name for name, kind in factories.items() if _sets(folder, language, name, kind, "token.pos")]
        heard = [name for name, kind in factories.items() if kind in _ENCODERS]
        spared |= {name for name in factories if name not in (*setting, *heard)}
        if not any(listens(models[name]) for name in setting):
            spared |= set(heard)
        if config["nlp"]["tokenizer"].get("@tokenizers") == _TOKENIZER:
            reaches = [reach_of(models[name], [models[other] for other in heard]) for name in setting]
            reach = None if None in reaches else max((reach or 0 for reach in reaches), default=None)
    exclude = [*setup.exclude, *sorted(spared)]
    return setup._replace(exclude=exclude, enable=[], add_sentencizer=True, has_lemmas=False, reach=reach)


def _models(config: Any, language: str, factories: Mapping[str, str]) -> dict[str, Mapping[str, Any]]:
    """Return the models of components as their configuration has them, filled up by their factories' defaults."""
    from thinc.api import Config

    components = config.interpolate()["components"]
    models = {}
    for name, kind in factories.items():
        default = Config(_blank(language).get_factory_meta(kind).default_config or {})
        models[name] = default.merge(components[name]).get("model", {})
    return models


@functools.cache
def _blank(language: str) -> Any:
    import spacy

    return spacy.blank(language)


def _assigns(language: str, factory: str, attribute: str) -> bool:
    return attribute in _all_that(language, factory)


def _all_that(language: str, factory: str) -> list[str]:
    """Return the attributes that a factory's components assign."""
    kind = _blank(language)  # spaCy knows its factories once there is a pipeline
    return list(kind.get_factory_meta(factory).assigns) if kind.has_factory(factory) else []


def _needed(folder: str, engine: str, language: str, active: dict[str, str], layers: tuple[str, ...]) -> set[str]:
    """Return the components that layers need; `active` are names and factories."""
    needed = set()
    for layer, attributes in needs_of(layers, "spacy").items():
        for attribute in attributes:
            components = {name for name, factory in active.items() if _sets(folder, language, name, factory, attribute)}
            if not components:
                raise UsageError(
                    f"{engine} cannot give the layer {layer!r}: no component of the pipeline sets "
                    f"{attribute} (it has {', '.join(active) or 'none'}); leave the layer out of "
                    "`layers`, or name a pipeline that has one"
                )
            needed |= components
    return needed


def _before(order: list[str], setters: list[str], parsers: list[str]) -> list[str]:
    """Return components in order, those that set sentences moved before the first parser."""
    first = next((place for place, name in enumerate(order) if name in parsers), len(order))
    late = [name for name in order[first:] if name in setters]
    return [*order[:first], *late, *(name for name in order[first:] if name not in late)]


def _sets(folder: str, language: str, name: str, factory: str, attribute: str) -> bool:
    # A morphologizer may have been trained without parts of speech or features, and an attribute ruler
    # may map other attributes: their files say what they learnt.
    import srsly

    component = os.path.join(folder, name)
    if factory == "morphologizer" and attribute in _LABELS:
        labels = srsly.read_json(os.path.join(component, "cfg")).get(_LABELS[attribute], {})
        return any(labels.values())
    if factory == "attribute_ruler":
        patterns = srsly.read_msgpack(os.path.join(component, "patterns"))
        ruled = attribute.removeprefix("token.").upper()
        return any(ruled in pattern.get("attrs", {}) for pattern in patterns)
    return _assigns(language, factory, attribute)
