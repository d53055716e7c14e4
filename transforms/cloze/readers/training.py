"""Training of readers, and their predictions: one thread, one seed, the same bytes.

Adam (Kingma and Ba 2015) on the negative log likelihood of the answer among all candidate words. A
tenth of the articles are held out; training stops when their loss has not fallen for `patience`
epochs, and the weights of the best epoch are kept. Questions whose answer is no candidate are not
trained on. Further questions, of the articles that are not held out, are drawn anew each epoch; in
the loss, a question counts 1 and a further one `further_weight`. Every draw is by content or from
a generator of its own.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from transforms.cloze.readers.batches import EpochQuestions, alike, epoch_of, tensor, texts_of
from transforms.cloze.readers.options import Further, Questions, ReaderNetworkOptions, TrainingData, needs_torch
from transforms.common.draws.by_content import hash_of
from transforms.common.draws.folds import fold_of

if TYPE_CHECKING:
    from transforms.cloze.readers.networks import Sizes

__all__ = ["ReaderWeights", "log_probabilities", "sizes_of", "train_reader"]

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
    from transforms.cloze.readers.networks import Sizes

    dim = options.dim if data.vectors is None else data.vectors[0].shape[1]
    return Sizes(data.words, data.candidates, data.gloss_words, dim, options.hidden, options.hops)


def train_reader(
    kind: str,
    questions: Questions,
    rows: npt.NDArray[np.int64],
    data: TrainingData,
    options: ReaderNetworkOptions,
    *,
    seed: int,
    further: Further | None = None,
    further_rows: npt.NDArray[np.int64] | None = None,
    checked_on: npt.NDArray[np.int64] | None = None,
) -> ReaderWeights:
    """Train a reader.

    Args:
        kind: a key of `networks.NETWORKS` or of `READERS`.
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
    try:
        import torch
    except ModuleNotFoundError as error:
        raise needs_torch("torch") from error
    from transforms.cloze.readers.networks import layers_of, network_of, one_thread

    one_thread()
    asked = EpochQuestions(questions, further)
    rows = rows[questions.answers[rows] >= 0]
    more = np.zeros(0, np.int64) if further_rows is None else further_rows + asked.first
    rows, more = (own[np.argsort(asked.keys[own], kind="stable")] for own in (rows, more))
    training, checking = _apart(asked, rows, seed)
    if checked_on is not None:
        training, checking = rows, checked_on[questions.answers[checked_on] >= 0]
    elif len(checking):  # else there are too few articles: what there is does both
        more = more[~_is_held_out(asked, more, seed)]
    else:
        training = checking = rows
    known = np.isin(asked.answers[checking], asked.answers[np.concatenate([training, more])])
    judged = checking[known] if known.any() else checking
    drawn = hash_of((seed, "cloze/reader")) >> 1
    network = network_of(kind)
    layers = layers_of(kind, sizes_of(data, options), drawn)
    _initialise(layers, data, fixed=data.given and not options.tune_vectors)
    _set_prior(layers, asked.answers[training], options.prior)
    glosses = None if data.glosses is None else texts_of(data.glosses, np.arange(data.candidates))
    generator = torch.Generator().manual_seed(drawn ^ 1)
    keep = 1 - options.dropout

    def drop(values: torch.Tensor) -> torch.Tensor:
        mask = torch.rand(values.shape, generator=generator) < keep
        return values * mask / keep

    optimiser = torch.optim.Adam([own for own in layers.parameters() if own.requires_grad], lr=options.learning_rate)
    losses: list[float] = []
    best, weights = -1, _weights(layers)
    epochs = options.epochs if len(rows) else 0
    for epoch in range(epochs):
        for some in epoch_of(asked, training, more, options, seed=seed, epoch=epoch):
            optimiser.zero_grad(set_to_none=True)
            batch = asked.batch(some, options.passage_tokens)
            scores = network.scores(layers, batch, glosses, drop)
            loss = torch.nn.functional.cross_entropy(scores, tensor(asked.answers[some]), reduction="none")
            counts = np.where(some < asked.first, 1.0, options.further_weight)
            shares = tensor((counts / max(counts.sum(), 1e-9)).astype(np.float32))
            (loss @ shares).backward()
            if options.clip:
                torch.nn.utils.clip_grad_norm_(layers.parameters(), options.clip)
            optimiser.step()
        found = _scores(kind, layers, asked, judged, glosses, options)
        at = np.concatenate([own[np.arange(len(some)), asked.answers[some]] for some, own in found])
        losses.append(float(-at.mean()))
        if best < 0 or losses[-1] < losses[best]:
            best, weights = epoch, _weights(layers)
        elif epoch - best >= options.patience:
            break
    return ReaderWeights(weights, losses, best, len(training), len(checking), len(more))


def _apart(
    asked: EpochQuestions, rows: npt.NDArray[np.int64], seed: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return questions to train on and those held out; none are, if none would be left."""
    held = _is_held_out(asked, rows, seed)
    return (rows, rows[:0]) if held.all() else (rows[~held], rows[held])


def _is_held_out(asked: EpochQuestions, rows: npt.NDArray[np.int64], seed: int) -> npt.NDArray[np.bool_]:
    fold = fold_of(asked.articles[rows], _HELD_OUT, seed=seed, label="cloze/held out")
    held: npt.NDArray[np.bool_] = fold == 0
    return held


def log_probabilities(
    kind: str,
    weights: Arrays,
    questions: Questions,
    rows: npt.NDArray[np.int64],
    data: TrainingData,
    options: ReaderNetworkOptions,
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]:
    """Yield questions, many at a time, and their candidates' natural log probabilities.

    Args:
        kind: a key of `networks.NETWORKS` or of `READERS`.
        weights: of `ReaderWeights`.
        questions: of all folds.
        rows: those that are asked.
        data: with which the reader was trained.
        options: likewise.

    Yields:
        Rows, in their order, and float64 of shape (rows, candidates). The numbers of a question do
        not depend on the others.

    Raises:
        LexbeamError: torch is not installed.
    """
    try:
        import torch
    except ModuleNotFoundError as error:
        raise needs_torch("torch") from error
    from transforms.cloze.readers.networks import layers_of, one_thread

    one_thread()
    layers = layers_of(kind, sizes_of(data, options), 0)
    layers.load_state_dict({name: torch.from_numpy(np.array(own)) for name, own in weights.items()})
    glosses = None if data.glosses is None else texts_of(data.glosses, np.arange(data.candidates))
    yield from _scores(kind, layers, EpochQuestions(questions), rows, glosses, options)


def _scores(
    kind: str,
    layers: Any,
    asked: EpochQuestions,
    rows: npt.NDArray[np.int64],
    glosses: Any,
    options: ReaderNetworkOptions,
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]:
    import torch

    from transforms.cloze.readers.networks import network_of

    network = network_of(kind)
    width = len(layers["embed_candidates"].weight) if "embed_candidates" in layers else asked.options
    for some, batches in alike(asked, rows, options, width):
        found = np.empty((len(some), width))
        for places in batches:
            batch = asked.batch(some[places], options.passage_tokens, even=True)
            with torch.no_grad():
                scores = network.scores(layers, batch, glosses, _whole)
                # A place that is repeated has the same numbers each time.
                found[places] = scores.double().log_softmax(1).numpy()
        yield some, found


def _whole(values: Any) -> Any:
    return values


def _initialise(layers: Any, data: TrainingData, *, fixed: bool) -> None:
    """Put vectors in the place of embeddings; where `fixed` those of texts stay as they are."""
    import torch

    for name, given in (("embed_words", data.vectors), ("embed_candidates", data.candidate_vectors)):
        if given is None:
            continue
        with torch.no_grad():
            rows = torch.from_numpy(np.flatnonzero(given[1]))
            layers[name].weight[rows] = torch.from_numpy(given[0][given[1]])
        if fixed and name == "embed_words":
            layers[name].weight.requires_grad_(False)


def _set_prior(layers: Any, answers: npt.NDArray[np.int64], prior: float) -> None:
    """Begin with the logarithm of how many questions have each answer, and `prior` more."""
    import torch

    if "prior" not in layers:  # a question's options are no words that are named
        return
    own = layers["prior"].weight
    if prior:
        counts = np.bincount(answers, minlength=len(own))[:, None]
        with torch.no_grad():
            own.copy_(torch.from_numpy(np.log(counts + prior)))
    else:
        own.requires_grad_(False)


def _weights(layers: Any) -> dict[str, npt.NDArray[np.float32]]:
    return {name: own.detach().numpy().copy() for name, own in layers.state_dict().items()}
