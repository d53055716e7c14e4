"""Words for a masked place: the most probable pieces of the vocabulary, with their probabilities.

The probability of a piece is the softmax over the whole vocabulary at the place. Special pieces are
not words and are left out; the others keep their probabilities. Pieces that continue a word have a
flag, so that the caller can drop them.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.lexicon.encoders.batches import Framed, batches
from lexbeam.transforms.lexicon.encoders.masking import masked_lm_of, prepare_places, put
from lexbeam.transforms.lexicon.encoders.options import DEFAULTS, EncoderOptions
from lexbeam.transforms.lexicon.encoders.records import Encoder, Floats, Ints, MaskedLM, Spans


class Fills(NamedTuple):
    """The k most probable pieces of each place, the most probable first, ties by id.

    Attributes:
        words: texts of the pieces, without marks of word borders; none where there is a reason.
        probabilities: float32 (places, k); NaN where there is a reason.
        continues: bool (places, k): the piece is not a word by itself, but continues one (or does
            not end one, if pieces that end a word are marked).
        ids: int64 (places, k): the pieces' ids; -1 where there is a reason.
        reasons: why a place has no words: `too_long`; None where it has words.
    """

    words: list[list[str]]
    probabilities: Floats
    continues: npt.NDArray[np.bool_]
    ids: Ints
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
        starts: where the places begin; at an empty place the mask is inserted.
        ends: where they end.
        top_k: how many; fewer if the vocabulary is smaller.
        first: segments before the texts, with the span that each keeps if it must be cut (an empty
            span at 0 keeps the beginning); `Spans(texts, starts, ends)` are the texts themselves.
        options: the greatest length and the size of batches are used.

    Raises:
        LexbeamError: a span is not within its text; the encoder is not a masked language model, or
            takes no pairs although there are first segments.
    """
    model = masked_lm_of(encoder)
    places = prepare_places(encoder, Spans(texts, starts, ends), first, options)
    sequences = [put(encoder, places, number, [text.ids[text.at]]) for number, text in enumerate(places.masked)]
    best = _best(encoder, model, sequences, top_k, options.batch_size)
    width = len(next(iter(best.values()))[0]) if best else top_k
    ids = np.full((len(texts), width), -1, np.int64)
    probabilities = np.full((len(texts), width), np.nan, np.float32)
    for number, (pieces_of_place, values) in best.items():
        ids[number], probabilities[number] = pieces_of_place, values
    pieces = [
        [model.piece(piece, marked) for piece in row if piece >= 0]
        for row, marked in zip(ids.tolist(), places.marked, strict=True)
    ]
    continues = np.zeros(ids.shape, bool)
    for number in best:
        continues[number] = [piece.continues for piece in pieces[number]]
    return Fills(
        words=[[piece.text for piece in row] for row in pieces],
        probabilities=probabilities,
        continues=continues,
        ids=ids,
        reasons=[sequence if isinstance(sequence, str) else None for sequence in sequences],
    )


def _best(
    encoder: Encoder, model: MaskedLM, sequences: list[Framed | str], top_k: int, batch_size: int
) -> dict[int, tuple[Ints, Floats]]:
    """Return the ids and probabilities of the most probable pieces of each place that has a sequence."""
    numbers = [number for number, sequence in enumerate(sequences) if not isinstance(sequence, str)]
    whole = [sequence for sequence in sequences if not isinstance(sequence, str)]
    best: dict[int, tuple[Ints, Floats]] = {}
    for chosen, batch in batches(whole, batch_size, encoder.padding):
        columns = np.array([whole[job].begin for job in chosen])
        scores = model.log_probs(batch, np.arange(len(chosen)), columns)
        scores[:, sorted(model.special)] = -np.inf
        for job, row in zip(chosen, scores, strict=True):
            ids = greatest(row, min(top_k, len(row) - len(model.special)))
            best[numbers[job]] = ids, np.exp(row[ids])
    return best


def greatest(values: Floats, count: int) -> Ints:
    """Return the places of the greatest values, the greatest first, ties in order of place.

    >>> import numpy as np
    >>> greatest(np.array([1.0, 3.0, 2.0, 3.0, 2.0]), 3).tolist()
    [1, 3, 2]
    """
    if count < 1:
        return np.zeros(0, np.int64)
    least = np.partition(values, len(values) - count)[len(values) - count]
    candidates = np.flatnonzero(values >= least)
    return candidates[np.argsort(-values[candidates], kind="stable")[:count]]
