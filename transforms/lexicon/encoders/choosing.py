"""Choices: how probable a multiple-choice model finds each of several texts after a first one.

A sequence is the first text and a choice, as the model's tokenizer frames two texts. If one is too
long, the first text loses its end, the same for each choice; a choice is never cut.
"""

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.lexicon.encoders.batches import batches, framed, greatest_length
from lexbeam.transforms.lexicon.encoders.records import TOO_LONG, Encoder, EncoderInfo


def check_choices(info: EncoderInfo) -> None:
    """Check that a model chooses.

    Raises:
        UsageError: the model does not.
    """
    if not info.choices:
        raise UsageError(
            f"encoder {info.name!r} is no multiple-choice model: name one whose config.json has an "
            "architecture ...ForMultipleChoice"
        )


def choose(
    encoder: Encoder, first: str, choices: list[str], *, max_length: int | None = None
) -> npt.NDArray[np.float64] | str:
    """Return the probabilities of choices, float64, or the reason why there are none.

    Each question goes through the model by itself: padding would change the last bits.

    Args:
        encoder: a multiple-choice model.
        first: the text that all sequences begin with.
        choices: the other texts, at least one.
        max_length: pieces of a sequence, special ones included; None: what the model takes.

    Returns:
        The softmax of the model's scores; `too_long` where a choice does not fit by itself.

    Raises:
        UsageError: the model is not a multiple-choice model.
        LexbeamError: it takes fewer pieces.
    """
    check_choices(encoder.info)
    assert encoder.choices is not None
    assert encoder.pair is not None
    before, *others = (pieces.ids for pieces in encoder.split([first, *choices]))
    room = greatest_length(encoder.info, max_length) - encoder.pair.length
    left = room - max(map(len, others))
    if left < 0:
        return TOO_LONG
    sequences = [framed(encoder.pair, choice, before[:left]) for choice in others]
    scores = np.zeros(len(choices))
    for order, batch in batches(sequences, len(choices), encoder.padding):
        scores[order] = encoder.choices(batch)
    scores -= scores.max()
    probabilities: npt.NDArray[np.float64] = np.exp(scores) / np.exp(scores).sum()
    return probabilities
