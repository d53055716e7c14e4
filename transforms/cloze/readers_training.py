"""Training of readers, and their predictions: one thread, one seed, the same bytes.

Adam (Kingma and Ba 2015) on the negative log likelihood of the answer among all candidate words. A
tenth of the articles are held out; training stops when their loss has not fallen for `patience`
epochs, and the weights of the best epoch are kept. Questions whose answer is no candidate are not
trained on. Every draw is by content or from a generator of its own.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from transforms.cloze.readers import (
    PADDING,
    Lists,
    Questions,
    ReaderOptions,
    TrainingData,
    needs_torch,
)
from transforms.common.draws import hash_of, numbers, permutation
from transforms.common.folds import fold_of

if TYPE_CHECKING:
    from transforms.cloze.readers_networks import Batch, Sizes, Texts

__all__ = ["Trained", "log_probabilities", "sizes_of", "train_reader"]

Arrays = Mapping[str, npt.NDArray[Any]]

_HELD_OUT = 10  # one of so many articles
_POOL = 16  # batches whose questions are put in the order of their passages' lengths


class Trained(NamedTuple):
    """A trained reader.

    Attributes:
        weights: arrays by name, float32; embeddings of words that vectors fix are among them.
        losses: of each epoch, the mean loss on the articles held out, in nats.
        best: the epoch whose weights they are, from 0.
        questions: how many questions it was trained on.
        held_out: how many questions decided when to stop.
    """

    weights: dict[str, npt.NDArray[np.float32]]
    losses: list[float]
    best: int
    questions: int
    held_out: int


def sizes_of(data: TrainingData, options: ReaderOptions) -> "Sizes":
    """Return how large a network is; needs torch."""
    from transforms.cloze.readers_networks import Sizes

    dim = options.dim if data.vectors is None else data.vectors[0].shape[1]
    return Sizes(data.words, data.candidates, data.gloss_words, dim, options.hidden, options.hops)


def train_reader(
    kind: str,
    questions: Questions,
    rows: npt.NDArray[np.int64],
    data: TrainingData,
    options: ReaderOptions,
    *,
    seed: int,
    checked_on: npt.NDArray[np.int64] | None = None,
) -> Trained:
    """Train a reader.

    Args:
        kind: an entry of `readers_networks.NETWORKS`.
        questions: of all folds.
        rows: those that may be trained on; their order does not count.
        data: what is known beside.
        options: hyperparameters.
        seed: any whole number.
        checked_on: rows that decide when to stop; None: a tenth of the articles of `rows`, which
            are then not trained on.

    Raises:
        LexbeamError: torch is not installed.
    """
    try:
        import torch
    except ModuleNotFoundError as error:
        raise needs_torch("torch") from error
    from transforms.cloze.readers_networks import NETWORKS, network_of, one_thread

    one_thread()
    rows = rows[questions.answers[rows] >= 0]
    rows = rows[np.argsort(questions.keys[rows], kind="stable")]
    held = fold_of(questions.articles[rows], _HELD_OUT, seed=seed, label="cloze/held out") == 0
    training, checking = rows[~held], rows[held]
    if checked_on is not None:
        training, checking = rows, checked_on[questions.answers[checked_on] >= 0]
    if not len(training) or not len(checking):  # too few articles: what there is does both
        training = checking = rows
    drawn = hash_of((seed, "cloze/reader")) >> 1
    network = NETWORKS[kind]
    layers = network_of(kind, sizes_of(data, options), drawn)
    _initialise(layers, data, fixed=not options.tune_vectors)
    glosses = None if data.glosses is None else _texts(data.glosses, np.arange(data.candidates))
    generator = torch.Generator().manual_seed(drawn ^ 1)
    keep = 1 - options.dropout

    def drop(values: torch.Tensor) -> torch.Tensor:
        mask = torch.rand(values.shape, generator=generator) < keep
        return values * mask / keep

    optimiser = torch.optim.Adam(
        [own for own in layers.parameters() if own.requires_grad], lr=options.learning_rate
    )
    losses: list[float] = []
    best, weights = -1, _weights(layers)
    epochs = options.epochs if len(rows) else 0
    for epoch in range(epochs):
        for some in _batches(questions, training, options, seed=seed, epoch=epoch):
            optimiser.zero_grad(set_to_none=True)
            scores = network.scores(layers, _batch(questions, some, options), glosses, drop)
            loss = torch.nn.functional.cross_entropy(scores, _tensor(questions.answers[some]))
            loss.backward()
            if options.clip:
                torch.nn.utils.clip_grad_norm_(layers.parameters(), options.clip)
            optimiser.step()
        found = _scores(kind, layers, questions, checking, glosses, options)
        at = np.concatenate([own[np.arange(len(some)), questions.answers[some]]
                             for some, own in found])  # fmt: skip
        losses.append(float(-at.mean()))
        if best < 0 or losses[-1] < losses[best]:
            best, weights = epoch, _weights(layers)
        elif epoch - best >= options.patience:
            break
    return Trained(weights, losses, best, len(training), len(checking))


def log_probabilities(
    kind: str,
    weights: Arrays,
    questions: Questions,
    rows: npt.NDArray[np.int64],
    data: TrainingData,
    options: ReaderOptions,
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]:
    """Yield questions, a batch at a time, and their candidates' natural log probabilities.

    Args:
        kind: an entry of `readers_networks.NETWORKS`.
        weights: of `Trained`.
        questions: of all folds.
        rows: those that are asked.
        data: with which the reader was trained.
        options: likewise.

    Yields:
        Rows, and float64 of shape (rows, candidates). Each question is asked for itself, so that
        the numbers do not depend on the others, but for the length of padding.

    Raises:
        LexbeamError: torch is not installed.
    """
    try:
        import torch
    except ModuleNotFoundError as error:
        raise needs_torch("torch") from error
    from transforms.cloze.readers_networks import network_of, one_thread

    one_thread()
    layers = network_of(kind, sizes_of(data, options), 0)
    layers.load_state_dict({name: torch.from_numpy(np.array(own)) for name, own in weights.items()})
    glosses = None if data.glosses is None else _texts(data.glosses, np.arange(data.candidates))
    yield from _scores(kind, layers, questions, rows, glosses, options)


def _scores(
    kind: str, layers: Any, questions: Questions, rows: npt.NDArray[np.int64], glosses: Any,
    options: ReaderOptions,
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]:  # fmt: skip
    import torch

    from transforms.cloze.readers_networks import NETWORKS

    for start in range(0, len(rows), options.batch):
        some = rows[start : start + options.batch]
        with torch.no_grad():
            scores = NETWORKS[kind].scores(
                layers, _batch(questions, some, options), glosses, _whole
            )
            yield some, scores.double().log_softmax(1).numpy()


def _whole(values: Any) -> Any:
    return values


def _batches(
    questions: Questions, rows: npt.NDArray[np.int64], options: ReaderOptions, *, seed: int,
    epoch: int,
) -> Iterator[npt.NDArray[np.int64]]:  # fmt: skip
    """Yield the batches of an epoch: in random order, of passages of about the same length."""
    label = f"cloze/epoch {epoch}"
    order = rows[permutation(questions.keys[rows], seed=seed, label=label)]
    lengths = np.diff(questions.passages.bounds)[questions.passage]
    pool = options.batch * _POOL
    for start in range(0, len(order), pool):
        some = order[start : start + pool]
        some = some[np.argsort(lengths[some], kind="stable")]
        cut = [some[at : at + options.batch] for at in range(0, len(some), options.batch)]
        firsts = questions.keys[[own[0] for own in cut]]
        for place in np.argsort(numbers(firsts, seed=seed, label=label), kind="stable").tolist():
            yield cut[place]


def _batch(questions: Questions, rows: npt.NDArray[np.int64], options: ReaderOptions) -> "Batch":
    from transforms.cloze.readers_networks import Batch

    return Batch(
        _texts(questions.passages, questions.passage[rows], options.passage_tokens),
        _texts(questions.summaries, rows),
        _tensor(questions.places[rows]),
        None if questions.options is None else _tensor(questions.options[rows]),
    )


def _texts(lists: Lists, rows: npt.NDArray[np.int64], most: int | None = None) -> "Texts":
    from transforms.cloze.readers_networks import Texts

    starts = lists.bounds[rows]
    lengths = lists.bounds[rows + 1] - starts
    if most is not None:
        lengths = np.minimum(lengths, most)
    words = np.full((len(rows), int(lengths.max(initial=1))), PADDING, np.int64)
    for row, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        words[row, :length] = lists.values[start : start + length]
    return Texts(_tensor(words), _tensor(lengths))


def _tensor(values: npt.NDArray[np.int64]) -> Any:
    import torch

    return torch.from_numpy(np.ascontiguousarray(values))


def _initialise(layers: Any, data: TrainingData, *, fixed: bool) -> None:
    """Put vectors in the place of embeddings; where `fixed` those of texts stay as they are."""
    import torch

    for name, given in (
        ("embed_words", data.vectors), ("embed_candidates", data.candidate_vectors),
    ):  # fmt: skip
        if given is None:
            continue
        with torch.no_grad():
            rows = torch.from_numpy(np.flatnonzero(given[1]))
            layers[name].weight[rows] = torch.from_numpy(given[0][given[1]])
        if fixed and name == "embed_words":
            layers[name].weight.requires_grad_(False)


def _weights(layers: Any) -> dict[str, npt.NDArray[np.float32]]:
    return {name: own.detach().numpy().copy() for name, own in layers.state_dict().items()}
