"""Engine `spacy:NAME_OR_PATH`: a spaCy pipeline, from an installed package or a folder.

Only the components that set sentences, lemmas and parts of speech are run: named entities, categories
and spans are left out, and so is the parser, unless nothing else sets sentences. A `senter` that the
pipeline ships switched off is switched on in the parser's place; if nothing sets sentences, spaCy's
`sentencizer` (sentence-final punctuation) is added. Which components these are is read from the configuration of the
pipeline (`setup_of`).

The components that a layer needs run if options name the layer. Sentences stay the same: the component
that sets them runs before the parser, which respects borders that are set.

spaCy keeps every word that it has met. So that it does not grow over millions of documents, Docs are
made in memory zones, which forget words, once `MAX_NEW_STRINGS` words have been learnt: not sooner,
since spaCy tokenises more slowly without its words. Results are the same.

How many tokens to either side decide a token's part of speech, `reach_of` says. What embeds a token, and what tags it,
sees that token alone; what encodes tokens in between sees, if it is a convolution over windows (spaCy's default),
`depth * window_size` tokens to either side: "the receptive field of the CNN" in spaCy's documentation of
`spacy.HashEmbedCNN`. Recurrent encoders and transformers see the whole text, and of an architecture that is not known
here the same is assumed.

    >>> cnn = {"@architectures": "spacy.HashEmbedCNN.v2", "depth": 4, "window_size": 1}
    >>> reach_of({"@architectures": "spacy.Tagger.v2", "tok2vec": cnn}, [])
    4
    >>> lstm = {"@architectures": "spacy.TorchBiLSTMEncoder.v1", "depth": 1}
    >>> reach_of({"@architectures": "spacy.Tagger.v2", "tok2vec": lstm}, [])
"""

import functools
import importlib.metadata
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import Any, NamedTuple

from lexbeam.transforms.annotation.engines.engine import Annotate, EngineInfo, MapForm, Resolve
from lexbeam.transforms.common.errors import LexbeamError, UsageError, cause_of, nearest
from lexbeam.transforms.common.spared_imports import restore_torch
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.batches import Sentence
from lexbeam.transforms.common.store.models import model_digest
from lexbeam.transforms.common.texts.languages import language_of
from lexbeam.transforms.formats.records.layers import needs_of, values_of

Section = Mapping[str, Any]

_NAME = "@architectures"
# They zero what is beyond the ends of a text, so that neighbours in a batch do not count. (MishWindowEncoder does not.)
_CONVOLUTIONS = ("spacy.HashEmbedCNN.v2", "spacy.MaxoutWindowEncoder.v2")
_OF_ONE_TOKEN = (
    "spacy.CharacterEmbed.v2",
    "spacy.MultiHashEmbed.v2",
    "spacy.StaticVectors.v2",
    "spacy.Tagger.v1",
    "spacy.Tagger.v2",
    "spacy.Tok2Vec.v2",
)
_LISTENER = "spacy.Tok2VecListener.v1"
# Attributes that a token has by its letters; SPACY, whether a space follows, is of one token more.
_OF_LETTERS = ("LOWER", "NORM", "ORTH", "PREFIX", "SHAPE", "SUFFIX")


def architectures(section: Section) -> Iterator[str]:
    """Yield the names of a model's architectures, also of those within others."""
    if _NAME in section:
        yield section[_NAME]
    for inner in section.values():
        if isinstance(inner, Mapping):
            yield from architectures(inner)


def listens(section: Section) -> bool:
    """Return whether a model reads what another component of its pipeline encodes."""
    return any("Listener" in name for name in architectures(section))


def reach_of(model: Section, heard: Sequence[Section]) -> int | None:
    """Return how many tokens to either side a model's result depends on; None: on any of the text.

    Args:
        model: its section of a configuration, without gaps.
        heard: those of the components that it may listen to.
    """
    name = model.get(_NAME)
    if name == _LISTENER:
        reaches = [reach_of(section, ()) for section in heard]
        return None if not reaches or None in reaches else max(reach for reach in reaches if reach is not None)
    further = _further(model)
    if name not in (*_CONVOLUTIONS, *_OF_ONE_TOKEN) or further is None:
        return None
    total = further + (int(model["depth"]) * int(model["window_size"]) if name in _CONVOLUTIONS else 0)
    for inner in model.values():
        if isinstance(inner, Mapping):
            reach = reach_of(inner, heard)
            if reach is None:
                return None
            total += reach
    return total


def _further(model: Section) -> int | None:
    """Return how far the attributes look that a model embeds; None if that is not known."""
    attributes = {str(name).upper() for name in (*model.get("attrs", ()), *filter(None, (model.get("feature"),)))}
    if not attributes <= {*_OF_LETTERS, "SPACY"}:
        return None
    return int("SPACY" in attributes)


_UNUSED_NAMES = (
    "ner beam_ner entity_linker entity_ruler span_ruler spancat spancat_singlelabel span_finder textcat "
    "textcat_multilabel"
)
_UNUSED = frozenset(_UNUSED_NAMES.split())
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


# Docs that spaCy puts into one matrix product: more overflow the cache. Tags do not depend on it.
BATCH_DOCS = 32

# Strings kept for good beyond those that the model brings: about 100 MB.
MAX_NEW_STRINGS = 200_000


def prepare(
    argument: str, resolve: Resolve | None = None, layers: tuple[str, ...] = (), *, tags_alone: bool = False
) -> tuple[EngineInfo, Callable[[], Annotate]]:
    """Return the description of the pipeline `argument`, and the function that loads it.

    With `tags_alone` it does as little as parts of speech need, and sets sentences in a quick way: tags are the same,
    there are no lemmas, and sentence borders may differ.

    Raises:
        UsageError: there is no such package or folder, the folder is not a spaCy pipeline, or the pipeline
            lacks what a layer needs.
    """
    folder = _folder(argument, resolve)
    name = f"spacy:{os.path.basename(os.path.normpath(argument))}"
    try:
        setup = setup_of(folder, name, layers, tags_alone=tags_alone)
    except LexbeamError:
        raise
    except Exception as error:  # whatever spaCy does with the files of others
        raise LexbeamError(
            f"the spaCy model in {folder!r} cannot be read: {cause_of(error)}. It may be "
            f"damaged, or need another version of spaCy than {versions('spacy').partition('=')[2]}"
        ) from error
    info = EngineInfo(
        name=name,
        language=setup.language,
        fingerprint=f"{versions('spacy', 'thinc')} model={model_digest(folder)[:32]}",
        has_upos=setup.has_upos,
        has_lemmas=setup.has_lemmas,
        reach=setup.reach,
        model=tuple((entry.name, entry.path) for entry in files.list_files(folder)),
    )

    read = functools.partial(sentences_of, lemmas=setup.has_lemmas, upos=setup.has_upos, kind="spacy", layers=layers)
    return info, lambda: annotating(_load(folder, setup), read)


def versions(*distributions: str) -> str:
    """Return `name=version` of installed distributions, separated by spaces."""
    return " ".join(f"{name}={importlib.metadata.version(name)}" for name in distributions)


# Languages whose models of spaCy are trained on pages of the web.
_OF_WEB = ("en", "zh")


def _folder(argument: str, resolve: Resolve | None) -> str:
    from spacy import util

    if resolve is None and util.is_package(argument):
        package = str(util.get_package_path(argument))
        meta = util.load_meta(os.path.join(package, "meta.json"))
        return os.path.join(package, f"{meta['lang']}_{meta['name']}-{meta['version']}")
    folder = resolve(argument) if resolve else os.path.expanduser(argument)
    if not os.path.isdir(folder):
        installed = sorted(util.get_installed_models())
        name, code = os.path.basename(argument), language_of(argument)
        if code is not None:  # of which there are several models
            name = f"{code}_core_{'web' if code in _OF_WEB else 'news'}_sm"
        raise UsageError(
            f"no spaCy model {argument!r}, neither an installed package nor a folder"
            f"{nearest(argument, installed)}; installed: {', '.join(installed) or 'none'}. "
            "Name one of these, a folder, or install it, if spaCy has one of this name (python -m spacy download "
            f"{name})"
        )
    for name in ("meta.json", "config.cfg"):
        if not os.path.isfile(os.path.join(folder, name)):
            raise UsageError(
                f"{argument!r} is not a spaCy pipeline: {name} is missing; name the folder that "
                "nlp.to_disk or `spacy train` wrote"
            )
    return folder


def _load(folder: str, setup: Setup) -> Any:
    import spacy

    if not _is_of_spacy_alone(folder):
        restore_torch()
    try:
        order = {"nlp": {"pipeline": setup.order}}
        nlp = spacy.load(folder, exclude=setup.exclude, config=order)
    except Exception as error:  # whatever spaCy does with the files of others
        raise LexbeamError(
            f"the spaCy model in {folder!r} cannot be loaded: {cause_of(error)}. It may be "
            "damaged, or need another version "
            f"of spaCy than {spacy.__version__}, or a package with its own components"
        ) from error
    for name in setup.enable:
        nlp.enable_pipe(name)
    if setup.add_sentencizer:
        nlp.add_pipe("sentencizer")
    return nlp


def _is_of_spacy_alone(folder: str) -> bool:
    """Return whether a pipeline has components and architectures of spaCy alone, which need no torch."""
    from spacy import util

    components = util.load_config(os.path.join(folder, "config.cfg"))["components"]
    of_others = importlib.metadata.entry_points(group="spacy_factories").names
    if any(component.get("factory") in of_others for component in components.values()):
        return False
    return all(name.startswith(("spacy.", "spacy-legacy.")) for name in architectures(components))


def zones(nlp: Any) -> Callable[[], AbstractContextManager[Any]]:
    """Return a function that gives the context in which Docs of `nlp` are to be made and used."""
    limit = len(nlp.vocab.strings) + MAX_NEW_STRINGS

    def zone() -> AbstractContextManager[Any]:
        return nlp.memory_zone() if len(nlp.vocab.strings) > limit else nullcontext()

    return zone


class ReadDoc(NamedTuple):
    """A Doc with the place of each token: in its own text, or in the one before mapping."""

    doc: Any
    starts: list[int]
    ends: list[int]


def read_docs(nlp: Any, paragraphs: Sequence[str], map_form: MapForm | None) -> Iterator[ReadDoc]:
    """Run `nlp` over paragraphs, in order; with `map_form`, on the mapped words of their tokens."""
    if map_form is None:
        for doc in nlp.pipe(paragraphs, batch_size=BATCH_DOCS):
            yield ReadDoc(doc, *_places(doc))
        return
    from spacy.tokens import Doc

    originals = [nlp.tokenizer(paragraph) for paragraph in paragraphs]
    places = [_places(doc) for doc in originals]
    mapped = [
        Doc(nlp.vocab, words=[map_form(token.text) for token in doc], spaces=[bool(token.whitespace_) for token in doc])
        for doc in originals
    ]
    for doc, place in zip(nlp.pipe(mapped, batch_size=BATCH_DOCS), places, strict=True):
        yield ReadDoc(doc, *place)


def annotating(nlp: Any, sentences: Callable[[ReadDoc], list[Sentence]]) -> Annotate:
    """Return what gives the sentences of the Docs that `nlp` makes of paragraphs."""
    zone = zones(nlp)

    def annotate(paragraphs: Sequence[str], map_form: MapForm | None = None) -> list[list[Sentence]]:
        with zone():
            return [sentences(read) for read in read_docs(nlp, paragraphs, map_form)]

    return annotate


def _places(doc: Any) -> tuple[list[int], list[int]]:
    from spacy.attrs import IDX, LENGTH

    starts, lengths = doc.to_array([IDX, LENGTH]).T.tolist()
    return starts, [start + length for start, length in zip(starts, lengths, strict=True)]


def sentences_of(read: ReadDoc, *, lemmas: bool, upos: bool, kind: str, layers: tuple[str, ...] = ()) -> list[Sentence]:
    """Return the sentences of a Doc, whitespace tokens and empty sentences left out.

    If the pipeline left a lemma empty, it is the form; a part of speech, `X`. Without `lemmas` or `upos`
    the list is None. Layers are those of an engine of this kind.
    """
    from spacy.attrs import IS_SPACE, LEMMA, ORTH, POS, SENT_START

    doc, starts, ends = read
    if not starts:
        return []
    strings = doc.vocab.strings
    # One array of all columns: a tenth of the time that token attributes take.
    orths, lemma_ids, pos_ids, begins, spaces = doc.to_array([ORTH, LEMMA, POS, SENT_START, IS_SPACE]).T.tolist()
    forms = [strings[orth] for orth in orths]
    lemma_list = (
        [strings[lemma] if lemma else form for lemma, form in zip(lemma_ids, forms, strict=True)] if lemmas else None
    )
    upos_list = [strings[pos] if pos else "X" for pos in pos_ids] if upos else None
    borders = [index for index, begin in enumerate(begins) if begin == 1 and index] + [len(forms)]
    if not any(spaces):
        return [
            Sentence(
                forms[first:last],
                lemma_list[first:last] if lemma_list else None,
                upos_list[first:last] if upos_list else None,
                starts[first:last],
                ends[first:last],
                values_of(layers, kind, doc[first:last]) if layers else (),
            )
            for first, last in pairwise([0, *borders])
        ]
    sentences = []
    for first, last in pairwise([0, *borders]):
        keep = [index for index in range(first, last) if not spaces[index]]
        if keep:
            sentences.append(
                Sentence(
                    [forms[index] for index in keep],
                    [lemma_list[index] for index in keep] if lemma_list else None,
                    [upos_list[index] for index in keep] if upos_list else None,
                    [starts[index] for index in keep],
                    [ends[index] for index in keep],
                    values_of(layers, kind, [doc[index] for index in keep]) if layers else (),
                )
            )
    return sentences
