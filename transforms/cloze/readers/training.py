"""Training of readers, and their predictions: one thread, one seed, the same bytes.

Adam (Kingma and Ba 2015) on the negative log likelihood of the answer among all candidate words. A
tenth of the articles are held out; training stops when their loss has not fallen for `patience`
epochs, and the weights of the best epoch are kept. Questions whose answer is no candidate are not
trained on. Further questions, of the articles that are not held out, are drawn anew each epoch; in
the loss, a question counts 1 and a further one `further_weight`. Every draw is by content or from
a generator of its own.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.cloze.readers.batches import EpochQuestions, alike, epoch_of, tensor, texts_of
from lexbeam.transforms.cloze.readers.options import (
    Further,
    NetworkReader,
    Questions,
    ReaderNetworkOptions,
    TrainingData,
    check_torch,
)
from lexbeam.transforms.common.draws.by_content import hash_of
from lexbeam.transforms.common.draws.splits import fold_of

if TYPE_CHECKING:
    import torch
    from torch.nn import ModuleDict

    from lexbeam.transforms.cloze.readers.networks import Drop, Network, PaddedTexts, Sizes

Arrays = Mapping[str, npt.NDArray[Any]]
Ints = npt.NDArray[np.int64]

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
