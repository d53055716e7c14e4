"""Log-probabilities of given words for a masked place.

A word is put in the place; its pieces are those that then stand where the mask stood. As many masks
take their places, and the word's log-probability is the sum over its pieces of each one's
log-probability at its own mask, with some of its other pieces known (`SCORINGS`):

    masked          none: one run for all words of as many pieces
    left_to_right   those before it: the chain rule, given the number of pieces; the within-word
                    scoring of Kauf and Ivanova 2023 ("A better way to do masked language model
                    scoring", PLL-word-l2r), for one word
    pseudo          all others: the pseudo-log-likelihood of Salazar et al. 2020 ("Masked language
                    model scoring"), for one word

For words of one piece they are the same. A sum grows with the number of pieces: `per_piece` divides
it by that number.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from transforms.common.errors import LexbeamError, UsageError, nearest
from transforms.lexicon.encoders.batches import Framed, batches
from transforms.lexicon.encoders.masking import MaskedPlaces, masked_lm_of, prepare_places, put
from transforms.lexicon.encoders.options import DEFAULTS, EncoderOptions
from transforms.lexicon.encoders.records import NO_PIECE, UNEVEN, Encoder, Spans

__all__ = ["SCORINGS", "WordScores", "word_log_probs"]


class WordScores(NamedTuple):
    """Scores of words, by text and word.

    Attributes:
        log_probs: natural logarithms, float64 (words of the text,); not a number where there is a
            reason.
        pieces: the number of pieces of each word, int64; 0 where they cannot be told.
        reasons: why a word has none: `no_piece`, `too_long`, `uneven`; None where it has one.
    """

    log_probs: list[np.ndarray]
    pieces: list[np.ndarray]
    reasons: list[list[str | None]]


def word_log_probs(
    encoder: Encoder,
    texts: list[str],
    starts: list[int],
    ends: list[int],
    words: list[list[str]],
    *,
    scoring: str = "masked",
    per_piece: bool = False,
    first: Spans | None = None,
    options: EncoderOptions = DEFAULTS,
) -> WordScores:
    """Return the log-probabilities of `words[i]` in place of `texts[i][starts[i]:ends[i]]`.

    Args:
        encoder: a masked language model.
        texts: all texts of one document or instance.
        starts: where the places begin.
        ends: where they end.
        words: for each text, the words.
        scoring: one of `SCORINGS`.
        per_piece: the mean over pieces, instead of the sum.
        first: as in `fill_mask`.
        options: the greatest length and the size of batches count.

    Raises:
        UsageError: there is no such scoring.
        LexbeamError: as `fill_mask`; or there are not as many lists of words as texts.
    """
    model = masked_lm_of(encoder)
    if scoring not in SCORINGS:
        known = ", ".join(SCORINGS)
        raise UsageError(f"no scoring {scoring!r}{nearest(scoring, SCORINGS)} (there are {known})")
    if len(words) != len(texts):
        raise LexbeamError(f"{len(texts)} texts have {len(words)} lists of words: give as many")
    places = prepare_places(encoder, Spans(texts, starts, ends), first, options)
    jobs = _Jobs(encoder, places, SCORINGS[scoring])
    found = [
        [jobs.add(number, pieces) for pieces in found]
        for number, found in enumerate(_pieces(encoder, places, texts, starts, ends, words))
    ]
    values = np.full(len(jobs.reads), np.nan)
    for chosen, batch in batches(jobs.sequences, options.batch_size, encoder.padding):
        reads = [(row, read) for row, job in enumerate(chosen) for read in jobs.of[job]]
        # Several words are read at one place: it is computed once.
        spots = sorted({(row, jobs.reads[read][0]) for row, read in reads})
        spot_of = {spot: index for index, spot in enumerate(spots)}
        rows, columns = np.array(spots, np.int64).T
        scores = model.log_probs(batch, rows, columns)
        for row, read in reads:
            column, piece = jobs.reads[read]
            values[read] = scores[spot_of[row, column], piece]
    return WordScores(
        log_probs=[np.array([_total(values, one, per_piece) for one in row], np.float64) for row in found],
        pieces=[np.array([0 if isinstance(one, str) else len(one) for one in row], np.int64) for row in found],
        reasons=[[one if isinstance(one, str) else None for one in row] for row in found],
    )


def _total(values: np.ndarray, reads: list[int] | str, per_piece: bool) -> float:
    if isinstance(reads, str):
        return float("nan")
    total = sum(float(values[read]) for read in reads)
    return total / len(reads) if per_piece else total


class _Jobs:
    """What goes through the model, each once, and what is read of it: a column and a piece."""

    def __init__(self, encoder: Encoder, places: MaskedPlaces, known: Callable[[int, int], set[int]]) -> None:
        self.sequences: list[Framed] = []
        self.of: list[list[int]] = []
        self.reads: list[tuple[int, int]] = []
        self._encoder = encoder
        self._places = places
        self._known = known
        self._jobs: dict[tuple[int, tuple[int, ...]], int] = {}

    def add(self, number: int, pieces: list[int] | str) -> list[int] | str:
        """Return the reads whose sum a word is, or the reason why there are none."""
        if isinstance(pieces, str):
            return pieces
        one = self._places.masked[number]
        reads = []
        for index, piece in enumerate(pieces):
            known = self._known(index, len(pieces))
            middle = tuple(p if i in known else one.ids[one.at] for i, p in enumerate(pieces))
            job = self._jobs.get((number, middle))
            if job is None:
                made = put(self._encoder, self._places, number, middle)
                if isinstance(made, str):  # for all of its pieces, whichever are known
                    return made
                job = self._jobs[number, middle] = len(self.sequences)
                self.sequences.append(made)
                self.of.append([])
            self.of[job].append(len(self.reads))
            reads.append(len(self.reads))
            self.reads.append((self.sequences[job].begin + index, piece))
        return reads


def _pieces(
    encoder: Encoder, places: MaskedPlaces, texts: list[str], starts: list[int], ends: list[int], words: list[list[str]]
) -> list[list[list[int] | str]]:
    """Return the pieces of words, in order: what stands in the place of the mask."""
    whole = [
        text[:start] + word + text[end:]
        for text, start, end, some in zip(texts, starts, ends, words, strict=True)
        for word in some
    ]
    split = iter(encoder.split(whole))
    found: list[list[list[int] | str]] = []
    for one, some in zip(places.masked, words, strict=True):
        left, right = list(one.ids[: one.at]), list(one.ids[one.at + 1 :])
        row: list[list[int] | str] = []
        for word in some:
            ids = list(next(split).ids)
            after = len(ids) - len(right)
            if not word.strip():
                row.append(NO_PIECE)
            elif after < len(left) or ids[: len(left)] != left or ids[after:] != right:
                row.append(UNEVEN)
            else:
                row.append(ids[len(left) : after] or NO_PIECE)
        found.append(row)
    return found


def _none_known(index: int, count: int) -> set[int]:
    return set()


def _those_before(index: int, count: int) -> set[int]:
    return set(range(index))


def _all_others(index: int, count: int) -> set[int]:
    return set(range(count)) - {index}


# Which pieces of a word are known when one is scored: its index, their number -> indices.
SCORINGS: dict[str, Callable[[int, int], set[int]]] = {
    "masked": _none_known,
    "left_to_right": _those_before,
    "pseudo": _all_others,
}
