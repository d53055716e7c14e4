"""The network of ReCAM, by torch."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.cloze.abstractness.fitting import ConcretenessTraining, Fitted, Floats, Ints
from lexbeam.transforms.cloze.abstractness.options import EstimatorOptions
from lexbeam.transforms.common.arithmetic import product
from lexbeam.transforms.common.draws.by_content import uniform
from lexbeam.transforms.common.errors import missing_package

if TYPE_CHECKING:
    import torch

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
