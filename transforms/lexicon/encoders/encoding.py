"""An encoder that a command uses: which, what of it, and what of that decides an artefact."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from transforms.lexicon.encoders.base import describe_encoder, kind_of
from transforms.lexicon.encoders.options import EncoderOptions, layers_of
from transforms.lexicon.encoders.records import EncoderInfo

__all__ = ["Encoding", "encoding_of"]


class Encoding(NamedTuple):
    """An encoder that is used.

    Attributes:
        options: which, and what of it.
        info: what it is.
        scorings: how words are scored with it, entries of `scoring.SCORINGS`.
    """

    options: EncoderOptions
    info: EncoderInfo
    scorings: tuple[str, ...] = ()

    def chosen(self) -> Mapping[str, Sequence[str]]:
        """Return the entries of registries that count, for `Stage.chosen`."""
        base = "transforms.lexicon.encoders"
        return {
            f"{base}.base:ENCODERS": [kind_of(str(self.options.encoder))[0]],
            f"{base}.pooling:POOLINGS": [self.options.pooling],
            f"{base}.scoring:SCORINGS": list(self.scorings),
        }

    def described(self) -> Mapping[str, Any]:
        """Return what a manifest says."""
        return {
            "kind": "encoder",
            "name": self.info.name,
            "digest": self.info.digest,
            "layers": self.options.layers,
            "pooling": self.options.pooling,
        }


def encoding_of(options: EncoderOptions) -> Encoding:
    """Return the encoder that options name.

    Raises:
        UsageError: the extra is not installed, there is no model, or it has not these layers.
    """
    names = [field.name for field in fields(EncoderOptions)]
    own = EncoderOptions(**{name: getattr(options, name) for name in names})
    info = describe_encoder(str(own.encoder))
    layers_of(own.layers, info.layers)
    return Encoding(own, info)
