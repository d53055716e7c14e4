"""Estimators of concreteness: each a function that fits, one that predicts, a line in `ESTIMATORS`.

What is fitted is arrays by name and nothing else, so that a model is kept and loaded without
executing anything (docs/reference/models.md). Inputs are rows whose mean square length is about 1, labels 0
(abstract) to 1 (concrete).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from transforms.cloze.abstractness.options import EstimatorOptions
from transforms.common.code.registry import Entry, Registry
from transforms.common.draws.by_content import uniform
from transforms.common.endable import endable
from transforms.common.extras import missing_package
from transforms.common.rowwise import dots, product
from transforms.learning.models.kernels import gaussian_sums
from transforms.learning.models.model import needs_models

if TYPE_CHECKING:
    import torch

__all__ = ["ESTIMATORS", "MEMBERS", "ConcretenessTraining", "Estimator", "Fitted", "fit", "predict"]

Floats = npt.NDArray[np.float64]
Fitted = dict[str, npt.NDArray[Any]]

MEMBERS = ("ridge", "svr")  # of the mean
_STOPPING = 0.1  # share of the words by which the network is stopped


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


@dataclass(frozen=True)
class Estimator(Entry):
    """An estimator.

    Attributes:
        fit: from words and options, arrays by name.
        predict: from these and rows, a number for each row.
        uses: the options that decide what is fitted.
    """

    fit: Callable[[ConcretenessTraining, EstimatorOptions], Fitted]
    predict: Callable[[Fitted, Floats], Floats]
    uses: tuple[str, ...]


def fit(name: str, training: ConcretenessTraining, options: EstimatorOptions) -> Fitted:
    """Fit an estimator on one thread; an interrupt ends it.

    Args:
        name: an entry of `ESTIMATORS`.
        training: rated words.
        options: of estimators.

    Raises:
        LexbeamError: a package is not installed; the message names the extra.
    """
    return endable(ESTIMATORS[name].fit, training, options, rows=len(training.labels))


def predict(name: str, fitted: Fitted, rows: Floats) -> Floats:
    """Return the concreteness of rows, cut to 0 to 1; that of a row does not depend on others."""
    return np.clip(ESTIMATORS[name].predict(fitted, rows), 0.0, 1.0)


def _fit_ridge(training: ConcretenessTraining, options: EstimatorOptions) -> Fitted:
    """Ridge regression (Hoerl and Kennard 1970)."""
    rows, labels = training.rows, training.labels
    centre, mean = rows.mean(axis=0), float(labels.mean())
    centred = rows - centre
    square = centred.T @ centred + options.ridge_alpha * np.eye(rows.shape[1])
    weights = np.linalg.solve(square, centred.T @ (labels - mean))
    return {"weights": weights, "intercept": np.array(mean - float(centre @ weights))}


def _predict_ridge(fitted: Fitted, rows: Floats) -> Floats:
    return np.asarray(dots(rows, fitted["weights"]) + fitted["intercept"])


def _fit_svr(training: ConcretenessTraining, options: EstimatorOptions) -> Fitted:
    """Support vector regression with a Gaussian kernel (Smola and Schoelkopf 2004)."""
    try:
        from sklearn.svm import SVR
    except ModuleNotFoundError as error:
        raise needs_models(error) from error
    machine = SVR(C=options.svr_c, epsilon=options.svr_epsilon, gamma=options.svr_gamma, cache_size=300)
    fitted = machine.fit(training.rows, training.labels)
    return {
        "vectors": fitted.support_vectors_,
        "shares": fitted.dual_coef_[0],
        "intercept": np.array(fitted.intercept_[0]),
        "gamma": np.array(options.svr_gamma),
    }


def _predict_svr(fitted: Fitted, rows: Floats) -> Floats:
    sums = gaussian_sums(rows, fitted["vectors"], fitted["shares"], float(fitted["gamma"]))
    return np.asarray(sums + fitted["intercept"])


def _fit_mean(training: ConcretenessTraining, options: EstimatorOptions) -> Fitted:
    arrays: Fitted = {}
    for name in MEMBERS:
        fitted = ESTIMATORS[name].fit(training, options)
        arrays |= {f"{name}/{key}": array for key, array in fitted.items()}
    return arrays


def _predict_mean(fitted: Fitted, rows: Floats) -> Floats:
    total = np.zeros(len(rows))
    for name in MEMBERS:
        start = f"{name}/"
        arrays = {k.removeprefix(start): v for k, v in fitted.items() if k.startswith(start)}
        total += ESTIMATORS[name].predict(arrays, rows)
    return total / len(MEMBERS)


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


def _predict_network(fitted: Fitted, rows: Floats) -> Floats:
    values = rows / fitted["scale"]
    last = 2
    for place in range(last + 1):
        values = product(values, fitted[f"weights_{place}"]) + fitted[f"intercepts_{place}"]
        if place < last:
            values = np.maximum(values, 0.0)
    return np.asarray(1.0 / (1.0 + np.exp(-values[:, 0])))


_SVR = ("svr_c", "svr_epsilon", "svr_gamma")
_NETWORK = ("hidden", "dropout", "epochs", "patience", "batch", "learning_rate")

ESTIMATORS: Registry[Estimator] = Registry(
    {
        "ridge": Estimator(_fit_ridge, _predict_ridge, ("ridge_alpha",), doc="ridge regression"),
        "svr": Estimator(_fit_svr, _predict_svr, _SVR, doc="support vector regression"),
        "mean": Estimator(_fit_mean, _predict_mean, ("ridge_alpha", *_SVR), doc="the mean of ridge and svr"),
        "network": Estimator(
            _fit_network,
            _predict_network,
            _NETWORK,
            modules=("torch",),
            extra="torch",
            doc="the paper's network; needs torch",
        ),
    },
    what="estimator",
    group="lexbeam.concreteness_estimators",
)
