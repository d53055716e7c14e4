"""Training of readers, and their predictions: one thread, one seed, the same bytes.

Adam (Kingma and Ba 2015) on the negative log likelihood of the answer among all candidate words. A
tenth of the articles are held out; training stops when their loss has not fallen for `patience`
epochs, and the weights of the best epoch are kept. Questions whose answer is no candidate are not
trained on. Further questions, of the articles that are not held out, are drawn anew each epoch; in
the loss, a question counts 1 and a further one `further_weight`. Every draw is by content or from
a generator of its own.

Batches are of texts of about the same length. Questions and further questions are numbered one behind the other: a row
from `len(answers)` of the questions on is a further one. Of a further question in a passage, the words that serve as
its summary are left out of the passage.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.cloze.readers.options import (
    PADDING,
    PLACEHOLDER,
    Further,
    NetworkReader,
    NumberLists,
    Questions,
    ReaderNetworkOptions,
    TrainingData,
    check_torch,
)
from lexbeam.transforms.common.draws.by_content import hash_of, numbers, permutation
from lexbeam.transforms.common.draws.folds import fold_of

if TYPE_CHECKING:
    import torch

    from lexbeam.transforms.cloze.readers.networks import PaddedTexts, QuestionBatch
if TYPE_CHECKING:
    import torch
    from torch.nn import ModuleDict

    from lexbeam.transforms.cloze.readers.networks import Drop, Network, PaddedTexts, Sizes


_POOL = 16  # batches whose questions are put in the order of their texts' lengths
_TOGETHER = 64  # questions that are predicted at once
_EVEN = 16  # states of so many numbers, or a multiple, are worked on alike wherever they stand
_STEP = 32  # texts are as wide as a multiple of it
_HELD = 1 << 22  # log probabilities held at once

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.int32]


class EpochQuestions:
    """Questions, and further ones behind them.

    Attributes:
        answers: the answer of each row among the candidate words, int64.
        keys: hash of each row, uint64.
        articles: hash of its article, uint64.
        first: the first row of a further question.
        options: how many options a question has; 0: it has none.
    """

    def __init__(self, questions: Questions, further: Further | None = None) -> None:
        self._questions = questions
        self._further = further
        self.first = len(questions.answers)
        self.options = 0 if questions.options is None else questions.options.shape[1]
        self.answers, self.keys, self.articles = (
            getattr(questions, name)
            if further is None
            else np.concatenate([getattr(questions, name), getattr(further, name)])
            for name in ("answers", "keys", "articles")
        )

    def by_key(self, rows: Ints) -> Ints:
        """Return rows in the order of their keys."""
        return rows[np.argsort(self.keys[rows], kind="stable")]

    def lengths(self, most: int) -> Ints:
        """Return by row how long its passage, cut at `most` words, and then its summary is."""
        questions = self._questions
        sizes = np.diff(questions.passages.bounds)
        passage, summary = sizes[questions.passage], np.diff(questions.summaries.bounds)
        if self._further is not None:
            more = self._further
            size = more.stops - more.starts
            passage = np.concatenate([passage, sizes[more.pair] - size * more.in_passage])
            summary = np.concatenate([summary, size])
        # Of passages as long as each other, which are many once they are cut, summaries decide.
        return np.minimum(passage, most) * (int(summary.max(initial=0)) + 1) + summary

    def widths(self, rows: Ints, most: int) -> tuple[Ints, Ints]:
        """Return how wide passages, cut at `most` words, and summaries are in even batches."""
        questions = self._questions
        sizes = np.diff(questions.passages.bounds)[questions.passage[rows]], np.diff(questions.summaries.bounds)[rows]
        passages, summaries = (-(-np.maximum(size, 1) // _STEP) * _STEP for size in sizes)
        return np.minimum(passages, most), summaries

    def texts(self, row: int, most: int) -> tuple[Words, Words, int]:
        """Return the passage of a row, cut at `most` words, its summary and the word's place."""
        questions = self._questions
        if row < self.first or self._further is None:
            passage = _text(questions.passages, int(questions.passage[row]))
            return passage[:most], _text(questions.summaries, row), int(questions.places[row])
        more, row = self._further, row - self.first
        pair, place = int(more.pair[row]), int(more.places[row])
        start, stop = int(more.starts[row]), int(more.stops[row])
        passage = _text(questions.passages, pair)
        if more.in_passage[row]:
            summary = passage[start:stop].copy()
            passage = np.concatenate([passage[:start], passage[stop : stop + most]])
        else:
            summary = _text(more.texts, pair)[start:stop].copy()
        summary[place] = PLACEHOLDER
        return passage[:most], summary, place

    def batch(self, rows: Ints, most: int, *, even: bool = False) -> "QuestionBatch":
        """Return what a network takes; needs torch.

        Args:
            rows: questions.
            most: words of a passage.
            even: whether the width of a text is a multiple of 32, or of passages `most`, and not
                that of the longest.
        """
        from lexbeam.transforms.cloze.readers.networks import QuestionBatch

        passages, summaries, places = zip(*[self.texts(row, most) for row in rows.tolist()], strict=True)
        options = self._questions.options
        return QuestionBatch(
            _padded(passages, _STEP if even else 1, most),
            _padded(summaries, _STEP if even else 1),
            tensor(np.array(places, np.int64)),
            None if options is None else tensor(options[rows]),
        )


def epoch_of(
    asked: EpochQuestions, rows: Ints, further: Ints, options: ReaderNetworkOptions, *, seed: int, epoch: int
) -> Iterator[Ints]:
    """Yield the batches of an epoch: in random order, of texts of about the same length.

    Args:
        asked: all questions.
        rows: questions to train on.
        further: further questions; of these `further_each` for each question are drawn.
        options: hyperparameters.
        seed: of the draws.
        epoch: each has others.
    """
    label = f"cloze/epoch {epoch}"
    most = round(options.further_each * len(rows))
    drawn = permutation(asked.keys[further], seed=seed, label=f"cloze/further {epoch}")[:most]
    rows = np.concatenate([rows, further[drawn]])
    order = rows[permutation(asked.keys[rows], seed=seed, label=label)]
    lengths = asked.lengths(options.passage_tokens)
    pool = options.batch * _POOL
    for start in range(0, len(order), pool):
        pooled = order[start : start + pool]
        pooled = pooled[np.argsort(lengths[pooled], kind="stable")]
        batches = [pooled[at : at + options.batch] for at in range(0, len(pooled), options.batch)]
        firsts = asked.keys[[batch[0] for batch in batches]]
        for place in np.argsort(numbers(firsts, seed=seed, label=label), kind="stable").tolist():
            yield batches[place]


def alike(
    asked: EpochQuestions, rows: Ints, options: ReaderNetworkOptions, scores: int
) -> Iterator[tuple[Ints, list[Ints]]]:
    """Yield questions as they are predicted, so that what is predicted of one depends on no other.

    They go through the network 64 at a time, always as many, with texts of a width that each
    question decides by itself: in such a batch its place does not matter. Where `hidden` is no
    multiple of 16 it would matter, and each goes by itself, which takes some twelve times as long.

    Args:
        asked: all questions.
        rows: those that are predicted.
        options: hyperparameters.
        scores: of each question.

    Yields:
        Some of `rows`, in their order, and batches of places among these: the last place of a
        batch is repeated until it is full.
    """
    together = 1 if options.hidden % _EVEN else _TOGETHER
    size = max(_HELD // max(scores, 1), together)
    for start in range(0, len(rows), size):
        chunk = rows[start : start + size]
        widths = asked.widths(chunk, options.passage_tokens)
        order = np.lexsort(widths)
        cuts = np.flatnonzero(np.diff(np.stack(widths)[:, order]).any(axis=0)) + 1
        yield (
            chunk,
            [
                np.pad(places[at : at + together], (0, max(0, at + together - len(places))), mode="edge")
                for places in np.split(order, cuts)
                for at in range(0, len(places), together)
            ],
        )


def texts_of(lists: NumberLists, rows: Ints) -> "PaddedTexts":
    """Return texts side by side; needs torch."""
    return _padded([_text(lists, row) for row in rows.tolist()])


def tensor(values: npt.NDArray[Any]) -> "torch.Tensor":
    """Return an array as torch has it."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(values))


def _text(lists: NumberLists, row: int) -> Words:
    text: Words = lists.values[lists.bounds[row] : lists.bounds[row + 1]]
    return text


def _padded(texts: Sequence[Words], step: int = 1, most: int | None = None) -> "PaddedTexts":
    from lexbeam.transforms.cloze.readers.networks import PaddedTexts

    lengths = np.array([max(len(text), 1) for text in texts], np.int64)
    width = -(-int(lengths.max(initial=1)) // step) * step
    words = np.full((len(texts), width if most is None else min(width, most)), PADDING, np.int64)
    for row, text in enumerate(texts):
        words[row, : len(text)] = text
    return PaddedTexts(tensor(words), tensor(lengths))


Arrays = Mapping[str, npt.NDArray[Any]]

_HELD_OUT = 10  # one of so many articles


class ReaderWeights(NamedTuple):
    """A trained reader.

    Attributes:
        weights: arrays by name, float32; embeddings of words that vectors fix are among them.
        losses: of each epoch, the mean loss on questions of the articles held out, in nats; on
            those alone whose answer some question trained on has, if there are any.
        best: the epoch whose weights they are, from 0.
        questions: how many questions it was trained on.
        held_out: how many questions decided when to stop.
        further: how many further questions there were to draw from.
    """

    weights: dict[str, npt.NDArray[np.float32]]
    losses: list[float]
    best: int
    questions: int
    held_out: int
    further: int


def sizes_of(data: TrainingData, options: ReaderNetworkOptions) -> "Sizes":
    """Return how large a network is; needs torch."""
    from lexbeam.transforms.cloze.readers.networks import Sizes

    dim = options.dim if data.vectors is None else data.vectors[0].shape[1]
    return Sizes(data.words, data.candidates, data.gloss_words, dim, options.hidden, options.hops)


def network_reader(network: "Network") -> NetworkReader:
    """Return a network with what trains it and reads by it."""
    return NetworkReader(network, partial(train_reader, network), partial(log_probabilities, network))


class TrainingRows(NamedTuple):
    """Questions by their part in training.

    Attributes:
        trained: those that are trained on.
        further: further questions, numbered behind the questions.
        held_out: those that decide when to stop.
        judged: of these, those whose answer some question trained on has, if there are any; else all.
    """

    trained: Ints
    further: Ints
    held_out: Ints
    judged: Ints


def train_reader(
    network: "Network",
    questions: Questions,
    rows: Ints,
    data: TrainingData,
    options: ReaderNetworkOptions,
    *,
    seed: int,
    further: Further | None = None,
    further_rows: Ints | None = None,
    checked_on: Ints | None = None,
) -> ReaderWeights:
    """Train a reader.

    Args:
        network: one of `networks`.
        questions: of all folds.
        rows: those that may be trained on; their order does not count.
        data: what is known beside.
        options: hyperparameters.
        seed: any whole number.
        further: further questions, of all folds; their passages are those of `questions`.
        further_rows: those that may be trained on; their order does not count.
        checked_on: questions that decide when to stop; None: a tenth of the articles of `rows`,
            which are then not trained on.

    Raises:
        LexbeamError: torch is not installed.
    """
    _require_torch()
    asked = EpochQuestions(questions, further)
    parts = _training_rows(asked, rows, further_rows, checked_on, seed)
    trainer = _Trainer(network, asked, asked.answers[parts.trained], data, options, seed)
    losses: list[float] = []
    best, weights = -1, trainer.weights()
    for epoch in range(options.epochs if len(parts.trained) else 0):
        for batch in epoch_of(asked, parts.trained, parts.further, options, seed=seed, epoch=epoch):
            trainer.step(batch)
        losses.append(trainer.mean_loss(parts.judged))
        if best < 0 or losses[-1] < losses[best]:
            best, weights = epoch, trainer.weights()
        elif epoch - best >= options.patience:
            break
    return ReaderWeights(weights, losses, best, len(parts.trained), len(parts.held_out), len(parts.further))


class _Trainer:
    """A network in training."""

    def __init__(
        self,
        network: "Network",
        asked: EpochQuestions,
        answers: Ints,
        data: TrainingData,
        options: ReaderNetworkOptions,
        seed: int,
    ) -> None:
        import torch

        from lexbeam.transforms.cloze.readers.networks import draw_layers

        drawn = hash_of((seed, "cloze/reader")) >> 1
        self._network, self._asked, self._options = network, asked, options
        self._layers = draw_layers(network, sizes_of(data, options), drawn)
        _initialise(self._layers, data, fixed=data.static and not options.tune_vectors)
        _set_prior(self._layers, answers, options.prior)
        self._glosses = _gloss_texts(data)
        self._drop = _dropout(torch.Generator().manual_seed(drawn ^ 1), 1 - options.dropout)
        trainable = [values for values in self._layers.parameters() if values.requires_grad]
        self._optimiser = torch.optim.Adam(trainable, lr=options.learning_rate)

    def step(self, rows: Ints) -> None:
        """Learn from a batch of questions."""
        import torch

        self._optimiser.zero_grad(set_to_none=True)
        batch = self._asked.batch(rows, self._options.passage_tokens)
        scores = self._network.scores(self._layers, batch, self._glosses, self._drop)
        losses = torch.nn.functional.cross_entropy(scores, tensor(self._asked.answers[rows]), reduction="none")
        counts = np.where(rows < self._asked.first, 1.0, self._options.further_weight)
        shares = tensor((counts / max(counts.sum(), 1e-9)).astype(np.float32))
        (losses @ shares).backward()
        if self._options.clip:
            torch.nn.utils.clip_grad_norm_(self._layers.parameters(), self._options.clip)
        self._optimiser.step()

    def mean_loss(self, rows: Ints) -> float:
        """Return the mean negative log likelihood of the answers of questions, in nats."""
        scored = _scores(self._network, self._layers, self._asked, rows, self._glosses, self._options)
        likelihoods = [logs[np.arange(len(chunk)), self._asked.answers[chunk]] for chunk, logs in scored]
        return float(-np.concatenate(likelihoods).mean())

    def weights(self) -> dict[str, npt.NDArray[np.float32]]:
        """Return a copy of the weights, arrays by name."""
        return {name: values.detach().numpy().copy() for name, values in self._layers.state_dict().items()}


def _require_torch() -> None:
    """Import torch, and limit it to one thread.

    Raises:
        LexbeamError: it is not installed.
    """
    check_torch()
    from lexbeam.transforms.cloze.readers.networks import limit_threads

    limit_threads()


def _training_rows(
    asked: EpochQuestions, rows: Ints, further_rows: Ints | None, checked_on: Ints | None, seed: int
) -> TrainingRows:
    rows = asked.by_key(rows[asked.answers[rows] >= 0])
    further = asked.by_key(np.zeros(0, np.int64) if further_rows is None else further_rows + asked.first)
    held = _is_held_out(asked, rows, seed)
    if checked_on is not None:
        trained, held_out = rows, checked_on[asked.answers[checked_on] >= 0]
    elif held.any() and not held.all():
        trained, held_out = rows[~held], rows[held]
        further = further[~_is_held_out(asked, further, seed)]
    else:  # there are too few articles: all questions serve both
        trained = held_out = rows
    known = np.isin(asked.answers[held_out], asked.answers[np.concatenate([trained, further])])
    return TrainingRows(trained, further, held_out, held_out[known] if known.any() else held_out)


def _is_held_out(asked: EpochQuestions, rows: Ints, seed: int) -> npt.NDArray[np.bool_]:
    return np.asarray(fold_of(asked.articles[rows], _HELD_OUT, seed=seed, label="cloze/held out") == 0)


def _dropout(generator: "torch.Generator", share: float) -> "Drop":
    """Return what keeps a share of values, drawn anew each time, and scales them accordingly."""
    import torch

    def drop(values: torch.Tensor) -> torch.Tensor:
        mask = torch.rand(values.shape, generator=generator) < share
        return values * mask / share

    return drop


def log_probabilities(
    network: "Network",
    weights: Arrays,
    questions: Questions,
    rows: Ints,
    data: TrainingData,
    options: ReaderNetworkOptions,
) -> Iterator[tuple[Ints, npt.NDArray[np.float64]]]:
    """Yield questions, many at a time, and their candidates' natural log probabilities.

    Args:
        network: one of `networks`.
        weights: of `ReaderWeights`.
        questions: of all folds.
        rows: those to predict.
        data: with which the reader was trained.
        options: those with which it was trained.

    Yields:
        Rows, in their order, and float64 of shape (rows, candidates). The numbers of a question do
        not depend on the others.

    Raises:
        LexbeamError: torch is not installed.
    """
    _require_torch()
    import torch

    from lexbeam.transforms.cloze.readers.networks import draw_layers

    layers = draw_layers(network, sizes_of(data, options), 0)
    layers.load_state_dict({name: torch.from_numpy(np.array(values)) for name, values in weights.items()})
    yield from _scores(network, layers, EpochQuestions(questions), rows, _gloss_texts(data), options)


def _gloss_texts(data: TrainingData) -> "PaddedTexts | None":
    return None if data.glosses is None else texts_of(data.glosses, np.arange(data.candidates))


def _scores(
    network: "Network",
    layers: "ModuleDict",
    asked: EpochQuestions,
    rows: Ints,
    glosses: "PaddedTexts | None",
    options: ReaderNetworkOptions,
) -> Iterator[tuple[Ints, npt.NDArray[np.float64]]]:
    import torch

    width = len(layers["embed_candidates"].weight) if "embed_candidates" in layers else asked.options
    for chunk, batches in alike(asked, rows, options, width):
        logs = np.empty((len(chunk), width))
        for places in batches:
            batch = asked.batch(chunk[places], options.passage_tokens, even=True)
            with torch.no_grad():
                scores = network.scores(layers, batch, glosses, _whole)
                # A place that is repeated has the same numbers each time.
                logs[places] = scores.double().log_softmax(1).numpy()
        yield chunk, logs


def _whole(values: "torch.Tensor") -> "torch.Tensor":
    return values


def _initialise(layers: "ModuleDict", data: TrainingData, *, fixed: bool) -> None:
    """Put vectors in the place of embeddings; if `fixed`, those of texts are not trained."""
    import torch

    for name, known_vectors in (("embed_words", data.vectors), ("embed_candidates", data.candidate_vectors)):
        if known_vectors is None:
            continue
        vectors, known = known_vectors
        with torch.no_grad():
            rows = torch.from_numpy(np.flatnonzero(known))
            layers[name].weight[rows] = torch.from_numpy(vectors[known])
        if fixed and name == "embed_words":
            layers[name].weight.requires_grad_(False)


def _set_prior(layers: "ModuleDict", answers: npt.NDArray[np.int64], prior: float) -> None:
    """Begin with the logarithm of how many questions have each answer, and `prior` more."""
    import torch

    if "prior" not in layers:  # a question's options are no words that are named
        return
    scores = layers["prior"].weight
    if prior:
        counts = np.bincount(answers, minlength=len(scores))[:, None]
        with torch.no_grad():
            scores.copy_(torch.from_numpy(np.log(counts + prior)))
    else:
        scores.requires_grad_(False)
