"""Estimators of concreteness: kernel ridge regression, a network; each an entry of `ESTIMATORS` that fits and predicts.

What is fitted is arrays by name and nothing else, so that a model is kept and loaded without
executing anything (docs/reference/models.md). Inputs are rows whose mean square length is about 1, labels 0
(abstract) to 1 (concrete).

Ridge regression and kernel ridge regression are fitted without each fold at once: products of what words are described
as are summed by fold. To leave a fold out is to leave out its sums, so that all fits together take about the time of
one.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.cloze.abstractness.concreteness_options import EstimatorOptions
from lexbeam.transforms.common.arithmetic import dots, gaussian_sums, product
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.draws.by_content import uniform
from lexbeam.transforms.common.errors import UsageError, missing_package
from lexbeam.transforms.common.machine import endable

if TYPE_CHECKING:
    import torch


Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Fitted = dict[str, npt.NDArray[Any]]


class ConcretenessTraining(NamedTuple):
    """What an estimator learns from.

    Attributes:
        words: distinct, sorted.
        rows: (words, columns).
        labels: (words,), 0 to 1.
    """

    words: Sequence[str]
    rows: Floats
    labels: Floats


_AT_ONCE = 4096  # words
_JITTER = 1e-6  # of the landmarks' kernel: words that are described alike would leave their weights undecided


def fit_ridge(
    training: ConcretenessTraining, fold: Ints, left_out: Sequence[int], options: EstimatorOptions
) -> list[Fitted]:
    """Ridge regression (Hoerl and Kennard 1970)."""
    penalty = np.eye(training.rows.shape[1])
    return [
        {"weights": weights[:-1], "intercept": weights[-1:].reshape(())}
        for weights in _solved(training, fold, left_out, options.ridge_alpha * penalty, lambda rows: rows)
    ]


def predict_ridge(fitted: Fitted, rows: Floats) -> Floats:
    """Return what ridge regression predicts of rows."""
    return np.asarray(dots(rows, fitted["weights"]) + fitted["intercept"])


def fit_kernel(
    training: ConcretenessTraining, fold: Ints, left_out: Sequence[int], options: EstimatorOptions
) -> list[Fitted]:
    """Kernel ridge regression, of a Gaussian and a linear kernel together (Saunders, Gammerman and Vovk 1998).

    The Gaussian kernel's weights are of some words alone, the landmarks (Smola and Schoelkopf 2000: a subset of
    regressors), so that time is linear in the words. Landmarks are drawn by their hash, ratings play no part in it.
    """
    rows, gamma = training.rows, options.kernel_gamma
    drawn = np.argsort(uniform(training.words, seed=options.seed, label="cloze/landmarks"), kind="stable")
    landmarks = rows[np.sort(drawn[: options.landmarks])]
    count, columns = len(landmarks), rows.shape[1]
    penalty = np.eye(count + columns)
    penalty[:count, :count] = _gaussian(landmarks, landmarks, gamma) + _JITTER * np.eye(count)
    solved = _solved(
        training,
        fold,
        left_out,
        options.ridge_alpha * penalty,
        lambda some: np.hstack([_gaussian(some, landmarks, gamma), some]),
    )
    return [
        {
            "landmarks": landmarks,
            "shares": weights[:count],
            "weights": weights[count:-1],
            "intercept": weights[-1:].reshape(()),
            "gamma": np.array(gamma),
        }
        for weights in solved
    ]


def predict_kernel(fitted: Fitted, rows: Floats) -> Floats:
    """Return what kernel ridge regression predicts of rows."""
    sums = gaussian_sums(rows, fitted["landmarks"], fitted["shares"], float(fitted["gamma"]))
    return np.asarray(sums + predict_ridge(fitted, rows))


def _gaussian(rows: Floats, others: Floats, gamma: float) -> Floats:
    """Return the Gaussian kernel of rows and others, which are fitted to: sums have any order."""
    apart = (rows**2).sum(axis=1)[:, None] + (others**2).sum(axis=1) - 2 * rows @ others.T
    return np.asarray(np.exp(-gamma * np.maximum(apart, 0.0)))


def _solved(
    training: ConcretenessTraining,
    fold: Ints,
    left_out: Sequence[int],
    penalty: Floats,
    described: Callable[[Floats], Floats],
) -> list[Floats]:
    """Return weights of least squares with a quadratic penalty, the last one the intercept, which is not penalised.

    Args:
        training: rated words.
        fold: that of each word.
        left_out: the fold that each fit does without.
        penalty: (columns, columns), of what words are described as.
        described: that, from rows.

    Raises:
        UsageError: rounding decides the weights.
    """
    size = len(penalty) + 1
    products = {number: (np.zeros((size, size)), np.zeros(size)) for number in np.unique(fold).tolist()}
    for number, (square, sums) in products.items():
        places = np.flatnonzero(fold == number)
        for start in range(0, len(places), _AT_ONCE):
            some = places[start : start + _AT_ONCE]
            columns = np.hstack([described(training.rows[some]), np.ones((len(some), 1))])
            square += columns.T @ columns
            sums += columns.T @ training.labels[some]
    weights = []
    for out in left_out:
        square, sums = np.zeros((size, size)), np.zeros(size)
        square[:-1, :-1] = penalty
        for number, (more, labelled) in products.items():
            if number != out:
                square += more
                sums += labelled
        weights.append(_weights(square, sums))
    return weights


def _weights(square: Floats, sums: Floats) -> Floats:
    """Return the solution of the normal equations, in units in which the diagonal of the square is between .5 and 2.

    Where a penalty is large beside the intercept's count of words, the square is ill-conditioned by its units alone
    (van der Sluis 1969), and so no ground for an error. Units are powers of two, which change no bit of the solution.

    Raises:
        UsageError: rounding decides it.
    """
    from scipy.linalg import LinAlgError, LinAlgWarning, solve

    units = np.exp2(-np.round(np.log2(square.diagonal()) / 2))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", LinAlgWarning)
            found = solve(square * units * units[:, None], sums * units, assume_a="pos", overwrite_a=True)
    except (LinAlgError, LinAlgWarning) as error:
        raise UsageError(
            "what words are described by is too much alike for so small a penalty, and rounding would decide what is "
            "learned: give a greater `ridge_alpha`; with estimator kernel, a greater `kernel_gamma` helps, too"
        ) from error
    return np.asarray(found * units)


_STOPPING = 0.1  # share of the words by which the network is stopped


@contextmanager
def _limited_torch(seed: int) -> Iterator[None]:
    """Seed torch and limit it to one thread within the block; its other users notice nothing."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield
    finally:
        torch.set_num_threads(threads)


def fit_networks(
    training: ConcretenessTraining, fold: Ints, left_out: Sequence[int], options: EstimatorOptions
) -> list[Fitted]:
    """Fit networks, each without one fold."""
    return [_fit_network(_without(training, fold == out), options) for out in left_out]


def _without(training: ConcretenessTraining, out: npt.NDArray[np.bool_]) -> ConcretenessTraining:
    words = [word for word, leave in zip(training.words, out.tolist(), strict=True) if not leave]
    return ConcretenessTraining(words, training.rows[~out], training.labels[~out])


def _fit_network(training: ConcretenessTraining, options: EstimatorOptions) -> Fitted:
    """The network of ReCAM (Zheng et al. 2021): two ReLU layers, sigmoid output, squared error.

    Sizes, dropout, Adam (Kingma and Ba 2015) and stopping by a tenth of the words are ours, for the
    paper's are not known.
    """
    try:
        import torch
    except ModuleNotFoundError as error:
        raise missing_package(
            "the estimator network needs", "torch", "torch", otherwise="give another `estimator`"
        ) from error
    rows = training.rows
    held = uniform(training.words, seed=options.seed, label="cloze/stopping") < _STOPPING
    if not held.any() or held.all():
        held = np.arange(len(rows)) == 0
    # Columns of one scale are what Adam's step is for.
    scale = np.maximum(rows.std(axis=0), 1e-3)
    with _limited_torch(options.seed):
        data = torch.tensor(rows / scale, dtype=torch.float32)
        labels = torch.tensor(training.labels, dtype=torch.float32)
        network = torch.nn.Sequential(
            torch.nn.Dropout(options.dropout),
            torch.nn.Linear(data.shape[1], options.hidden),
            torch.nn.ReLU(),
            torch.nn.Dropout(options.dropout),
            torch.nn.Linear(options.hidden, options.hidden),
            torch.nn.ReLU(),
            torch.nn.Linear(options.hidden, 1),
            torch.nn.Sigmoid(),
        )
        _train(network, data, labels, held, options)
    fitted: Fitted = {"scale": scale}
    linear = [layer for layer in network if isinstance(layer, torch.nn.Linear)]
    for place, layer in enumerate(linear):
        fitted[f"weights_{place}"] = layer.weight.detach().numpy().T.copy()
        fitted[f"intercepts_{place}"] = layer.bias.detach().numpy().copy()
    return fitted


def _train(
    network: "torch.nn.Module",
    data: "torch.Tensor",
    labels: "torch.Tensor",
    held: npt.NDArray[np.bool_],
    options: EstimatorOptions,
) -> None:
    """Train a network until `patience` passes bring nothing; leave it at its best."""
    import torch

    learning, stopping = (torch.tensor(np.flatnonzero(mask)) for mask in (~held, held))
    adam = torch.optim.Adam(network.parameters(), lr=options.learning_rate)
    loss = torch.nn.MSELoss()
    best, weights, since = float("inf"), None, 0
    for _ in range(options.epochs):
        network.train()
        order = learning[torch.randperm(len(learning))]
        for batch in order.split(options.batch):
            adam.zero_grad()
            loss(network(data[batch]).squeeze(1), labels[batch]).backward()
            adam.step()
        network.eval()
        with torch.no_grad():
            error = float(loss(network(data[stopping]).squeeze(1), labels[stopping]))
        since += 1
        if error < best:
            best, since = error, 0
            weights = {name: value.clone() for name, value in network.state_dict().items()}
        if since >= options.patience:
            break
    if weights is not None:
        network.load_state_dict(weights)


def predict_network(fitted: Fitted, rows: Floats) -> Floats:
    """Return what a network predicts of rows."""
    values = rows / fitted["scale"]
    last = 2
    for place in range(last + 1):
        values = product(values, fitted[f"weights_{place}"]) + fitted[f"intercepts_{place}"]
        if place < last:
            values = np.maximum(values, 0.0)
    return np.asarray(1.0 / (1.0 + np.exp(-values[:, 0])))


NONE = -1  # no fold


@dataclass(frozen=True)
class Estimator(Entry):
    """An estimator.

    Attributes:
        fit: from words, the fold of each, the fold that each fit does without, and options: arrays by name for each.
        predict: from these and rows, a number for each row.
        uses: the options that decide what is fitted.
    """

    fit: Callable[[ConcretenessTraining, Ints, Sequence[int], EstimatorOptions], list[Fitted]]
    predict: Callable[[Fitted, Floats], Floats]
    uses: tuple[str, ...]


def fit(
    name: str,
    training: ConcretenessTraining,
    options: EstimatorOptions,
    fold: Ints | None = None,
    left_out: Sequence[int] = (NONE,),
) -> list[Fitted]:
    """Fit an estimator once or several times, each time without one fold; on one thread, an interrupt ends it.

    Args:
        name: an entry of `ESTIMATORS`.
        training: rated words.
        options: of estimators.
        fold: that of each word; None: there are none.
        left_out: the fold that each fit does without; `NONE`: it has all words.

    Raises:
        LexbeamError: a package is not installed; the message names the extra.
    """
    fold = np.zeros(len(training.labels), np.int64) if fold is None else fold
    return endable(ESTIMATORS[name].fit, training, fold, left_out, options, rows=len(training.labels))


def predict(name: str, fitted: Fitted, rows: Floats) -> Floats:
    """Return the concreteness of rows, cut to 0 to 1; that of a row does not depend on others."""
    return np.clip(ESTIMATORS[name].predict(fitted, rows), 0.0, 1.0)


_NETWORK = ("hidden", "dropout", "epochs", "patience", "batch", "learning_rate")

ESTIMATORS: Registry[Estimator] = Registry(
    {
        "ridge": Estimator(fit_ridge, predict_ridge, ("ridge_alpha",), doc="ridge regression"),
        "kernel": Estimator(
            fit_kernel,
            predict_kernel,
            ("ridge_alpha", "kernel_gamma", "landmarks"),
            doc="kernel ridge regression, Gaussian and linear",
        ),
        "network": Estimator(
            fit_networks,
            predict_network,
            _NETWORK,
            modules=("torch",),
            extra="torch",
            doc="the paper's network; needs torch",
        ),
    },
    what="estimator",
    group="lexbeam.concreteness_estimators",
)
