"""Estimators of scikit-learn as skops files, of a fixed list of types, with the same bytes.

A skops file is a ZIP archive: `schema.json`, a tree of nodes that names the types to be made, and
arrays. skops makes no type that it does not trust; here far fewer are trusted, each kind of node
may have its own only, and what estimators hold is checked as far as compiled code relies on it. So
nothing of a file is executed or imported that is not listed here.

Trees of scikit-learn are not kept: their nodes are indices that it follows without looking.
LightGBM has random forests (`boosting="rf"`) and extremely randomised trees (`extra_trees=True`).
"""

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from transforms.lexicon.models.refusals import Refused, needs_models

__all__ = ["ESTIMATORS", "read_skops", "write_skops"]

_LINEAR, _TEXT = "sklearn.linear_model", "sklearn.feature_extraction.text"
_PREPROCESSING = "sklearn.preprocessing"
# By name, the module of its definition: what a file may name.
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
_NUMBERS = frozenset(
    f"numpy.{name}"
    for name in (
        "bool", "float16", "float32", "float64", "int8", "int16", "int32", "int64", "str_", "uint8",
        "uint16", "uint32", "uint64",
    )
)  # fmt: skip
_BUILTINS = frozenset(f"builtins.{name}" for name in ("bool", "float", "int", "str"))

# By kind of node: the types that it may make, and what it holds besides `__class__`, `__module__`
# and `__loader__`.
_NODES: dict[str, tuple[frozenset[str], tuple[set[str], ...]]] = {
    "ObjectNode": (
        frozenset(f"{module}.{name}" for name, module in ESTIMATORS.items()), ({"content"},)
    ),
    "DictNode": (frozenset({"builtins.dict"}), ({"content", "key_types"},)),
    "ListNode": (frozenset({"builtins.list"}), ({"content"},)),
    "TupleNode": (frozenset({"builtins.tuple"}), ({"content"},)),
    "JsonNode": (frozenset({"builtins.str"}), ({"content", "is_json"},)),
    "SliceNode": (frozenset({"builtins.slice"}), ({"content"},)),
    "TypeNode": (_NUMBERS | _BUILTINS, (set(),)),
    "DTypeNode": (frozenset({"numpy.dtype"}), ({"content"},)),
    "NdArrayNode": (
        _NUMBERS | {"numpy.ndarray"}, ({"type", "file"}, {"type", "content", "shape"})
    ),
}  # fmt: skip
_TRUSTED = sorted(frozenset[str]().union(*(types for types, _ in _NODES.values())))
_SCHEMA = "schema.json"
_ARRAY = re.compile(r"[0-9]{1,9}\.npy", re.ASCII)
_DATE = (1980, 1, 1, 0, 0, 0)


def write_skops(content: Any) -> bytes:
    """Return a fitted estimator as a skops file: the same for equal estimators.

    skops names nodes and arrays by their addresses in memory; here arrays are numbered, nodes have
    no names, and the archive no time.

    Raises:
        Refused: it is of a type that is not in `ESTIMATORS`, or holds another object.
        LexbeamError: the extra `models` is not installed.
    """
    try:
        import skops.io
    except ModuleNotFoundError as error:
        raise needs_models(error) from error
    try:
        written = skops.io.dumps(content)
    except Exception as error:  # whatever the state of a foreign object does
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
    read_skops(made)  # what could not be loaded is not kept
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
        import skops.io
    except ModuleNotFoundError as error:
        raise needs_models(error) from error
    try:
        _check_file(content)
        estimator = skops.io.loads(content, trusted=_TRUSTED)
    except Refused:
        raise
    except RecursionError as error:
        raise Refused("its nodes are too deep") from error
    except Exception as error:  # what skops and scikit-learn raise for a state that is not theirs
        raise Refused(f"skops cannot read it ({type(error).__name__}: {error})") from error
    if type(estimator).__name__ not in ESTIMATORS:
        raise Refused("it holds no estimator")
    for name, held in _estimators(estimator):
        for check in _CHECKS.get(name, ()):
            try:
                sound = check(held)
            except Exception:  # an attribute that is missing, or of another type
                sound = False
            if not sound:
                raise Refused(f"its {name} holds what no {name} does")
    return estimator


def _check_file(content: bytes) -> None:
    """Check the archive, the nodes, and each array's header, before anything is made of them."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = archive.infolist()
            names = [info.filename for info in infos]
            # Stored as they are and no more than the file: nothing can unfold into memory.
            if any(info.compress_type or info.compress_size != info.file_size for info in infos):
                raise Refused("its archive is compressed")
            if len(set(names)) < len(names) or sum(i.file_size for i in infos) > len(content):
                raise Refused("its archive says more than it holds")
            entries = {name: archive.read(name) for name in names}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise Refused(f"it is no archive of skops ({error})") from error
    try:
        schema = json.loads(entries.pop(_SCHEMA))
    except (KeyError, ValueError) as error:
        raise Refused(f"it has no {_SCHEMA} ({error})") from error
    if not isinstance(schema, dict):
        raise Refused(f"its {_SCHEMA} is no node")
    top = {key: schema.pop(key, None) for key in ("protocol", "_skops_version")}
    if not isinstance(top["protocol"], int) or not isinstance(top["_skops_version"], str):
        raise Refused(f"its {_SCHEMA} names no version")
    used = set()
    for node in _nodes(schema):
        if file := _checked_node(node):
            used.add(file)
    if used != set(entries):
        raise Refused("its arrays are not those that its nodes name")
    for name, entry in entries.items():
        _check_array(name, entry)


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the nodes of a schema: what has a loader, or stands where a node must."""
    if isinstance(value, dict):
        if "__loader__" in value:
            yield value
        for inner in value.values():
            yield from _nodes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _nodes(inner)


def _checked_node(node: dict[str, Any]) -> str | None:
    """Check a node by itself; return the file that it names."""
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
    elif loader == "SliceNode":
        _check_slice(content)
    elif loader == "JsonNode" and not isinstance(content, str):
        raise Refused("its JsonNode is not as skops writes it")
    if not all(isinstance(one, dict) and "__loader__" in one for one in inner):
        raise Refused(f"its {loader} is not as skops writes it")
    if "file" not in node:
        return None
    if node["type"] != "numpy" or not _ARRAY.fullmatch(str(node["file"])):
        raise Refused(f"its {loader} is not as skops writes it")
    return str(node["file"])


def _check_slice(content: Any) -> None:
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
        raise Refused(f"its array {name} holds no numbers")
    if said != len(entry) - stream.tell():
        raise Refused(f"its array {name} says another size than it has")


def _estimators(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the estimators that a loaded value holds, itself one of them."""
    if type(value).__name__ in ESTIMATORS and type(value).__module__.startswith("sklearn."):
        yield type(value).__name__, value
        value = vars(value)
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.dtype == object):
        for one in value:
            yield from _estimators(one)


def _sound_svr(svr: Any) -> bool:
    """Return whether the arrays that libsvm walks through are as long as it believes."""
    vectors, shares = svr.support_vectors_, svr._dual_coef_
    number = len(svr.support_)
    return bool(
        not svr._sparse
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
    """Return whether it reads texts, not files, and numbers its columns as they are."""
    columns = sorted(vectorizer.vocabulary_.values())
    return vectorizer.input == "content" and columns == list(range(len(columns)))


_CHECKS: dict[str, tuple[Callable[[Any], bool], ...]] = {
    "SVR": (_sound_svr,),
    "CountVectorizer": (_sound_vocabulary,),
    "TfidfVectorizer": (_sound_vocabulary,),
}
