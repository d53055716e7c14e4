"""Log-probabilities of given words for a masked place.

A word is put in the place; its pieces are those that then stand where the mask stood. As many masks
take their places, and the word's log-probability is the sum of its pieces' log-probabilities, each
at its own mask, with some of the other pieces known (`SCORINGS`):

    masked          none: one run for all words of as many pieces
    left_to_right   those before it: the chain rule, given the number of pieces; the within-word
                    scoring of Kauf and Ivanova 2023 ("A better way to do masked language model
                    scoring", PLL-word-l2r), for one word
    pseudo          all others: the pseudo-log-likelihood of Salazar et al. 2020 ("Masked language
                    model scoring"), for one word

For words of one piece all are the same. A sum grows with the number of pieces: `per_piece` divides
it by that number.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.lexicon.encoders.batches import Framed, batches
from lexbeam.transforms.lexicon.encoders.masking import MaskedPlaces, masked_lm_of, prepare_places, put
from lexbeam.transforms.lexicon.encoders.options import DEFAULTS, EncoderOptions
from lexbeam.transforms.lexicon.encoders.records import NO_PIECE, UNEVEN, Encoder, Ints, MaskedLM, Spans

Doubles = npt.NDArray[np.float64]


class WordScores(NamedTuple):
    """Scores of words, by text and word.

    Attributes:
        log_probs: natural logarithms, float64 (words of the text,); NaN where there is a reason.
        pieces: the number of pieces of each word, int64; 0 where there is a reason.
        reasons: why a word has no score: `no_piece`, `too_long`, `uneven`; None where it has one.
    """

    log_probs: list[Doubles]
    pieces: list[Ints]
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
        scoring: an entry of `SCORINGS`.
        per_piece: the mean over pieces, instead of the sum.
        first: as in `fill_mask`.
        options: the greatest length and the size of batches are used.

    Raises:
        UsageError: there is no such scoring.
        LexbeamError: as `fill_mask`; or texts and lists of words differ in number.
    """
    model = masked_lm_of(encoder)
    SCORINGS.check([scoring])
    if len(words) != len(texts):
        raise LexbeamError(f"{len(texts)} texts have {len(words)} lists of words: give as many")
    places = prepare_places(encoder, Spans(texts, starts, ends), first, options)
    jobs = _Jobs(encoder, places, SCORINGS[scoring].known)
    reads = [
        [jobs.add(number, pieces) for pieces in of_words]
        for number, of_words in enumerate(_pieces(encoder, places, texts, starts, ends, words))
    ]
    values = _values(encoder, model, jobs, options.batch_size)
    return WordScores(
        log_probs=[np.array([_total(values, word, per_piece) for word in row], np.float64) for row in reads],
        pieces=[np.array([0 if isinstance(word, str) else len(word) for word in row], np.int64) for row in reads],
        reasons=[[word if isinstance(word, str) else None for word in row] for row in reads],
    )


def _values(encoder: Encoder, model: MaskedLM, jobs: "_Jobs", batch_size: int) -> Doubles:
    """Return the log-probabilities that the jobs read."""
    values = np.full(len(jobs.reads), np.nan)
    for chosen, batch in batches(jobs.sequences, batch_size, encoder.padding):
        reads = [(row, read) for row, job in enumerate(chosen) for read in jobs.of[job]]
        # Several words are read at one place: it is computed once.
        spots = sorted({(row, jobs.reads[read][0]) for row, read in reads})
        spot_of = {spot: index for index, spot in enumerate(spots)}
        rows, columns = np.array(spots, np.int64).T
        scores = model.log_probs(batch, rows, columns)
        for row, read in reads:
            column, piece = jobs.reads[read]
            values[read] = scores[spot_of[row, column], piece]
    return values


def _total(values: Doubles, reads: list[int] | str, per_piece: bool) -> float:
    if isinstance(reads, str):
        return float("nan")
    total = sum(float(values[read]) for read in reads)
    return total / len(reads) if per_piece else total


class _Jobs:
    """Sequences that go through the model, each once, and what is read of them: a column and a piece."""

    def __init__(self, encoder: Encoder, places: MaskedPlaces, known: Callable[[int, int], set[int]]) -> None:
        self.sequences: list[Framed] = []
        self.of: list[list[int]] = []
        self.reads: list[tuple[int, int]] = []
        self._encoder = encoder
        self._places = places
        self._known = known
        self._jobs: dict[tuple[int, tuple[int, ...]], int] = {}

    def add(self, number: int, pieces: list[int] | str) -> list[int] | str:
        """Return the reads that add up to the score of a word, or the reason why there are none."""
        if isinstance(pieces, str):
            return pieces
        masked = self._places.masked[number]
        mask = masked.ids[masked.at]
        reads = []
        for index, piece in enumerate(pieces):
            known = self._known(index, len(pieces))
            middle = tuple(other if place in known else mask for place, other in enumerate(pieces))
            job = self._jobs.get((number, middle))
            if job is None:
                sequence = put(self._encoder, self._places, number, middle)
                if isinstance(sequence, str):  # for all of its pieces, whichever are known
                    return sequence
                job = self._jobs[number, middle] = len(self.sequences)
                self.sequences.append(sequence)
                self.of.append([])
            self.of[job].append(len(self.reads))
            reads.append(len(self.reads))
            self.reads.append((self.sequences[job].begin + index, piece))
        return reads


def _pieces(
    encoder: Encoder, places: MaskedPlaces, texts: list[str], starts: list[int], ends: list[int], words: list[list[str]]
) -> list[list[list[int] | str]]:
    """Return the pieces of words, in order: those in the place of the mask."""
    whole = [
        text[:start] + word + text[end:]
        for text, start, end, candidates in zip(texts, starts, ends, words, strict=True)
        for word in candidates
    ]
    split = iter(encoder.split(whole))
    pieces: list[list[list[int] | str]] = []
    for masked, candidates in zip(places.masked, words, strict=True):
        left, right = list(masked.ids[: masked.at]), list(masked.ids[masked.at + 1 :])
        row: list[list[int] | str] = []
        for word in candidates:
            ids = list(next(split).ids)
            after = len(ids) - len(right)
            if not word.strip():
                row.append(NO_PIECE)
            elif after < len(left) or ids[: len(left)] != left or ids[after:] != right:
                row.append(UNEVEN)
            else:
                row.append(ids[len(left) : after] or NO_PIECE)
        pieces.append(row)
    return pieces


def _none_known(index: int, count: int) -> set[int]:
    return set()


def _those_before(index: int, count: int) -> set[int]:
    return set(range(index))


def _all_others(index: int, count: int) -> set[int]:
    return set(range(count)) - {index}


@dataclass(frozen=True)
class Scoring(Entry):
    """How a word of several pieces is scored.

    Attributes:
        known: from the index of a piece and the number of pieces, the indices of the pieces that are
            known when that piece is scored.
    """

    known: Callable[[int, int], set[int]]


SCORINGS: Registry[Scoring] = Registry(
    {
        "masked": Scoring(_none_known, doc="no other piece is known: one run for all words of as many pieces"),
        "left_to_right": Scoring(_those_before, doc="the pieces before are known (Kauf and Ivanova 2023)"),
        "pseudo": Scoring(_all_others, doc="all other pieces are known (Salazar et al. 2020)"),
    },
    what="scoring",
)
