"""Engine `spacy:NAME_OR_PATH`: a spaCy pipeline, from an installed package or a folder.

Only the components that set sentences, lemmas and parts of speech are run: named entities, categories
and spans are left out, and so is the parser, unless nothing else sets sentences. A `senter` that the
pipeline ships switched off is switched on in the parser's place; if nothing sets sentences, spaCy's
`sentencizer` (sentence-final punctuation) is added.

The components that a layer needs run if options name the layer. Sentences stay the same: the component
that sets them runs before the parser, which respects borders that are set.

spaCy keeps every word that it has met. So that it does not grow over millions of documents, Docs are
made in memory zones, which forget words, once `MAX_NEW_STRINGS` words have been learnt: not sooner,
since spaCy tokenises more slowly without its words. Results are the same.
"""

import importlib.metadata
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import Any, NamedTuple

from lexbeam.transforms.annotation.engines.engine import Annotate, EngineInfo, MapForm, Resolve
from lexbeam.transforms.annotation.engines.spacy_setup import Setup, setup_of
from lexbeam.transforms.common.errors import LexbeamError, UsageError, cause_of, nearest
from lexbeam.transforms.common.spared_imports import restore_torch
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.batches import Sentence
from lexbeam.transforms.common.store.models import model_digest
from lexbeam.transforms.common.texts.languages import language_of
from lexbeam.transforms.layers.registry import values_of

# Docs that spaCy puts into one matrix product: more overflow the cache. Tags do not depend on it.
BATCH_DOCS = 32

# Strings kept for good beyond those that the model brings: about 100 MB.
MAX_NEW_STRINGS = 200_000


def prepare(
    argument: str, resolve: Resolve | None = None, layers: tuple[str, ...] = ()
) -> tuple[EngineInfo, Callable[[], Annotate]]:
    """Return the description of the pipeline `argument`, and the function that loads it.

    Raises:
        UsageError: there is no such package or folder, the folder is not a spaCy pipeline, or the pipeline
            lacks what a layer needs.
    """
    return _prepared(argument, resolve, layers, tags_alone=False)


def prepare_tagger(
    argument: str, resolve: Resolve | None = None, layers: tuple[str, ...] = ()
) -> tuple[EngineInfo, Callable[[], Annotate]]:
    """Do the same as `prepare` with as little as parts of speech need, and with sentences set in a quick way.

    Tags are the same; there are no lemmas, and sentence borders may differ.

    Raises:
        UsageError: as `prepare`.
    """
    return _prepared(argument, resolve, layers, tags_alone=True)


def _prepared(
    argument: str, resolve: Resolve | None, layers: tuple[str, ...], *, tags_alone: bool
) -> tuple[EngineInfo, Callable[[], Annotate]]:
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

    def load() -> Annotate:
        nlp = _load(folder, setup)
        zone = zones(nlp)

        def annotate(paragraphs: Sequence[str], map_form: MapForm | None = None) -> list[list[Sentence]]:
            with zone():
                return [
                    sentences_of(read, lemmas=setup.has_lemmas, upos=setup.has_upos, kind="spacy", layers=layers)
                    for read in read_docs(nlp, paragraphs, map_form)
                ]

        return annotate

    return info, load


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
    return all(name.startswith(("spacy.", "spacy-legacy.")) for name in _architectures(components))


def _architectures(value: Any) -> Iterator[str]:
    for key, inner in value.items() if isinstance(value, Mapping) else ():
        if key == "@architectures":
            yield inner
        yield from _architectures(inner)


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
