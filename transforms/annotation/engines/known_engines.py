"""The engines by name, and how one is described and loaded, once per process.

engine = load_engine("builtin:en")
sentences = annotate_text(text, engine)     # of `engine`
"""

import functools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lexbeam.transforms.annotation.engines import builtin, spacy, stanza
from lexbeam.transforms.annotation.engines.engine import Annotate, Engine, EngineInfo, MapForm, Prepare, Resolve
from lexbeam.transforms.annotation.engines.segmenters import SEGMENTERS
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.machine import keep_freed_memory
from lexbeam.transforms.common.store.batches import Sentence
from lexbeam.transforms.common.store.models import note_model, taken
from lexbeam.transforms.common.texts.languages import language_of
from lexbeam.transforms.formats.records.layers import check_layers


def stated_engine(spec: str) -> str:
    """Return the specification that a person states, its language as a code: `builtin:en` for `builtin:English`.

    The engine `builtin` has a language whatever the region or script: `builtin:zh` for `builtin:zh-CN`. What names no
    engine or no language, or none of `builtin`, stays as it is, for `check_engine` and `describe_engine`.
    """
    kind, _, argument = spec.strip().partition(":")
    if kind not in ENGINES or ENGINES[kind].argument != "language":
        return spec.strip()
    language, colon, folder = argument.partition(":")
    code = builtin.language_here(language) if kind == "builtin" else language_of(language)
    return f"{kind}:{code or language.strip()}{colon}{folder}" if argument else kind


def check_engine(spec: str) -> None:
    """Check the form of a specification; `none` is one, too.

    Raises:
        UsageError: it names an unknown engine, or lacks the engine's argument.
    """
    kind, _, argument = spec.partition(":")
    if kind == "none":
        return
    if kind not in ENGINES:
        code = None if argument else builtin.language_here(kind)
        hint = f"; did you mean 'builtin:{code}'?" if code else nearest(kind, [*ENGINES, "none"])
        raise UsageError(
            f"unknown engine {kind!r} in {spec!r}{hint} (engines: {', '.join(sorted([*ENGINES, 'none']))})"
        )
    if not argument:
        raise UsageError(
            f"engine {spec!r} names no {ENGINES[kind].argument}: write {kind}:{ENGINES[kind].argument.upper()}"
        )


def chosen_entries(spec: str) -> dict[str, tuple[str, ...]]:
    """Return the entries of registries that an engine uses, see `Step.chosen`: none for `none` and an empty name."""
    kind, _, language = spec.partition(":")
    segments = kind == "builtin" and language in SEGMENTERS
    return {
        "lexbeam.transforms.annotation.engines.known_engines:ENGINES": () if kind in ("", "none") else (kind,),
        "lexbeam.transforms.annotation.engines.segmenters:SEGMENTERS": (language,) if segments else (),
    }


def describe_engine(spec: str, *, resolve: Resolve | None = None, layers: tuple[str, ...] = ()) -> EngineInfo:
    """Return the description of an engine, without loading its model.

    Args:
        spec: engine and argument, such as `builtin:en` or `spacy:NAME_OR_PATH`.
        resolve: maps a model's path as named to a folder on this machine.

    Raises:
        UsageError: the specification is wrong, a package or model it needs is missing, or it
            cannot give a layer.
    """
    info = _prepare(spec, resolve, layers)[0]
    note_model(spec, info.fingerprint, info.model)
    return info


def _prepare(spec: str, resolve: Resolve | None, layers: tuple[str, ...]) -> "_Prepared":
    kind, _, argument = spec.partition(":")
    if kind == "none":
        raise UsageError("engine 'none' keeps the annotation that the input brings: there is nothing to load")
    check_engine(spec)
    check_layers(layers, (kind,), f"engine {spec!r}")
    return ENGINES[kind].prepare(argument, resolve, layers)


_LOADED: dict[tuple[str, tuple[str, ...] | None], Engine] = {}  # by specification and layers; of taggers None
_LOADING = threading.Lock()


def load_engine(
    spec: str, *, resolve: Resolve | None = None, layers: tuple[str, ...] = (), fingerprint: str = ""
) -> Engine:
    """Return an engine with its model loaded, once per process, specification and layers.

    Its `annotate` may be called from several threads; they take turns.

    Args:
        resolve: as for `describe_engine`.
        fingerprint: that of `describe_engine` where the run was started; empty: any will do.

    Raises:
        UsageError: as `describe_engine`.
        LexbeamError: the model is there but cannot be loaded, or the engine has another fingerprint.
    """
    return _held(spec, layers, lambda found: _prepare(spec, found or resolve, layers), fingerprint)


_Prepared = tuple[EngineInfo, Callable[[], Annotate]]


def _held(
    spec: str, layers: tuple[str, ...] | None, prepare: Callable[[Resolve | None], _Prepared], fingerprint: str
) -> Engine:
    def is_another(engine: Engine) -> bool:
        return bool(fingerprint) and fingerprint != engine.fingerprint

    with _LOADING:
        engine = _LOADED.get((spec, layers))
        if engine is None or is_another(engine):  # a model may be replaced while this process lives
            engine = _LOADED[spec, layers] = _loaded(*_wanted(spec, prepare, fingerprint))
    if is_another(engine):
        raise LexbeamError(
            f"engine {spec!r} is another on this machine ({engine.fingerprint}) than where the run was started "
            f"({fingerprint}): install the same lock file, and put the same model at that place, on both"
        )
    return engine


def _wanted(spec: str, prepare: Callable[[Resolve | None], _Prepared], fingerprint: str) -> _Prepared:
    """Return an engine with the model of this machine, or with the driver's if that is wanted and not here."""
    try:
        found = prepare(None)
        if not fingerprint or found[0].fingerprint == fingerprint:
            return found
    except UsageError:
        if not fingerprint or (folder := taken(spec, fingerprint)) is None:
            raise
    else:
        if (folder := taken(spec, fingerprint)) is None:
            return found
    return prepare(lambda _: folder)


def load_tagger(spec: str, *, fingerprint: str = "") -> Engine:
    """Return an engine for tokens and parts of speech, once per process and specification.

    They are the same as with `load_engine`. It may lack lemmas and split sentences in another way, if
    that is faster.

    Args:
        fingerprint: that of `describe_engine` where the run was started; empty: any will do.

    Raises:
        UsageError: as `describe_engine`.
        LexbeamError: the model is there but cannot be loaded, or the engine has another fingerprint.
    """
    kind, _, argument = spec.partition(":")
    prepare = ENGINES[kind].prepare_tagger if kind in ENGINES else None
    if prepare is None:
        return load_engine(spec, fingerprint=fingerprint)
    return _held(spec, None, lambda folder: prepare(argument, folder, ()), fingerprint)


def _loaded(info: EngineInfo, load: Callable[[], Annotate]) -> Engine:
    keep_freed_memory()
    return Engine(**vars(info), annotate=_taking_turns(load()))


@functools.lru_cache(8)
def load_splitter(language: str | None) -> Engine:
    """Return an engine that splits text into sentences and forms, by the rules of a language.

    The rules are those of `builtin`, which need no model; for None, or a language without rules, those
    for any language.
    """
    return Engine(
        name=f"sentences:{language}",
        language=language,
        fingerprint="",
        has_upos=False,
        has_lemmas=False,
        annotate=_taking_turns(builtin.splitting(language)),
    )


def _taking_turns(annotate: Annotate) -> Annotate:
    # A worker process may run several bundles in threads; models and their caches are shared.
    lock = threading.Lock()

    @functools.wraps(annotate)
    def locked(paragraphs: Sequence[str], map_form: MapForm | None = None) -> list[list[Sentence]]:
        with lock:
            return annotate(paragraphs, map_form)

    return locked


@dataclass(frozen=True)
class EngineKind(Entry):
    """A kind of engine.

    Attributes:
        prepare: checks what is needed without loading a model; returns an `EngineInfo` and a loader.
        argument: what stands behind the colon of a specification.
        prepare_tagger: the same for parts of speech alone, if that is faster.
    """

    prepare: Prepare
    argument: str = "model"
    prepare_tagger: Prepare | None = None


ENGINES: Registry[EngineKind] = Registry(
    {
        "builtin": EngineKind(
            builtin.prepare,
            "language",
            prepare_tagger=functools.partial(builtin.prepare, lemmas=False),
            doc="rules and dictionaries of a language, with HanTa for de, en and nl; needs no model",
        ),
        "spacy": EngineKind(
            spacy.prepare, prepare_tagger=functools.partial(spacy.prepare, tags_alone=True), doc="a pipeline of spaCy"
        ),
        "stanza": EngineKind(stanza.prepare, "language", doc="a pipeline of Stanza"),
    },
    what="engine",
    group="lexbeam.engines",
)
