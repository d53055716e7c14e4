"""Choices: how probable a multiple-choice model finds each of several texts beside a first one.

A sequence is the first text and one choice, as the model's tokenizer frames two texts. What is too
long loses the end of the first text, the same of it beside each choice; a choice is never cut.
"""

import numpy as np

from transforms.common.errors import UsageError
from transforms.lexicon.encoders.batches import batches, framed, greatest_length
from transforms.lexicon.encoders.records import TOO_LONG, Encoder, EncoderInfo

__all__ = ["check_choices", "choose"]


def check_choices(info: EncoderInfo) -> None:
    """Check that a model chooses.

    Raises:
        UsageError: it does not.
    """
    if not info.choices:
        raise UsageError(
            f"encoder {info.name!r} is no multiple-choice model: name one whose config.json has an "
            "architecture ...ForMultipleChoice"
        )


def choose(encoder: Encoder, first: str, choices: list[str], *, max_length: int | None = None) -> np.ndarray | str:
    """Return the probabilities of choices, float64, or a reason for which there are none.

    Each question goes through the model by itself: padding beside longer ones would change the
    last bits.

    Args:
        encoder: a multiple-choice model.
        first: the text that all sequences begin with.
        choices: the others, one at least.
        max_length: pieces of a sequence, special ones included; None: what the model takes.

    Returns:
        The softmax of the model's scores; `too_long` where a choice does not fit by itself.

    Raises:
        UsageError: the model is none of multiple choice.
        LexbeamError: it takes fewer pieces.
    """
    check_choices(encoder.info)
    assert encoder.choices is not None
    assert encoder.pair is not None
    before, *others = (pieces.ids for pieces in encoder.split([first, *choices]))
    room = greatest_length(encoder.info, max_length) - encoder.pair.length
    left = room - max(len(own) for own in others)
    if left < 0:
        return TOO_LONG
    sequences = [framed(encoder.pair, own, before[:left]) for own in others]
    scores = np.zeros(len(choices))
    for order, batch in batches(sequences, len(choices), encoder.padding):
        scores[order] = encoder.choices(batch)
    scores -= scores.max()
    found: np.ndarray = np.exp(scores) / np.exp(scores).sum()
    return found
