"""An encoder that a command uses: its options, its description, and what of them decides an artefact."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import NamedTuple

from lexbeam.transforms.lexicon.encoders.base import describe_encoder, kind_of
from lexbeam.transforms.lexicon.encoders.options import EncoderOptions, layers_of
from lexbeam.transforms.lexicon.encoders.records import EncoderInfo


class Encoding(NamedTuple):
    """An encoder that is used.

    Attributes:
        options: which encoder, and how it is used.
        info: its description.
        scorings: entries of `scoring.SCORINGS` by which it scores words.
    """

    options: EncoderOptions
    info: EncoderInfo
    scorings: tuple[str, ...] = ()

    def chosen(self) -> Mapping[str, Sequence[str]]:
        """Return the entries of registries that count, for `Stage.chosen`."""
        base = "lexbeam.transforms.lexicon.encoders"
        return {
            f"{base}.base:ENCODERS": [kind_of(str(self.options.encoder))[0]],
            f"{base}.vectors:POOLINGS": [self.options.pooling],
            f"{base}.scoring:SCORINGS": list(self.scorings),
        }

    def described(self) -> Mapping[str, str]:
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
        UsageError: the extra is not installed, there is no model, or it lacks the layers.
    """
    names = [field.name for field in fields(EncoderOptions)]
    bare = EncoderOptions(**{name: getattr(options, name) for name in names})
    info = describe_encoder(str(bare.encoder))
    layers_of(bare.layers, info.layers)
    return Encoding(bare, info)
