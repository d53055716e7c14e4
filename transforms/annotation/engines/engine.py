"""Annotation engines: their description, their loaded form, and how they are prepared.

An engine module has a function `prepare(argument, resolve, layers)`. It checks, without loading a
model, that everything the engine and the layers need is there, and returns an `EngineInfo` and a
function that loads the model and returns an `Annotate`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from lexbeam.transforms.common.store.batches import Sentence
from lexbeam.transforms.common.store.models import ModelFiles

# Maps a token's form before anything but the tokeniser has seen it.
MapForm = Callable[[str], str]

# Maps a model as named to a folder on this machine.
Resolve = Callable[[str], str]


class Annotate(Protocol):
    """Turn paragraphs into sentences: one list of sentences for each paragraph.

    Whitespace is not a token, no sentence is empty, and offsets are code points within the
    paragraph. With `map_form`, each token's form is replaced by `map_form(form)` before it is
    tagged; forms are then the mapped ones, while offsets stay those of the paragraph. Sentences
    have the layers for which the engine was prepared; nothing else in them depends on layers.
    """

    def __call__(self, paragraphs: Sequence[str], map_form: MapForm | None = None) -> list[list[Sentence]]:
        """Return the sentences of each paragraph."""


@dataclass(frozen=True, kw_only=True)
class EngineInfo:
    """What can be said of an engine without loading its model.

    `name` is its specification with a folder shortened to the folder's name; `language` an
    ISO 639 code, or None for a model of many languages. `fingerprint` holds library versions and
    the digest of the model's files, and no path: equal fingerprints promise equal annotation.
    `reach` is how many tokens to either side a part of speech depends on; None: on any of the text.
    `model` are the files of a model that can travel to workers, by their names in its folder.
    """

    name: str
    language: str | None
    fingerprint: str
    has_upos: bool
    has_lemmas: bool
    reach: int | None = None
    model: ModelFiles = ()


@dataclass(frozen=True, kw_only=True)
class Engine:
    """A loaded engine: the fields of `EngineInfo` and the function that annotates."""

    name: str
    language: str | None
    fingerprint: str
    has_upos: bool
    has_lemmas: bool
    annotate: Annotate
    reach: int | None = None


Prepare = Callable[[str, Resolve | None, tuple[str, ...]], tuple[EngineInfo, Callable[[], Annotate]]]
