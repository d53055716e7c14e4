"""Small models for tests, each trained in milliseconds."""

import functools
from typing import Any

import lightgbm
import numpy as np

from lexbeam.transforms.learning.models.lightgbm_text import lightgbm_settings
from lexbeam.transforms.learning.models.model import Model, ModelColumn

FEATURES = (ModelColumn("zipf", "float64"), ModelColumn("length", "int32"), ModelColumn("genre", "int32"))


@functools.cache
def columns() -> tuple[np.ndarray, np.ndarray]:
    """Return 300 rows of three features, the last a category of six, and a target."""
    random = np.random.default_rng(1)
    x = random.normal(size=(300, 3))
    x[:, 2] = random.integers(0, 6, 300)
    return x, x[:, 0] + (x[:, 2] % 2)


def booster(rounds: int = 3, target: Any = None, **settings: Any) -> lightgbm.Booster:
    """Train a booster with a split by category."""
    x, y = columns()
    y = y if target is None else target(y)
    few = {"num_leaves": 5, "max_cat_to_onehot": 1, "min_data_per_group": 1, "cat_smooth": 1}
    data = lightgbm.Dataset(x, y, feature_name=[f.name for f in FEATURES], categorical_feature=[2])
    settings = lightgbm_settings(1, **{"objective": "regression", **few, **settings})
    return lightgbm.train(settings, data, rounds)


def arrays() -> dict[str, np.ndarray]:
    """Return arrays as a network has them, in several types and orders."""
    random = np.random.default_rng(1)
    return {
        "layer.weight": random.normal(size=(4, 3)).astype(np.float32),
        "a transposed one": random.normal(size=(2, 5)).T,
        "big-endian": np.arange(3, dtype=">i4"),
        "one number": np.array(1.5),
        "none": np.zeros((0, 3), np.uint8),
        "flags": np.array([True, False]),
    }


@functools.cache
def estimator() -> Any:
    """Return a fitted pipeline of scikit-learn that ends in an SVR."""
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    x, y = columns()
    return make_pipeline(SimpleImputer(), StandardScaler(), SVR()).fit(x[:60], y[:60])


def model_of(format: str, **more: Any) -> Model:
    """Return a model of a format."""
    contents = {"safetensors": arrays, "npz": arrays, "lightgbm": booster, "skops": estimator}
    told = {
        "kind": "regressor",
        "task": "complexity",
        "features": FEATURES,
        "resources": {"norms": "ab" * 32, "wordnet": "cd" * 32},
        "options": {"rounds": 3, "layers": (1, 2), "rate": 0.1},
        "seed": 1,
        "data": "ef" * 32,
        "metrics": {"pearson": 0.5, "r2": None},
    }
    return Model(**{"format": format, "content": contents[format](), **told, **more})
