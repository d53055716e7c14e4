r"""Annotation of documents: text in, sentences with lemmas and universal parts of speech out.

A document is annotated by paragraph (border: a line of whitespace only), so that no sentence
crosses one and no engine meets a text longer than it takes. Within a paragraph each run of
whitespace is shown to the engine as one space, since models are trained on running text and take a
line break for a word; offsets are restored to the document. What an engine sees at once depends on
the document alone, so that nothing depends on how documents are dealt out to workers.

    >>> from transforms.annotation.engines.registry import annotate_text, load_engine
    >>> engine = load_engine("builtin:en")
    >>> for sentence in annotate_text("The cats\nsat. They\n\nslept.", engine):
    ...     print(sentence.lemmas, sentence.starts)
    ['the', 'cat', 'sit', '.'] [0, 4, 9, 12]
    ['they'] [14]
    ['sleep', '.'] [20, 25]
"""

import functools
import re
import threading
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from transforms.annotation.engines import builtin, spacy, stanza
from transforms.annotation.engines.engine import Annotate, Engine, EngineInfo, MapForm, Prepare, Resolve
from transforms.annotation.engines.normalise import NormalisationRules
from transforms.common.code.registry import Entry, Registry
from transforms.common.errors import UsageError, nearest
from transforms.common.heap import keep_freed_memory
from transforms.common.records import Sentence
from transforms.layers.registry import check_layers

__all__ = [
    "ENGINES",
    "MAX_PARAGRAPH",
    "Engine",
    "EngineInfo",
    "EngineKind",
    "annotate_text",
    "check_engine",
    "describe_engine",
    "load_engine",
    "load_splitter",
    "load_tagger",
    "split_paragraphs",
]

# Code points: longer paragraphs are cut. A piece and a batch of pieces fit in modest memory.
MAX_PARAGRAPH = 50_000
MAX_BATCH = 100_000
# spaCy takes punctuation off a word sign by sign, and copies the word each time: a second for
# 3,000 signs. Where a stretch without a space is as long as `LONGEST_RUN`, parts of it with fewer
# letters, digits and combining marks than this share are cut into pieces; scripts without spaces
# and encoded addresses have more.
LONGEST_RUN = 400
LEAST_WORDLIKE = 0.6
MAZE_PIECE = 50
_UNBROKEN = re.compile(rf"\S{{{LONGEST_RUN},}}")

_BORDER = re.compile(r"\n(?:[^\S\n]*\n)+")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]]*\s+")
_SPACE = re.compile(r"\s+")
_UNEVEN = re.compile(r"\s{2,}|[^\S ]")


def check_engine(spec: str) -> None:
    """Check what a specification tells by itself; `none` is one, too.

    Raises:
        UsageError: it names no engine, or an engine without what it needs.
    """
    kind, _, argument = spec.partition(":")
    if kind == "none":
        return
    if kind not in ENGINES:
        raise UsageError(
            f"unknown engine {kind!r} in {spec!r}{nearest(kind, [*ENGINES, 'none'])} "
            f"(engines: {', '.join(sorted([*ENGINES, 'none']))})"
        )
    if not argument:
        raise UsageError(f"engine {spec!r} names no {ENGINES[kind].argument}: {kind}:...")


def describe_engine(spec: str, *, resolve: Resolve | None = None, layers: tuple[str, ...] = ()) -> EngineInfo:
    """Return what an engine is, without loading its model.

    Args:
        spec: engine and argument, such as `builtin:en` or `spacy:NAME_OR_PATH`.
        resolve: maps a model's path as named to a folder on this machine.
        layers: layers that it is to give.

    Raises:
        UsageError: the specification is wrong, a package or model it needs is missing, or it
            cannot give a layer.
    """
    return _prepare(spec, resolve, layers)[0]


def _prepare(spec: str, resolve: Resolve | None, layers: tuple[str, ...]) -> tuple[EngineInfo, Callable[[], Annotate]]:
    kind, _, argument = spec.partition(":")
    if kind == "none":
        raise UsageError("engine 'none' keeps the annotation that the input brings: there is nothing to load")
    check_engine(spec)
    check_layers(layers, (kind,), f"engine {spec!r}")
    return ENGINES[kind].prepare(argument, resolve, layers)


_LOADED: dict[tuple[str, tuple[str, ...]], Engine] = {}
_TAGGERS_LOADED: dict[str, Engine] = {}
_LOADING = threading.Lock()


def load_engine(spec: str, *, resolve: Resolve | None = None, layers: tuple[str, ...] = ()) -> Engine:
    """Return an engine with its model loaded, once per process, specification and layers.

    Its `annotate` may be called from several threads; they take turns.

    Raises:
        UsageError: as `describe_engine`.
        LexbeamError: the model is there but cannot be loaded.
    """
    with _LOADING:
        if (spec, layers) not in _LOADED:
            _LOADED[spec, layers] = _loaded(*_prepare(spec, resolve, layers))
        return _LOADED[spec, layers]


def load_tagger(spec: str) -> Engine:
    """Return an engine for tokens and parts of speech, once per process and specification.

    They are those of `load_engine`. It may have no lemmas and other sentences, and is quicker then.

    Raises:
        UsageError: as `describe_engine`.
        LexbeamError: the model is there but cannot be loaded.
    """
    kind, _, argument = spec.partition(":")
    prepare = ENGINES[kind].prepare_tagger if kind in ENGINES else None
    if prepare is None:
        return load_engine(spec)
    with _LOADING:
        if spec not in _TAGGERS_LOADED:
            _TAGGERS_LOADED[spec] = _loaded(*prepare(argument, None, ()))
        return _TAGGERS_LOADED[spec]


def _loaded(info: EngineInfo, load: Callable[[], Annotate]) -> Engine:
    keep_freed_memory()
    return Engine(
        name=info.name,
        language=info.language,
        fingerprint=info.fingerprint,
        has_upos=info.has_upos,
        has_lemmas=info.has_lemmas,
        annotate=_taking_turns(load()),
    )


@functools.lru_cache(8)
def load_splitter(language: str | None) -> Engine:
    """Return an engine that splits text into sentences and forms, by the rules of a language.

    They are those of `builtin`, which need no model; of a language that has none, or of None, those
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


def split_paragraphs(text: str) -> list[tuple[int, str]]:
    r"""Return the paragraphs of `text` with their offsets in code points.

    A border is one or more lines that are empty or whitespace only. Paragraphs carry no whitespace
    at either end; there are no empty ones.

    >>> split_paragraphs("  One\ntwo. \n \n\nThree.")
    [(2, 'One\ntwo.'), (15, 'Three.')]
    """
    paragraphs = []
    start = 0
    ends = [(border.start(), border.end()) for border in _BORDER.finditer(text)]
    for end, following in [*ends, (len(text), len(text))]:
        body = text[start:end].lstrip()
        if stripped := body.rstrip():
            paragraphs.append((end - len(body), stripped))
        start = following
    return paragraphs


def annotate_text(text: str, engine: Engine, *, normalise: NormalisationRules | None = None) -> list[Sentence]:
    """Annotate a document.

    Args:
        text: the document; offsets are counted in its code points.
        engine: a loaded engine.
        normalise: rules that map forms before tagging and lemmas after it.

    Returns sentences in document order. A list is None where the engine has none (`lemmas`,
    `upos`). With form rules, `forms` are the mapped ones and the offsets those of the original.
    """
    map_form = normalise.form if normalise and normalise.maps_forms else None
    map_lemma = normalise.lemma if normalise and normalise.maps_lemmas else None
    sentences = []
    for batch in _batches(_pieces(text)):
        annotated = engine.annotate([piece.text for piece in batch], map_form)
        for piece, group in zip(batch, annotated, strict=True):
            for sentence in group:
                lemmas = sentence.lemmas
                if map_lemma and lemmas is not None:
                    lemmas = [map_lemma(lemma) for lemma in lemmas]
                starts, ends = _restored(piece, sentence)
                sentences.append(sentence._replace(lemmas=lemmas, starts=starts, ends=ends))
    return sentences


class _Piece(NamedTuple):
    """A piece of a document as the engine sees it, and the way back to the document.

    From code point `marks[i]` of `text` on, the document's offset is larger by `shifts[i]`.
    """

    text: str
    marks: list[int]
    shifts: list[int]


def _pieces(text: str) -> Iterator[_Piece]:
    for offset, paragraph in split_paragraphs(text):
        start = 0
        while len(paragraph) - start > MAX_PARAGRAPH:
            end = start + _cut(paragraph[start : start + MAX_PARAGRAPH])
            yield from _without_mazes(offset + start, paragraph[start:end])
            start = end
        yield from _without_mazes(offset + start, paragraph[start:])


def _without_mazes(offset: int, raw: str) -> Iterator[_Piece]:
    """Cut what tokenisers take quadratic time for: long stretches of marks without a space."""
    start = 0
    for run in _UNBROKEN.finditer(raw):
        for window in range(run.start(), run.end(), LONGEST_RUN):
            end = min(window + LONGEST_RUN, run.end())
            wordlike = sum(unicodedata.category(char)[0] in "LNM" for char in raw[window:end])
            if wordlike < LEAST_WORDLIKE * (end - window):
                for cut in range(window, end, MAZE_PIECE):
                    yield from _piece(offset + start, raw[start:cut])
                    start = cut
    yield from _piece(offset + start, raw[start:])


def _cut(window: str) -> int:
    """Return where to cut: after the last sentence, else after the last word, else at the end."""
    for pattern in (_SENTENCE_END, _SPACE):
        if ends := [match.end() for match in pattern.finditer(window)]:
            return ends[-1]
    return len(window)


def _piece(offset: int, raw: str) -> Iterator[_Piece]:
    body = raw.lstrip()
    offset += len(raw) - len(body)
    body = body.rstrip()
    if not body:
        return
    marks, shifts = [0], [offset]
    for run in _UNEVEN.finditer(body):
        if (extra := run.end() - run.start() - 1) > 0:
            marks.append(run.end() + offset - shifts[-1] - extra)
            shifts.append(shifts[-1] + extra)
    yield _Piece(_SPACE.sub(" ", body), marks, shifts)


def _restored(piece: _Piece, sentence: Sentence) -> tuple[list[int] | None, list[int] | None]:
    starts, ends = sentence.starts, sentence.ends
    if starts is None or ends is None:
        return None, None
    marks, shifts = piece.marks, piece.shifts
    shift = shifts[bisect_right(marks, starts[0]) - 1]
    if shift == shifts[bisect_right(marks, ends[-1] - 1) - 1]:
        shifted = shift.__add__  # called in C: a third less time than adding in a loop
        return list(map(shifted, starts)), list(map(shifted, ends))
    # An end is the end of its last character: whitespace after it must not be taken in.
    return (
        [start + shifts[bisect_right(marks, start) - 1] for start in starts],
        [end + shifts[bisect_right(marks, end - 1) - 1] for end in ends],
    )


def _batches(pieces: Iterator[_Piece]) -> Iterator[list[_Piece]]:
    batch: list[_Piece] = []
    size = 0
    for piece in pieces:
        if batch and size + len(piece.text) > MAX_BATCH:
            yield batch
            batch, size = [], 0
        batch.append(piece)
        size += len(piece.text)
    if batch:
        yield batch


@dataclass(frozen=True)
class EngineKind(Entry):
    """A kind of engine.

    Attributes:
        prepare: checks what is needed without loading a model; returns an `EngineInfo` and a loader.
        argument: what stands behind the colon of a specification.
        prepare_tagger: the same for parts of speech alone, where that is quicker.
    """

    prepare: Prepare
    argument: str = "model"
    prepare_tagger: Prepare | None = None


ENGINES: Registry[EngineKind] = Registry(
    {
        "builtin": EngineKind(builtin.prepare, "language", doc="rules and HanTa, for de, en and nl; needs no model"),
        "spacy": EngineKind(spacy.prepare, prepare_tagger=spacy.prepare_tagger, doc="a pipeline of spaCy"),
        "stanza": EngineKind(stanza.prepare, "language", doc="a pipeline of Stanza"),
    },
    what="engine",
    group="lexbeam.engines",
)
