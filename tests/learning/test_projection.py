"""Vectors projected in front of a scorer, against scikit-learn's components."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge

from lexbeam.transforms.learning.fitting import fit_projected, predict_projected
from lexbeam.transforms.learning.models.formats import read_safetensors, write_safetensors
from lexbeam.transforms.learning.scorer import Scorer, ScorerOptions, ScorerTraining
from lexbeam.transforms.learning.scorers import SCORERS

SMALL = ScorerOptions(trees=8, rounds=20, leaves=8, boosting_leaves=4, inner_folds=3)
DIM = 8
BARE = Scorer(
    lambda training, _: {"names": np.array(training.names), "rows": training.values},
    lambda fitted, values: values,
    (),
    1.0,
    doc="gives back its columns",
)


def with_vectors(seed=1, rows=150):
    """Return rows with a vector whose first components vary most, and one of which the label depends."""
    random = np.random.default_rng(seed)
    numbers = random.normal(size=(rows, 3))
    turned = np.linalg.qr(np.random.default_rng(9).normal(size=(DIM, DIM)))[0]
    hidden = random.normal(size=(rows, DIM)) * np.geomspace(4, 0.1, DIM)
    vectors = 2 + hidden @ turned
    labels = 1 / (1 + np.exp(-hidden[:, 1]))
    vectors[::10] = np.nan
    return ScorerTraining(
        values=np.column_stack([vectors, numbers]),
        names=[*(f"v.{place}" for place in range(DIM)), "zipf", "column1", "column2"],
        labels=labels,
        groups=[f"g{number}" for number in random.integers(0, rows // 3, rows)],
        vectors=["v"] * DIM + [""] * 3,
    )


def test_the_components_are_those_of_the_training_rows():
    training, other = with_vectors(), with_vectors(seed=2)
    fitted = fit_projected(BARE, training, replace(SMALL, components=3))
    found = predict_projected(BARE, fitted, other.values)
    known = ~np.isnan(training.values[:, 0])
    theirs = PCA(3).fit(training.values[known, :DIM])
    there = ~np.isnan(other.values[:, 0])
    expected = theirs.transform(other.values[there, :DIM])
    np.testing.assert_array_equal(found[:, :3], other.values[:, DIM:])
    np.testing.assert_allclose(np.abs(found[there, 3:6]), np.abs(expected), atol=1e-9)
    assert np.isnan(found[~there, 3:6]).all()
    assert fitted["names"].tolist() == ["zipf", "column1", "column2", "v#0", "v#1", "v#2", "vectors"]
    # The last column is ridge regression on all components.
    centred = np.where(known[:, None], training.values[:, :DIM] - theirs.mean_, 0.0)
    penalty = 0.3 * (centred**2).sum() / DIM
    ridge = Ridge(alpha=penalty, fit_intercept=False).fit(centred, training.labels - training.labels.mean())
    alone = np.where(there[:, None], other.values[:, :DIM] - theirs.mean_, 0.0)
    np.testing.assert_allclose(found[:, 6], ridge.predict(alone) + training.labels.mean(), atol=1e-9)


def test_a_training_row_is_predicted_without_its_group():
    training = with_vectors()
    before = fit_projected(BARE, training, SMALL)["rows"][:, -1]
    changed = np.array([group == training.groups[3] for group in training.groups])
    labels = np.where(changed, 1 - training.labels, training.labels)
    after = fit_projected(BARE, training._replace(labels=labels), SMALL)["rows"][:, -1]
    np.testing.assert_allclose(after[changed], before[changed], atol=1e-9)
    assert np.abs(after - before).max() > 1e-3


@pytest.mark.parametrize("name", sorted(set(SCORERS) - {"frequency"}))
def test_each_scorer_learns_from_vectors_and_forgets_them_without_components(name):
    training, other = with_vectors(), with_vectors(seed=2)
    values = {}
    for components in (3, 0):
        options = replace(SMALL, components=components)
        fitted = read_safetensors(write_safetensors(fit_projected(SCORERS[name], training, options)))
        predicted = predict_projected(SCORERS[name], fitted, other.values)
        order = np.random.default_rng(3).permutation(len(predicted))
        alone = [predict_projected(SCORERS[name], fitted, other.values[[place]])[0] for place in order[:5]]
        np.testing.assert_array_equal(alone, predicted[order[:5]])
        values[components] = abs(np.corrcoef(predicted, other.labels)[0, 1])
    assert values[3] > 0.6
    assert values[0] < 0.4


def test_a_vector_that_is_known_nowhere_is_left_out():
    training = with_vectors()
    training.values[:, :DIM] = np.nan
    fitted = fit_projected(BARE, training, SMALL)
    assert predict_projected(BARE, fitted, training.values).shape == (150, 3)
