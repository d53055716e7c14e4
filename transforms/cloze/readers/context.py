"""Reader `context`: counts of words beside each other, weighed; what it says of a word in a gap.

It needs no answers to know a word: texts without questions count as much as those with, and word endings stand
in for words that texts hardly have. c is a word to choose, N(...) counts in texts, s(c) its last 3 or 2 letters:

    P(c)       (N(c) + 1/2) / (sum of N + K/2), of K words to choose
    P(c | x)   (N(x, c) + a P'(c)) / (N(x) + a); P' with one word of x less, at last P
    J(c; w)    log((N(texts with c and w) + 2) / (N(texts with c) N(texts with w) / N(texts) + 2))

A score is a weighted sum of `EVIDENCE`:

    log P(c), and the logarithm of how many questions have the answer c, and 1/2 more
    log P(c | x) - log P(c), x one or three words to the left, or to the right; the second, third one to either side;
        the two beside the gap, for which P' is P(c | left) P(c | right) / P(c)
    log P(s(c) | x) - log P(s(c)), x two words to the left, to the right, the two beside the gap
    the sum of J over the words of the summary, and of the passage, divided by the root of their number
    the same over those of the summary, J counting stretches of 20 words in place of articles
    whether c stands in the passage; in the summary

A question that decides weights must not have been counted: in each of four parts of the articles, questions are
read with the counts of the three others. Their weights then go with the counts of all.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.cloze.readers.options import PADDING, RESERVED, NumberLists, Questions
from lexbeam.transforms.cloze.readers.training import ReaderWeights
from lexbeam.transforms.common.draws.folds import fold_of

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Places = tuple[int, ...]

_REACH = 3  # words to either side
_PLACES = tuple(place for place in range(-_REACH, _REACH + 1) if place)
_BESIDE: Places = (-1, 1)
_FIRST, _MORE = 20.0, 5.0  # a, with one word, and with several
_FURTHER = {2: 60.0, 3: 100.0}  # a of the second and third word to a side
_ENDINGS = (3, 2)
_TOPIC = 2.0
_STRETCH = 20
_LEAST_TEXTS = 3  # that a word stands in, and at most this share of all, to say what a text is about
_MOST_SHARE = 0.2
_RIDGE = 0.2

EVIDENCE = (
    "word",
    "left 1",
    "left 3",
    "right 1",
    "right 3",
    "second left",
    "second right",
    "third left",
    "third right",
    "beside",
    *(f"ending {size} {side}" for size in _ENDINGS for side in ("left", "right", "beside")),
    "topic of summary",
    "topic of passage",
    "stretch",
    "in passage",
    "in summary",
    "answers",
)
START_WEIGHTS: Floats = np.array(
    [0.0 if name in {"word", "in passage", "in summary"} else 0.15 for name in EVIDENCE], np.float64
)


class _Uses:
    """Counts of what stands in gaps, by the words around.

    Attributes:
        shares: P of each thing.
    """

    def __init__(self, things: Ints, size: int, around: dict[int, Ints], base: int) -> None:
        self._things, self._size, self._around, self._base = things, size, around, base
        self._sorted: dict[Places, tuple[Ints, Ints]] = {}
        counts = np.bincount(things, minlength=size)
        self.shares: Floats = (counts + 0.5) / (counts.sum() + 0.5 * size)

    def given(self, places: Places, words: dict[int, int], lower: Floats, uses: float) -> Floats:
        """Return P(. | the words at these places), given the P' that it is shrunk to."""
        if places not in self._sorted:
            keys = np.zeros(len(self._things), np.int64)
            for place in places:
                keys = keys * self._base + self._around[place]
            order = np.argsort(keys, kind="stable")
            self._sorted[places] = keys[order], self._things[order]
        key = 0
        for place in places:
            key = key * self._base + words[place]
        keys, things = self._sorted[places]
        start, stop = np.searchsorted(keys, [key, key + 1])
        counts = np.bincount(things[start:stop], minlength=self._size)
        return np.asarray((counts + uses * lower) / (stop - start + uses))

    def along(self, side: int, most: int, words: dict[int, int]) -> list[Floats]:
        """Return P given one word to a side (-1: left), two, and so on."""
        found, places = [self.shares], [side * step for step in range(1, most + 1)]
        for count in range(1, most + 1):
            found.append(self.given(tuple(places[:count]), words, found[-1], _FIRST if count == 1 else _MORE))
        return found[1:]

    def beside(self, left: Floats, right: Floats, words: dict[int, int]) -> Floats:
        """Return P given the words on both sides, from P given each of them."""
        both = left * right / self.shares
        return self.given(_BESIDE, words, both / both.sum(), _MORE)


class CountedTexts(NamedTuple):
    """Texts that are counted: their words, which of them, and by such a one the article that it belongs to."""

    lists: NumberLists
    rows: Ints
    articles: Ints


class _Seen(NamedTuple):
    """A question as words: those around the gap by place, and the distinct ones of its summary and passage."""

    around: dict[int, int]
    summary: Ints
    passage: Ints


class ContextCounts:
    """Counts of texts, and from them what speaks for each word to choose."""

    def __init__(self, texts: Sequence[CountedTexts], numbers: Ints, spellings: Sequence[str], words: int) -> None:
        """Count.

        Args:
            texts: passages, and summaries; all texts of an article are one for what it is about.
            numbers: of each word to choose its number in texts, distinct; below `RESERVED`: it has none.
            spellings: of each word to choose.
            words: how many numbers words have.
        """
        self._numbers = numbers
        self._place = np.full(words, -1, np.int64)
        known = np.flatnonzero(numbers >= RESERVED)
        self._place[numbers[known]] = known
        stream = _stream(texts)
        at = np.flatnonzero(self._place[stream] >= 0)
        things = self._place[stream[at]]
        around = {place: stream[at + place] for place in _PLACES}
        self._words = _Uses(things, len(numbers), around, words)
        self._endings = []
        for size in _ENDINGS:
            endings = [word[-size:] if len(word) > size + 1 else f"{word}$" for word in spellings]
            names, of_word = np.unique(np.array(endings or [""], dtype=str), return_inverse=True)
            of_word = of_word[: len(endings)].astype(np.int64)
            self._endings.append((_Uses(of_word[things], len(names), around, words), of_word))
        self._about = _About(_by_article(texts), numbers, words)
        self._in_stretch = _About(_by_stretch(texts), numbers, words)

    def evidence(self, asked: Questions, row: int, answered: Ints | None, chosen: Ints | None = None) -> Floats:
        """Return what speaks for words in the gap of a question, of shape (`EVIDENCE`, words).

        Args:
            asked: the questions.
            row: which one.
            answered: by word to choose, how many questions have it for an answer; None: that does not count.
            chosen: places of the words to choose; None: all.
        """
        seen = _seen(asked, row)
        take: Any = slice(None) if chosen is None else chosen
        found = [np.log(self._words.shares)[take]]
        base = found[0]
        left, right = (self._words.along(side, _REACH, seen.around) for side in (-1, 1))
        given = [left[0], left[-1], right[0], right[-1]]
        for step, uses in _FURTHER.items():
            given += [self._words.given((side * step,), seen.around, self._words.shares, uses) for side in (-1, 1)]
        given.append(self._words.beside(left[0], right[0], seen.around))
        found += [np.log(chances[take]) - base for chances in given]
        for uses_of_ending, of_word in self._endings:
            left, right = (uses_of_ending.along(side, 2, seen.around) for side in (-1, 1))
            both = uses_of_ending.beside(left[0], right[0], seen.around)
            log_shares = np.log(uses_of_ending.shares)
            found += [(np.log(chances) - log_shares)[of_word[take]] for chances in (left[1], right[1], both)]
        found += [self._about.score(take, text) for text in (seen.summary, seen.passage)]
        found.append(self._in_stretch.score(take, seen.summary))
        found += [np.isin(self._numbers[take], text).astype(np.float64) for text in (seen.passage, seen.summary)]
        found.append(np.zeros_like(base) if answered is None else np.log(answered[take] + 0.5))
        return np.stack(found)


class _About:
    """In how many texts words stand together; `where` is the text and the number of each word that stands in one."""

    def __init__(self, where: tuple[Ints, Ints], numbers: Ints, words: int) -> None:
        from scipy.sparse import csr_array

        count = int(where[0].max(initial=-1)) + 1
        stands: Any = csr_array((np.ones(len(where[0]), np.float32), where), shape=(count, words))
        stands.sum_duplicates()
        stands.data[:] = 1  # a word may stand in a text several times
        self._by_word = stands.tocsc()
        self._texts = np.diff(self._by_word.indptr).astype(np.float64)
        self._count = count
        self._says = (self._texts >= _LEAST_TEXTS) & (self._texts <= _MOST_SHARE * count)
        self._of_chosen = self._by_word[:, numbers].T.tocsr()
        self._texts_of_chosen = np.where(numbers >= RESERVED, self._texts[numbers], 0.0)

    def score(self, chosen: Any, text: Ints) -> Floats:
        """Return the sum of J of words to choose over the words of a text, divided by the root of their number."""
        alone = self._texts_of_chosen[chosen]
        text = text[self._says[text]]
        if not len(text):
            return np.zeros(len(alone))
        of_chosen = self._of_chosen if isinstance(chosen, slice) else self._of_chosen[chosen]
        together = np.asarray((of_chosen @ self._by_word[:, text]).todense(), np.float64)
        together[alone == 0] = 0  # what has no number stands nowhere
        expected = alone[:, None] * self._texts[text] / self._count
        sums: Floats = np.log((together + _TOPIC) / (expected + _TOPIC)).sum(1)
        return np.asarray(sums / np.sqrt(len(text)))


def _by_article(texts: Sequence[CountedTexts]) -> tuple[Ints, Ints]:
    """Return by word of texts the article that it is in, and its number."""
    values: list[Ints] = [np.zeros(0, np.int64)]
    owners: list[Ints] = [np.zeros(0, np.int64)]
    for lists, rows, articles in texts:
        for row, article in zip(rows.tolist(), articles.tolist(), strict=True):
            text = np.unique(_text(lists, row))
            values.append(text)
            owners.append(np.full(len(text), article))
    return np.concatenate(owners), np.concatenate(values)


def _by_stretch(texts: Sequence[CountedTexts]) -> tuple[Ints, Ints]:
    """Return by word of texts the stretch that it is in, and its number."""
    values: list[Ints] = [np.zeros(0, np.int64)]
    owners: list[Ints] = [np.zeros(0, np.int64)]
    before = 0
    for lists, rows, _ in texts:
        for row in rows.tolist():
            text = _text(lists, row)
            values.append(text)
            owners.append(before + np.arange(len(text)) // _STRETCH)
            before += -(-len(text) // _STRETCH)
    return np.concatenate(owners), np.concatenate(values)


def _stream(texts: Sequence[CountedTexts]) -> Ints:
    """Return texts one behind the other, with `PADDING` between them and at both ends."""
    gap = np.full(_REACH, PADDING, np.int64)
    parts: list[Ints] = [gap]
    for lists, rows, _ in texts:
        for row in rows.tolist():
            parts += [_text(lists, row), gap]
    return np.concatenate(parts)


def _text(lists: NumberLists, row: int) -> Ints:
    return lists.values[lists.bounds[row] : lists.bounds[row + 1]].astype(np.int64)


def _seen(asked: Questions, row: int) -> _Seen:
    summary, gap = _text(asked.summaries, row), int(asked.places[row])
    around = {place: int(summary[gap + place]) if 0 <= gap + place < len(summary) else PADDING for place in _PLACES}
    # The gap itself is no word.
    distinct, passage = np.unique(summary), np.unique(_text(asked.passages, int(asked.passage[row])))
    return _Seen(around, distinct[distinct >= RESERVED], passage[passage >= RESERVED])


def fit_weights(evidence: Floats, answers: Ints) -> Floats:
    """Return the weights by which the softmax of scores gives the answers the greatest likelihood.

    They are held near `START_WEIGHTS` by a ridge: the negative log likelihood of all questions, and .2 of the
    squared distance, is least. Newton's method; the function is convex.

    Args:
        evidence: of shape (questions, `EVIDENCE`, words); there may be no question.
        answers: a word each.
    """
    weights = START_WEIGHTS.copy()
    if not len(answers):
        return weights
    of_answers = evidence[np.arange(len(answers)), :, answers]

    def loss(tried: Floats) -> float:
        scores = np.einsum("f,qfw->qw", tried, evidence)
        top = scores.max(1, keepdims=True)
        logs = np.log(np.exp(scores - top).sum(1)) + top[:, 0]
        return float((logs - of_answers @ tried).sum() + _RIDGE * ((tried - START_WEIGHTS) ** 2).sum())

    value = loss(weights)
    for _ in range(50):
        scores = np.einsum("f,qfw->qw", weights, evidence)
        chances = np.exp(scores - scores.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        means = np.einsum("qw,qfw->qf", chances, evidence)
        slope = (means - of_answers).sum(0) + 2 * _RIDGE * (weights - START_WEIGHTS)
        curve = 2 * _RIDGE * np.eye(len(weights)) - means.T @ means
        for chance, values in zip(chances, evidence, strict=True):
            curve += (values * chance) @ values.T
        step = np.linalg.solve(curve, slope)
        share = 1.0
        while share > 1e-6 and loss(weights - share * step) > value:
            share /= 2
        tried = weights - share * step
        fallen = value - loss(tried)
        if fallen <= 1e-9 * abs(value):
            break
        weights, value = tried, value - fallen
    return weights


_PARTS = 4
_MOST = 1 << 23  # numbers of evidence held at once
_TOGETHER = 1 << 22


class ContextData(NamedTuple):
    """Texts and words to choose.

    Attributes:
        passages: of pairs.
        summaries: of the same pairs, with all their words.
        articles: hash of each pair's article, uint64.
        rows: the pairs that may be counted.
        numbers: of each word to choose its number in texts, distinct; below `RESERVED`: it has none.
        spellings: of each word to choose.
        words: how many numbers words have.
    """

    passages: NumberLists
    summaries: NumberLists
    articles: npt.NDArray[np.uint64]
    rows: Ints
    numbers: Ints
    spellings: Sequence[str]
    words: int

    def counted(self, rows: Ints) -> ContextCounts:
        """Return the counts of pairs; a passage that several have counts once."""
        _, first, article = np.unique(self.articles[rows], return_index=True, return_inverse=True)
        texts = (
            CountedTexts(self.passages, rows[first], np.arange(len(first))),
            CountedTexts(self.summaries, rows, article.astype(np.int64)),
        )
        return ContextCounts(texts, self.numbers, self.spellings, self.words)


def train_context(asked: Questions, rows: Ints, data: ContextData, *, seed: int) -> ReaderWeights:
    """Fit the weights of reader `context`.

    Args:
        asked: questions of all folds; those with options are read by these alone.
        rows: those that may be trained on; their order does not count.
        data: texts that may be counted, and the words to choose.
        seed: of the parts of articles, any whole number.
    """
    rows = rows[asked.answers[rows] >= 0]
    rows = rows[np.argsort(asked.keys[rows], kind="stable")]
    width = len(data.numbers) if asked.options is None else asked.options.shape[1]
    fitted = rows[: max(_MOST // (len(EVIDENCE) * max(width, 1)), _PARTS)]
    evidence, read = [np.zeros((0, len(EVIDENCE), width))], [rows[:0]]
    parts = _part_of(asked.articles[fitted], seed)
    for part in np.unique(parts).tolist():
        others = data.rows[_part_of(data.articles[data.rows], seed) != part]
        mine = fitted[parts == part]
        rest = rows[_part_of(asked.articles[rows], seed) != part]
        if not len(rest):  # there is one article
            continue
        evidence.append(np.stack([*_evidence(asked, mine, rest, data, data.counted(others))]))
        read.append(mine)
    all_evidence, all_read = np.concatenate(evidence), np.concatenate(read)
    weights = fit_weights(all_evidence, asked.answers[all_read])
    losses = []
    if len(all_read):
        logs = _log_softmax(np.einsum("f,qfw->qw", weights, all_evidence))
        losses = [float(-logs[np.arange(len(all_read)), asked.answers[all_read]].mean())]
    kept = weights.astype(np.float32)
    return ReaderWeights({"weights": kept}, losses, 0 if losses else -1, len(rows), len(all_read), 0)


def context_log_probabilities(
    weights: npt.NDArray[np.float32], asked: Questions, rows: Ints, others: Ints, data: ContextData
) -> Iterator[tuple[Ints, Floats]]:
    """Yield questions, many at a time, and the natural log probabilities of words or options.

    Args:
        weights: of `train_context`.
        asked: questions of all folds.
        rows: those to predict.
        others: those that the weights were fitted on, or might have been.
        data: with which they were fitted.
    """
    counts, exact = data.counted(data.rows), weights.astype(np.float64)
    width = len(data.numbers) if asked.options is None else asked.options.shape[1]
    size = max(_TOGETHER // max(width, 1), 1)
    for start in range(0, len(rows), size):
        chunk = rows[start : start + size]
        scores = [exact @ found for found in _evidence(asked, chunk, others, data, counts)]
        yield chunk, _log_softmax(np.stack(scores))


def _part_of(articles: npt.NDArray[np.uint64], seed: int) -> Ints:
    return fold_of(articles, _PARTS, seed=seed, label="cloze/context")


def _evidence(asked: Questions, rows: Ints, others: Ints, data: ContextData, counts: ContextCounts) -> Iterator[Floats]:
    """Yield the evidence of questions `rows`, other questions' answers among it."""
    if asked.options is None:
        known = asked.answers[others]
        answered = np.bincount(known[known >= 0], minlength=len(data.numbers))
        for row in rows.tolist():
            yield counts.evidence(asked, row, answered)
    else:
        places = np.zeros(data.words, np.int64)
        places[data.numbers] = np.arange(len(data.numbers))
        for row in rows.tolist():
            yield counts.evidence(asked, row, None, places[asked.options[row]])


def _log_softmax(scores: Floats) -> Floats:
    shifted = scores - scores.max(1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(1, keepdims=True)))
