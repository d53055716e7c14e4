"""Options of encoders, for a command to embed: `encoder: EncoderOptions = embedded(...)`."""

import re
from dataclasses import dataclass

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.lexicon.encoders.base import check_encoder, path_of

DEVICES = ("auto", "cpu", "cuda")

_LAYERS = re.compile(r"(-?\d+)(?:\.\.(-?\d+))?")


def check_layers(text: str) -> None:
    """Check the form of a choice of layers.

    Raises:
        UsageError: it is malformed.
    """
    if not all(_LAYERS.fullmatch(part.strip()) for part in text.split(",")):
        raise UsageError(
            f"`encoder_layers` cannot be {text!r}: give layers, such as -1, or -4..-1, or 1,2 "
            "(0 is the embeddings, -1 the last layer)"
        )


def layers_of(text: str, layers: int) -> tuple[int, ...]:
    """Return the layers that a choice names, of an encoder with `layers` layers, in ascending order.

    >>> layers_of("-1", 12), layers_of("-4..-1", 12), layers_of("0,2", 12)
    ((12,), (9, 10, 11, 12), (0, 2))

    Raises:
        UsageError: it names a layer that does not exist.
    """
    check_layers(text)
    chosen: set[int] = set()
    for part in text.split(","):
        match = _LAYERS.fullmatch(part.strip())
        assert match is not None
        first, last = (
            number if (number := int(end)) >= 0 else layers + 1 + number for end in (match[1], match[2] or match[1])
        )
        if not 0 <= first <= last <= layers:
            raise UsageError(
                f"`encoder_layers` {text!r} names layers that are not there, or a range that runs "
                f"backwards: the encoder has 0 (embeddings) to {layers}, or -{layers + 1} to -1"
            )
        chosen.update(range(first, last + 1))
    return tuple(sorted(chosen))


@dataclass(frozen=True, kw_only=True)
class EncoderOptions:
    """Which encoder, and how it is used."""

    encoder: str | None = option(
        None,
        help="masked language model or encoder: a folder as save_pretrained writes it, or KIND:ARGUMENT",
        metavar="FOLDER",
        path="place",
        within=path_of,
        check=check_encoder,
    )
    layers: str = option(
        "-1",
        name="encoder_layers",
        help="layers whose mean is a piece's vector: -1 (the last), -4..-1, 0,1 (0: embeddings)",
        check=check_layers,
    )
    pooling: str = option(
        "mean",
        name="encoder_pooling",
        help="how a span's pieces become one vector",
        choices="lexbeam.transforms.lexicon.encoders.vectors:POOLINGS",
    )
    max_length: int | None = option(
        None,
        name="encoder_length",
        help="pieces kept of a longer text, around the target; special ones count; default: what the model takes",
        least=8,
    )
    batch_size: int = option(
        32, name="encoder_batch", help="texts of a document that go through the model at once", least=1
    )
    device: str = option(
        "auto",
        name="encoder_device",
        help="where the encoder runs; auto: a CUDA device if there is one, else the CPU",
        choices=DEVICES,
    )


DEFAULTS = EncoderOptions()
