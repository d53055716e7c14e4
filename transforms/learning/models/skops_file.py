"""Estimators of scikit-learn as skops files, of a fixed list of types, with the same bytes.

A skops file is a ZIP archive: `schema.json`, a tree of nodes that name the types to be made, and
arrays. skops writes it. It is read here, because skops imports all of scikit-learn, and torch if
installed, which takes seconds in every worker, and because it would create many more types than
are saved. Only what is listed here is ever executed or imported.

An estimator's attributes come from a file, and compiled code trusts some of them: libsvm reads arrays to
the length that other attributes claim, and columns of a sparse matrix are read, or written, even if they
do not exist. Those attributes are checked when an estimator is loaded (`check_estimator`).

Trees of scikit-learn cannot be saved: their nodes are indices that it follows unchecked.
LightGBM has random forests (`boosting="rf"`) and extremely randomised trees (`extra_trees=True`).
"""

import builtins
import importlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from lexbeam.transforms.learning.models.model import Refused, needs_models

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


_NUMBERS = frozenset(
    f"numpy.{name}"
    for name in (
        "bool",
        "float16",
        "float32",
        "float64",
        "int8",
        "int16",
        "int32",
        "int64",
        "str_",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    )
)
_BUILTINS = frozenset(f"builtins.{name}" for name in ("bool", "float", "int", "str"))

# By kind of node: the types that it may create, and its keys besides `__class__`, `__module__` and
# `__loader__`.
_NODES: dict[str, tuple[frozenset[str], tuple[set[str], ...]]] = {
    "ObjectNode": (frozenset(f"{module}.{name}" for name, module in ESTIMATORS.items()), ({"content"},)),
    "DictNode": (frozenset({"builtins.dict"}), ({"content", "key_types"},)),
    "ListNode": (frozenset({"builtins.list"}), ({"content"},)),
    "TupleNode": (frozenset({"builtins.tuple"}), ({"content"},)),
    "JsonNode": (frozenset({"builtins.str"}), ({"content", "is_json"},)),
    "SliceNode": (frozenset({"builtins.slice"}), ({"content"},)),
    "TypeNode": (_NUMBERS | _BUILTINS, (set(),)),
    "DTypeNode": (frozenset({"numpy.dtype"}), ({"content"},)),
    "NdArrayNode": (_NUMBERS | {"numpy.ndarray"}, ({"type", "file"}, {"type", "content", "shape"})),
}
_SCHEMA = "schema.json"
_PROTOCOL = 2
_ARRAY = re.compile(r"[0-9]{1,9}\.npy", re.ASCII)
_DATE = (1980, 1, 1, 0, 0, 0)


def write_skops(content: object) -> bytes:
    """Return a fitted estimator as a skops file, the same for equal estimators.

    skops names nodes and arrays by their addresses in memory; here arrays are numbered, nodes have no
    names, and the archive no time.

    Raises:
        Refused: its type is not in `ESTIMATORS`, or it contains another object.
        LexbeamError: the extra `models` is not installed.
    """
    try:
        import skops.io
    except ModuleNotFoundError as error:
        raise needs_models(error) from error
    try:
        written = skops.io.dumps(content)
    except Exception as error:  # foreign objects may raise anything
        raise Refused(f"skops cannot write it ({error})") from error
    with zipfile.ZipFile(io.BytesIO(written)) as archive:
        schema = json.loads(archive.read(_SCHEMA))
        arrays: dict[bytes, str] = {}
        for node in _nodes(schema):
            node.pop("__id__", None)
            if isinstance(old := node.get("file"), str):
                # Equal arrays are one entry, whether or not they were one object.
                node["file"] = arrays.setdefault(archive.read(old), f"{len(arrays)}.npy")
    # Nothing is sorted: the types of a dictionary's keys are in the order of the keys.
    text = json.dumps(schema, separators=(",", ":"), ensure_ascii=True)
    made = _archive({_SCHEMA: text.encode(), **{name: array for array, name in arrays.items()}})
    read_skops(made)  # what could not be loaded is not saved
    return made


def _archive(entries: Mapping[str, bytes]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
        for name, content in entries.items():
            info = zipfile.ZipInfo(name, _DATE)
            info.create_system = 3  # whatever the system
            archive.writestr(info, content)
    return sink.getvalue()


def read_skops(content: bytes) -> Any:
    """Return the estimator of a file that `write_skops` made.

    Raises:
        Refused: the bytes are something else, or name a type that is not listed here.
        LexbeamError: the extra `models` is not installed.
    """
    try:
        import sklearn  # noqa: F401  the estimators are from its modules
    except ModuleNotFoundError as error:
        raise needs_models(error) from error
    try:
        schema, arrays = _checked_file(content)
        estimator = _made(schema, arrays)
    except Refused:
        raise
    except RecursionError as error:
        raise Refused("its nodes are too deep") from error
    except Exception as error:  # what numpy and scikit-learn raise for a state that is not theirs
        raise Refused(f"it cannot be created ({type(error).__name__}: {error})") from error
    check_estimator(estimator)
    return estimator


def _checked_file(content: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the schema and the arrays, both checked before anything is created from them."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = archive.infolist()
            names = [info.filename for info in infos]
            # Stored uncompressed and no larger than the file: nothing can expand in memory.
            if any(info.compress_type or info.compress_size != info.file_size for info in infos):
                raise Refused("its archive is compressed")
            if len(set(names)) < len(names) or sum(i.file_size for i in infos) > len(content):
                raise Refused("its archive claims more than it contains")
            arrays = {name: archive.read(name) for name in names}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise Refused(f"it is not a skops archive ({error})") from error
    try:
        schema = json.loads(arrays.pop(_SCHEMA))
    except (KeyError, ValueError) as error:
        raise Refused(f"it has no {_SCHEMA} ({error})") from error
    if not isinstance(schema, dict) or schema.pop("protocol", None) != _PROTOCOL:
        raise Refused(f"its {_SCHEMA} is not of protocol {_PROTOCOL} of skops")
    schema.pop("_skops_version", None)
    used = {_checked_node(node) for node in _nodes(schema)} - {None}
    if used != set(arrays):
        raise Refused("its arrays are not those that its nodes name")
    for name, entry in arrays.items():
        _check_array(name, entry)
    return schema, arrays


def _made(node: Mapping[str, Any], arrays: Mapping[str, bytes]) -> Any:
    loader, content = node["__loader__"], node.get("content")
    if loader == "JsonNode":
        return json.loads(node["content"])
    if loader in {"ListNode", "TupleNode"}:
        items = [_made(inner, arrays) for inner in node["content"]]
        return items if loader == "ListNode" else tuple(items)
    if loader == "DictNode":
        types = _made(node["key_types"], arrays)
        pairs = zip(types, node["content"].items(), strict=True)
        return {kind(key): _made(value, arrays) for kind, (key, value) in pairs}
    if loader == "SliceNode":
        return slice(content["start"], content["stop"], content["step"])  # type: ignore[index]
    if loader == "TypeNode":
        return getattr(np if node["__module__"] == "numpy" else builtins, node["__class__"])
    if loader == "DTypeNode":
        return _made(node["content"], arrays).dtype
    if loader == "NdArrayNode":
        return _made_array(node, arrays)
    made = getattr(importlib.import_module(node["__module__"]), node["__class__"])
    estimator = made.__new__(made)
    estimator.__setstate__(_made(node["content"], arrays))
    return estimator


def _made_array(node: Mapping[str, Any], arrays: Mapping[str, bytes]) -> Any:
    """Return an array or a single number; an array of objects is written as nested lists."""
    if node["type"] == "numpy":
        array = np.lib.format.read_array(io.BytesIO(arrays[node["file"]]), allow_pickle=False)
        return array if node["__class__"] == "ndarray" else getattr(np, node["__class__"])(array)
    items = [_made(item, arrays) for item in node["content"]]
    shape = _made(node["shape"], arrays)
    for _ in shape[1:]:
        items = [item for nested in items for item in nested]
    array = np.empty(len(items), object)
    for place, item in enumerate(items):
        array[place] = item
    return array.reshape(shape)


def _nodes(value: object) -> Iterator[dict[str, Any]]:
    """Yield the nodes of a schema: dictionaries with a loader."""
    if isinstance(value, dict):
        if "__loader__" in value:
            yield value
        for inner in value.values():
            yield from _nodes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _nodes(inner)


def _checked_node(node: dict[str, Any]) -> str | None:
    """Check a single node; return the file that it names."""
    loader, module, name = (node.get(f"__{key}__") for key in ("loader", "module", "class"))
    what = f"{module}.{name}"
    if not isinstance(loader, str) or loader not in _NODES:
        raise Refused(f"it holds a {what} ({loader}), which is not kept")
    types, holds = _NODES[loader]
    if not isinstance(module, str) or not isinstance(name, str) or what not in types:
        raise Refused(f"it holds a {what}, which is not kept")
    if node.keys() - {"__loader__", "__module__", "__class__"} not in holds:
        raise Refused(f"its {loader} is not as skops writes it")
    content = node.get("content")
    inner: list[Any] = []
    if loader in {"ListNode", "TupleNode"} or node.get("type") == "json":
        inner = content if isinstance(content, list) else [None]
        inner = inner + ([node["shape"]] if "shape" in node else [])
    elif loader == "DictNode":
        inner = [node["key_types"], *(content.values() if isinstance(content, dict) else [None])]
    elif loader in {"ObjectNode", "DTypeNode"}:
        inner = [content]
        wanted = "DictNode" if loader == "ObjectNode" else "NdArrayNode"
        if not isinstance(content, dict) or content.get("__loader__") != wanted:
            raise Refused(f"its {loader} is not as skops writes it")
    elif loader == "SliceNode":
        _check_slice(content)
    elif loader == "JsonNode" and not isinstance(content, str):
        raise Refused("its JsonNode is not as skops writes it")
    if not all(isinstance(child, dict) and "__loader__" in child for child in inner):
        raise Refused(f"its {loader} is not as skops writes it")
    if "file" not in node:
        return None
    if node["type"] != "numpy" or not _ARRAY.fullmatch(str(node["file"])):
        raise Refused(f"its {loader} is not as skops writes it")
    return str(node["file"])


def _check_slice(content: object) -> None:
    if not isinstance(content, dict) or set(content) != {"start", "stop", "step"}:
        raise Refused("its SliceNode is not as skops writes it")
    if not all(end is None or type(end) is int for end in content.values()):
        raise Refused("its SliceNode is not as skops writes it")


def _check_array(name: str, entry: bytes) -> None:
    """Check that an array's header describes its bytes to the last one."""
    stream = io.BytesIO(entry)
    try:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise Refused(f"its array {name} is of another version")
        shape, _, kind = np.lib.format.read_array_header_1_0(stream)
    except ValueError as error:
        raise Refused(f"its array {name} cannot be read ({error})") from error
    said = kind.itemsize
    for side in shape:
        said *= side
    if kind.hasobject or kind.fields or min(shape, default=0) < 0:
        raise Refused(f"its array {name} is not of numbers")
    if said != len(entry) - stream.tell():
        raise Refused(f"its array {name} states a wrong size")
