"""How far a spaCy pipeline looks: how many tokens to either side decide a token's part of speech.

What embeds a token, and what tags it, sees that token alone; what encodes tokens in between sees, if it is a
convolution over windows (spaCy's default), `depth * window_size` tokens to either side: "the receptive field of the
CNN" in spaCy's documentation of `spacy.HashEmbedCNN`. Recurrent encoders and transformers see the whole text, and of
an architecture that is not known here the same is assumed.

    >>> cnn = {"@architectures": "spacy.HashEmbedCNN.v2", "depth": 4, "window_size": 1}
    >>> reach_of({"@architectures": "spacy.Tagger.v2", "tok2vec": cnn}, [])
    4
    >>> lstm = {"@architectures": "spacy.TorchBiLSTMEncoder.v1", "depth": 1}
    >>> reach_of({"@architectures": "spacy.Tagger.v2", "tok2vec": lstm}, [])
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

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
