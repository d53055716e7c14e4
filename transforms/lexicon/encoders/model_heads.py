"""What models with a head say: words for a masked place, log-probabilities of given words, choices among texts.

**Texts with a masked place.** A span of a text is replaced by masks. Another text may precede it as a segment of its
own: `sentence [SEP] sentence with a mask`. Segments that are too long are cut: each gets half of the
room, and what the other leaves unused; the masked one keeps the masks, the other its own span.

**Words for a masked place** (`fill_mask`) are the most probable pieces of the vocabulary, with their probabilities: the
softmax over the whole vocabulary at the place. Special pieces are not words and are left out; the others keep their
probabilities. Pieces that continue a word have a flag, so that the caller can drop them.

**Log-probabilities of given words** (`word_log_probs`). A word is put in the place; its pieces are those that then
stand where the mask stood. As many masks take their places, and the word's log-probability is the sum of its pieces'
log-probabilities, each at its own mask, with some of the other pieces known (`SCORINGS`):

    masked          none: one run for all words of as many pieces
    left_to_right   those before it: the chain rule, given the number of pieces; the within-word
                    scoring of Kauf and Ivanova 2023 ("A better way to do masked language model
                    scoring", PLL-word-l2r), for one word
    pseudo          all others: the pseudo-log-likelihood of Salazar et al. 2020 ("Masked language
                    model scoring"), for one word

For words of one piece all are the same. A sum grows with the number of pieces: `per_piece` divides
it by that number.

**Choices** (`choose`): how probable a multiple-choice model finds each of several texts after a first one. A sequence
is the first text and a choice, as the model's tokenizer frames two texts. If one is too long, the first text loses its
end, the same for each choice; a choice is never cut.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.lexicon.encoders.encoder_batches import (
    NO_PIECE,
    TOO_LONG,
    UNEVEN,
    Encoder,
    EncoderInfo,
    Floats,
    Framed,
    Ints,
    Masked,
    MaskedLM,
    Pieces,
    Spans,
    batches,
    check_spans,
    framed,
    greatest_length,
    located,
    shares,
    window,
)
from lexbeam.transforms.lexicon.encoders.span_vectors import DEFAULTS, EncoderOptions


class MaskedPlaces(NamedTuple):
    """Masked places: texts with one mask each, and the segments before them.

    Attributes:
        masked: the texts as pieces.
        marked: whether words in the place begin with a mark, if the vocabulary has marks.
        before: the segments before the texts, as pieces; None without them.
        spans: the pieces that the segments before must keep, as (first, after the last).
        limit: the greatest number of pieces of both, special ones included.
    """

    masked: Sequence[Masked]
    marked: Sequence[bool]
    before: Sequence[Pieces] | None
    spans: Sequence[tuple[int, int]]
    limit: int


def masked_lm_of(encoder: Encoder) -> MaskedLM:
    """Return the functions of a masked language model.

    Raises:
        LexbeamError: the encoder is no such model.
    """
    if encoder.masked_lm is None:
        raise LexbeamError(
            f"encoder {encoder.info.name!r} is no masked language model, so it cannot fill a place "
            "or score a word: name one whose config.json has an architecture ...ForMaskedLM"
        )
    return encoder.masked_lm


def prepare_places(encoder: Encoder, spans: Spans, before: Spans | None, options: EncoderOptions) -> MaskedPlaces:
    """Return the places, each span replaced by one mask.

    Raises:
        LexbeamError: a span is not within its text; the encoder is not a masked language model, or
            takes no pairs although there are segments before the texts.
    """
    model = masked_lm_of(encoder)
    check_spans(encoder, spans)
    pieces: Sequence[Pieces] | None = None
    spans_before: list[tuple[int, int]] = []
    if before is not None:
        if encoder.pair is None:
            raise LexbeamError(f"encoder {encoder.info.name!r} takes no pairs of texts: give none before the text")
        check_spans(encoder, before, "first text")
        if len(before.texts) != len(spans.texts):
            raise LexbeamError(f"{len(spans.texts)} texts have {len(before.texts)} first texts: give as many")
        pieces = encoder.split(before.texts)
        spans_before = [
            located(text, *span) or (0, 0) for text, span in zip(pieces, zip(*before, strict=True), strict=True)
        ]
    return MaskedPlaces(
        masked=model.split(*spans),
        marked=[
            text[start - 1].isspace() if text[:start].strip() else model.marks_first or start > 0
            for text, start in zip(spans.texts, spans.starts, strict=True)
        ],
        before=pieces,
        spans=spans_before,
        limit=greatest_length(encoder.info, options.max_length),
    )


def put(encoder: Encoder, places: MaskedPlaces, number: int, middle: Sequence[int]) -> Framed | str:
    """Return the sequence with some pieces in the place of the mask, or the reason why there is none.

    `begin` is where those pieces begin.
    """
    masked = places.masked[number]
    ids = [*masked.ids[: masked.at], *middle, *masked.ids[masked.at + 1 :]]
    place = (masked.at, masked.at + len(middle))
    if places.before is None:
        view = window(len(ids), *place, places.limit - encoder.single.length)
        if view is None:
            return TOO_LONG
        sequence = framed(encoder.single, ids[slice(*view)])
        return sequence._replace(begin=sequence.begin + place[0] - view[0])
    assert encoder.pair is not None
    before = places.before[number].ids
    before_limit, limit = shares(len(before), len(ids), places.limit - encoder.pair.length)
    view = window(len(ids), *place, limit)
    before_view = window(len(before), *places.spans[number], before_limit)
    if view is None or before_view is None:
        return TOO_LONG
    sequence = framed(encoder.pair, ids[slice(*view)], before[slice(*before_view)])
    return sequence._replace(begin=sequence.begin + place[0] - view[0])


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
