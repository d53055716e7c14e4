"""Fits of several seeds, averaged."""

from dataclasses import replace

import numpy as np
import pytest

from lexbeam.transforms.learning.fitting import fit_scorer, predict_scorer
from lexbeam.transforms.learning.models.formats import read_safetensors, write_safetensors
from lexbeam.transforms.learning.scorer import ScorerOptions, ScorerTraining
from lexbeam.transforms.learning.scorers import SCORERS

SMALL = ScorerOptions(trees=8, rounds=20, leaves=8, boosting_leaves=4, inner_folds=2, members=("ridge", "extra-trees"))


def made(seed=1, rows=120, vectors=()):
    random = np.random.default_rng(seed)
    values = random.normal(size=(rows, 4))
    groups = [f"g{number}" for number in random.integers(0, rows // 3, rows)]
    return ScorerTraining(values, ["zipf", "a", "b", "c"], 1 / (1 + np.exp(values[:, 0])), groups, vectors)


@pytest.mark.parametrize("vectors", [(), ("", "", "v", "v")])
@pytest.mark.parametrize("name", SCORERS)
def test_fits_are_averaged_where_a_seed_decides(name, vectors):
    training, other = made(vectors=vectors), made(seed=2, vectors=vectors)

    def predicted(**options):
        fitted = fit_scorer(SCORERS[name], training, replace(SMALL, **options))
        return predict_scorer(SCORERS[name], read_safetensors(write_safetensors(fitted)), other.values)

    apart = [predicted(seed=seed) for seed in (5, 6, 7)]
    together = predicted(seed=5, fits=3)
    if "seed" in SCORERS[name].uses:
        assert not np.array_equal(apart[0], apart[1])
        np.testing.assert_allclose(together, np.mean(apart, axis=0), rtol=1e-12)
    else:
        for one in (together, *apart[1:]):
            np.testing.assert_array_equal(one, apart[0])
