"""The estimators of scikit-learn that can be saved, and the checks that they must pass when loaded.

An estimator's attributes come from a file, and compiled code trusts some of them: libsvm reads arrays to
the length that other attributes claim, and columns of a sparse matrix are read, or written, even if they
do not exist. Those attributes are checked here.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from lexbeam.transforms.learning.models.model import Refused

_LINEAR, _TEXT = "sklearn.linear_model", "sklearn.feature_extraction.text"
_PREPROCESSING = "sklearn.preprocessing"
# By name, the module that defines it: what a file may name.
ESTIMATORS: dict[str, str] = {
    "LinearRegression": f"{_LINEAR}._base",
    "Ridge": f"{_LINEAR}._ridge",
    "BayesianRidge": f"{_LINEAR}._bayes",
    "Lasso": f"{_LINEAR}._coordinate_descent",
    "ElasticNet": f"{_LINEAR}._coordinate_descent",
    "LogisticRegression": f"{_LINEAR}._logistic",
    "KernelRidge": "sklearn.kernel_ridge",
    "SVR": "sklearn.svm._classes",
    "StandardScaler": f"{_PREPROCESSING}._data",
    "MinMaxScaler": f"{_PREPROCESSING}._data",
    "QuantileTransformer": f"{_PREPROCESSING}._data",
    "PowerTransformer": f"{_PREPROCESSING}._data",
    "FunctionTransformer": f"{_PREPROCESSING}._function_transformer",  # `passthrough`
    "OneHotEncoder": f"{_PREPROCESSING}._encoders",
    "SimpleImputer": "sklearn.impute._base",
    "MissingIndicator": "sklearn.impute._base",
    "PCA": "sklearn.decomposition._pca",
    "TruncatedSVD": "sklearn.decomposition._truncated_svd",
    "CountVectorizer": _TEXT,
    "TfidfTransformer": _TEXT,
    "TfidfVectorizer": _TEXT,
    "Pipeline": "sklearn.pipeline",
    "FeatureUnion": "sklearn.pipeline",
    "ColumnTransformer": "sklearn.compose._column_transformer",
}


def check_estimator(value: object) -> None:
    """Check that a loaded value is an estimator of `ESTIMATORS`, and that it and all its parts are sound.

    Raises:
        Refused: it is not.
    """
    if type(value).__name__ not in ESTIMATORS:
        raise Refused("it holds no estimator")
    for name, held in _estimators(value):
        if name not in _CHECKS:
            continue
        try:
            sound = _CHECKS[name](held)
        except Exception:  # an attribute that is missing, or of another type
            sound = False
        if not sound:
            raise Refused(f"its {name} has attributes that no {name} has")


def _estimators(value: object) -> Iterator[tuple[str, Any]]:
    """Yield the estimators within a loaded value, itself included."""
    if type(value).__name__ in ESTIMATORS and type(value).__module__.startswith("sklearn."):
        yield type(value).__name__, value
        value = vars(value)
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.dtype == object):
        for item in value:
            yield from _estimators(item)


def _sound_svr(svr: Any) -> bool:
    """Return whether the arrays that libsvm reads have the lengths that it assumes."""
    vectors, shares = svr.support_vectors_, svr._dual_coef_
    number = len(svr.support_)
    return bool(
        not svr._sparse
        and svr._impl == type(svr)._impl  # else libsvm computes something else
        and svr.kernel in {"linear", "poly", "rbf", "sigmoid"}
        and svr.shape_fit_[1:] == vectors.shape[1:]
        and vectors.shape == (number, svr.n_features_in_)
        and shares.shape == svr.dual_coef_.shape == (1, number)
        and svr._intercept_.shape == svr.intercept_.shape == (1,)
        and svr._n_support.shape == (2,)
        and svr._n_support[0] == number
        and svr._probA.shape == svr._probB.shape == (0,)
        and {a.dtype.name for a in (vectors, shares, svr._intercept_)} == {"float64"}
        and svr.support_.dtype == svr._n_support.dtype == np.int32
        and (number == 0 or 0 <= svr.support_.min() <= svr.support_.max() < svr.shape_fit_[0])
    )


def _sound_vocabulary(vectorizer: Any) -> bool:
    """Return whether it reads texts, not files, and numbers its columns without gaps."""
    columns = sorted(vectorizer.vocabulary_.values())
    return vectorizer.input == "content" and columns == list(range(len(columns)))


def _sound_categories(encoder: Any) -> bool:
    """Return whether each category has a column, since scipy also writes to columns that do not exist."""
    grouped, dropped = encoder._infrequent_enabled, encoder._drop_idx_after_grouping
    sizes = []
    for place, categories in enumerate(encoder.categories_):
        size = len(categories)
        mapping = encoder._default_to_infrequent_mappings[place] if grouped else None
        rare = encoder._infrequent_indices[place] if grouped else None
        if (mapping is None) != (rare is None):
            return False
        if mapping is not None and rare is not None:
            size -= len(rare) - 1
            columns = np.asarray(mapping)
            if columns.shape != categories.shape or columns.dtype.kind != "i":
                return False
            if not 0 <= columns.min() <= columns.max() < size:
                return False
        if not _searchable(categories):
            return False
        if dropped is not None and dropped[place] is not None:
            if not isinstance(dropped[place], int | np.integer) or not 0 <= dropped[place] < size:
                return False
            size -= 1
        sizes.append(size)
    return bool(sizes == encoder._n_features_outs and len(sizes) == encoder.n_features_in_)


def _searchable(categories: object) -> bool:
    """Return whether a search finds each category: texts by a table, numbers only if sorted."""
    if not isinstance(categories, np.ndarray) or categories.ndim != 1:
        return False
    values = categories.tolist()
    if all(value is None or isinstance(value, str) for value in values):
        return True
    while values and (values[-1] is None or values[-1] != values[-1]):  # what is missing comes last
        values.pop()
    return all(value < other for value, other in pairwise(values))


def _sound_pipeline(pipeline: Any) -> bool:
    """Return whether it has no cache on disk, which joblib would write and read."""
    return pipeline.memory is None


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "OneHotEncoder": _sound_categories,
    "Pipeline": _sound_pipeline,
    "SVR": _sound_svr,
    "CountVectorizer": _sound_vocabulary,
    "TfidfVectorizer": _sound_vocabulary,
}
