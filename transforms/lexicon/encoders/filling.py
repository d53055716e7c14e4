"""Words for a masked place: the most probable pieces of the vocabulary, with their probabilities.

The probability of a piece is the softmax over the whole vocabulary at the place. Special pieces are
no words and left out; the others keep their probabilities. Pieces that continue a word are kept
with a flag, for the caller to drop them.
"""

from typing import NamedTuple

import numpy as np

from transforms.lexicon.encoders.batches import Framed, batches
from transforms.lexicon.encoders.masking import masked_lm_of, prepare_places, put
from transforms.lexicon.encoders.options import DEFAULTS, EncoderOptions
from transforms.lexicon.encoders.records import Encoder, Spans

__all__ = ["Fills", "fill_mask", "greatest"]


class Fills(NamedTuple):
    """The k most probable pieces of each place, the most probable first, ties by id.

    Attributes:
        words: texts of the pieces, without marks of borders of words; none where there is a reason.
        probabilities: float32 (places, k); not a number where there is a reason.
        continues: bool (places, k): the piece is no word by itself, but continues one (or, where
            pieces are marked that end a word, ends none).
        ids: int64 (places, k): the pieces' ids; -1 where there is a reason.
        reasons: why a place has none: `too_long`; None where it has some.
    """

    words: list[list[str]]
    probabilities: np.ndarray
    continues: np.ndarray
    ids: np.ndarray
    reasons: list[str | None]


def fill_mask(
    encoder: Encoder,
    texts: list[str],
    starts: list[int],
    ends: list[int],
    top_k: int,
    *,
    first: Spans | None = None,
    options: EncoderOptions = DEFAULTS,
) -> Fills:
    """Return the words for `texts[i]` with a mask in place of `[starts[i]:ends[i]]`.

    Args:
        encoder: a masked language model.
        texts: all texts of one document or instance.
        starts: where the places begin; of an empty place the mask is put in.
        ends: where they end.
        top_k: how many; fewer if the vocabulary is smaller.
        first: segments before the texts, with the span that each keeps if it must be cut (an empty
            one at 0 keeps the beginning); `Spans(texts, starts, ends)` are the texts themselves.
        options: the greatest length and the size of batches count.

    Raises:
        LexbeamError: a span is not within its text; the encoder is no masked language model, or
            takes no two segments where there are two.
    """
    model = masked_lm_of(encoder)
    places = prepare_places(encoder, Spans(texts, starts, ends), first, options)
    made = [put(encoder, places, n, [one.ids[one.at]]) for n, one in enumerate(places.masked)]
    numbers = [n for n, one in enumerate(made) if not isinstance(one, str)]
    sequences = [one for one in made if isinstance(one, Framed)]
    found: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for chosen, batch in batches(sequences, options.batch_size, encoder.padding):
        columns = np.array([sequences[job].begin for job in chosen])
        scores = model.log_probs(batch, np.arange(len(chosen)), columns)
        scores[:, sorted(model.special)] = -np.inf
        for job, row in zip(chosen, scores, strict=True):
            best = greatest(row, min(top_k, len(row) - len(model.special)))
            found[numbers[job]] = best, np.exp(row[best])
    width = len(next(iter(found.values()))[0]) if found else top_k
    ids = np.full((len(texts), width), -1, np.int64)
    probabilities = np.full((len(texts), width), np.nan, np.float32)
    for number, (best, values) in found.items():
        ids[number], probabilities[number] = best, values
    pieces = [
        [model.piece(piece, marked) for piece in row if piece >= 0]
        for row, marked in zip(ids.tolist(), places.marked, strict=True)
    ]
    continues = np.zeros(ids.shape, bool)
    for number in found:
        continues[number] = [piece.continues for piece in pieces[number]]
    return Fills(
        words=[[piece.text for piece in row] for row in pieces],
        probabilities=probabilities,
        continues=continues,
        ids=ids,
        reasons=[one if isinstance(one, str) else None for one in made],
    )


def greatest(values: np.ndarray, count: int) -> np.ndarray:
    """Return where the greatest values are, the greatest first, ties in order of their place.

    >>> import numpy as np
    >>> greatest(np.array([1.0, 3.0, 2.0, 3.0, 2.0]), 3).tolist()
    [1, 3, 2]
    """
    if count < 1:
        return np.zeros(0, np.int64)
    least = np.partition(values, len(values) - count)[len(values) - count]
    candidates = np.flatnonzero(values >= least)
    return candidates[np.argsort(-values[candidates], kind="stable")[:count]]
