import io
import json
import warnings
import zipfile

import numpy as np
import pytest
import sklearn
from model_making import columns, estimator

from lexbeam.transforms.learning.models.model import Refused
from lexbeam.transforms.learning.models.skops_file import ESTIMATORS, read_skops, write_skops

RIDGE = "sklearn.linear_model._ridge"


def plain(value):
    """Return the node of a plain value."""
    return {
        "__class__": "str",
        "__module__": "builtins",
        "__loader__": "JsonNode",
        "content": json.dumps(value),
        "is_json": True,
    }


def typed(name, module="builtins"):
    return {"__class__": name, "__module__": module, "__loader__": "TypeNode"}


def listed(items):
    return {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode", "content": items}


def keyed(values):
    types = listed([typed("str")] * len(values))
    return {
        "__class__": "dict",
        "__module__": "builtins",
        "__loader__": "DictNode",
        "content": values,
        "key_types": types,
    }


def array(file):
    return {"__class__": "ndarray", "__module__": "numpy", "__loader__": "NdArrayNode", "type": "numpy", "file": file}


def made(values, name="Ridge", module=RIDGE):
    values = {**values, "_sklearn_version": plain(sklearn.__version__)}
    return {"__class__": name, "__module__": module, "__loader__": "ObjectNode", "content": keyed(values)}


def node(module, name, loader="ObjectNode", **more):
    return {"__class__": name, "__module__": module, "__loader__": loader, **more}


def npy(values):
    sink = io.BytesIO()
    np.save(sink, values, allow_pickle=True)
    return sink.getvalue()


def packed(schema, arrays=None, compression=zipfile.ZIP_STORED, **top):
    """Return a file as skops writes it, with whatever is in it."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", compression) as archive:
        text = schema if isinstance(schema, str) else json.dumps({**schema, "protocol": 2, **top})
        archive.writestr("schema.json", text)
        for name, content in (arrays or {}).items():
            archive.writestr(name, content)
    return sink.getvalue()


def ridge(**more):
    settings = {"alpha": plain(1.0), "fit_intercept": plain(True), "solver": plain("auto")}
    return made({"coef_": array("0.npy"), "intercept_": plain(0.5), **settings, **more})


COEFFICIENTS = {"0.npy": npy(np.array([1.0, 2.0]))}


def test_a_file_made_by_hand_is_read():
    found = read_skops(packed(ridge(), COEFFICIENTS))
    assert found.predict(np.array([[10.0, 100.0]])).tolist() == [210.5]


ARGUMENTS = node("builtins", "tuple", "TupleNode", content=[plain("touch /tmp/x")])
PARTIAL = {"func": typed("system", "os"), "args": ARGUMENTS, "kwds": keyed({}), "namespace": keyed({})}
TREE = node("sklearn.tree._tree", "Tree", "TreeNode", content=keyed({}), __reduce__={"args": ARGUMENTS})
TYPES = {
    "a function": (node("os", "system", "FunctionNode"), "os.system"),
    "a function of numpy": (node("numpy", "load", "FunctionNode"), "numpy.load"),
    "a function as a type": (typed("system", "posix"), "posix.system"),
    "eval": (typed("eval"), "builtins.eval"),
    "a partial": (node("functools", "partial", "PartialNode", content=PARTIAL), "partial"),
    "a method": (node(RIDGE, "Ridge", "MethodNode", content={"func": "fit", "obj": made({})}), "MethodNode"),
    "an operator": (node("operator", "methodcaller", "OperatorFuncNode", attrs=ARGUMENTS), "methodcaller"),
    "an object of ours": (node("lexbeam.transforms.common.store.files", "Entry"), "files.Entry"),
    "an object of subprocess": (node("subprocess", "Popen"), "subprocess.Popen"),
    "a constructor": (node("subprocess", "Popen", "ConstructorFromReduceNode", content=ARGUMENTS), "Popen"),
    "a tree": (TREE, "sklearn.tree._tree.Tree"),
    "an estimator that is not listed": (
        made({}, "DecisionTreeRegressor", "sklearn.tree._classes"),
        "DecisionTreeRegressor",
    ),
    "an estimator of another module": (made({}, "Ridge", "evil"), "evil.Ridge"),
    "a list of another type": (node("evil", "list", "ListNode", content=[]), "evil.list"),
    "a dictionary that calls": (node("collections", "defaultdict", "DefaultDictNode", content={}), "defaultdict"),
    "a generator of numbers": (node("numpy.random", "Generator", "RandomGeneratorNode"), "numpy.random.Generator"),
    "a sparse matrix": (node("scipy.sparse", "csr_matrix", "SparseMatrixNode", type="scipy", file="1.npz"), "csr_"),
    "no loader that is known": (node(RIDGE, "Ridge", "EvilNode"), "EvilNode"),
    "no names": (node(None, ["x"], "TypeNode"), "not kept"),
}


@pytest.mark.parametrize("case", TYPES)
def test_a_type_that_is_not_listed_is_named(case):
    hostile, name = TYPES[case]
    for schema in (hostile, ridge(x=hostile), ridge(x=listed([plain(1), hostile]))):
        with pytest.raises(Refused) as error:
            read_skops(packed(schema, COEFFICIENTS))
        assert name in str(error.value)


def test_nothing_is_imported_before_it_is_checked(tmp_path, monkeypatch):
    (tmp_path / "evil.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    for hostile in (node("evil", "x"), typed("x", "evil"), node("evil", "x", "FunctionNode")):
        with pytest.raises(Refused, match=r"evil\.x"):
            read_skops(packed(ridge(x=hostile), COEFFICIENTS))


def lying(shape, kind="<f8", data=b"12345678"):
    sink = io.BytesIO()
    np.lib.format.write_array_header_1_0(sink, {"descr": kind, "fortran_order": False, "shape": shape})
    return sink.getvalue() + data


FILES = {
    "nothing": (b"", "not a skops archive"),
    "a pickle": (b"\x80\x05cos\nsystem\n(S'true'\ntR.", "not a skops archive"),
    "an empty archive": (b"PK\x05\x06" + bytes(18), "no schema.json"),
    "a cut archive": (packed(ridge(), COEFFICIENTS)[:-30], "not a skops archive"),
    "a compressed one": (packed(ridge(), COEFFICIENTS, zipfile.ZIP_DEFLATED), "compressed"),
    "a bomb": (packed(ridge(), {"0.npy": npy(np.zeros(10_000_000))}, zipfile.ZIP_DEFLATED), "compressed"),
    "no JSON": (packed("{"), "no schema.json"),
    "deep nesting": (packed("[" * 100_000), ""),
    "deep nodes": (packed('{"content": ' * 5_000 + "{}" + "}" * 5_000), ""),
    "an older protocol": (packed(ridge(), COEFFICIENTS, protocol=0), "not of protocol 2"),
    "no node": (packed({"content": 1}), ""),
    "a plain value": (packed(plain(1)), "no estimator"),
    "an array that is not there": (packed(ridge()), "not those that its nodes name"),
    "an array too many": (packed(ridge(), {**COEFFICIENTS, "1.npy": npy(np.ones(1))}), "not those that its nodes name"),
    "a path for a file": (packed(ridge(coef_=array("../0.npy")), COEFFICIENTS), "NdArrayNode is not"),
    "a pickle for an array": (packed(ridge(), {"0.npy": npy(np.array([{}], object))}), "is not of numbers"),
    "another pickle for an array": (packed(ridge(), {"0.npy": b"\x80\x05."}), "cannot be read"),
    "an array of 8 TB": (packed(ridge(), {"0.npy": lying((1 << 40,))}), "a wrong size"),
    "an array of less": (packed(ridge(), {"0.npy": lying(())[:-1]}), "a wrong size"),
    "a negative side": (packed(ridge(), {"0.npy": lying((-1, -1))}), "is not of numbers"),
    "records": (packed(ridge(), {"0.npy": lying((), [("a", "<f8")])}), "is not of numbers"),
    "an array of a later version": (packed(ridge(), {"0.npy": b"\x93NUMPY\x03\x00" + bytes(9)}), "another version"),
    "an attribute that is no node": (packed(made({"x": {"y": 1}})), "DictNode is not"),
    "a list that is no list": (packed(ridge(x=listed("ab")), COEFFICIENTS), "ListNode is not"),
    "fewer types than keys": (
        packed(ridge(x={**keyed({}), "content": {"a": plain(1)}}), COEFFICIENTS),
        "cannot be created",
    ),
    "more in a node": (packed(ridge(x={**plain(1), "evil": 1}), COEFFICIENTS), "JsonNode is not"),
    "a state that is no dictionary": (packed({**made({}), "content": plain(1)}), "ObjectNode is not"),
    "a slice of objects": (
        packed(
            ridge(x=node("builtins", "slice", "SliceNode", content={"start": made({}), "stop": 1, "step": 1})),
            COEFFICIENTS,
        ),
        "SliceNode is not",
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_skops_would_not_write_is_refused(case):
    content, message = FILES[case]
    with pytest.raises(Refused) as error:
        read_skops(content)
    assert message in str(error.value)


def test_an_entry_that_is_there_twice():
    sink = io.BytesIO(packed(ridge(), COEFFICIENTS))
    with warnings.catch_warnings(), zipfile.ZipFile(sink, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("0.npy", COEFFICIENTS["0.npy"])
    with pytest.raises(Refused, match="claims more than it contains"):
        read_skops(sink.getvalue())


def vectorizer(**more):
    values = {"vocabulary_": keyed({"a": plain(0), "b": plain(1)}), "input": plain("content")}
    module = "sklearn.feature_extraction.text"
    return packed(made({**values, **more}, "CountVectorizer", module))


@pytest.mark.parametrize(
    "more",
    [
        {"vocabulary_": keyed({"a": plain(0), "b": plain(10**6)})},
        {"vocabulary_": keyed({"a": plain(0), "b": plain(0)})},
        {"vocabulary_": keyed({"a": plain(-1), "b": plain(0)})},
        {"vocabulary_": plain("ab")},
        {"input": plain("filename")},
    ],
    ids=["beyond the last", "twice", "below zero", "no dictionary", "a reader of files"],
)
def test_a_vectorizer_numbers_columns_and_reads_no_files(more):
    assert read_skops(vectorizer()).vocabulary_ == {"a": 0, "b": 1}
    with pytest.raises(Refused, match="its CountVectorizer has attributes that no CountVectorizer has"):
        read_skops(vectorizer(**more))


# What skops writes; it imports all of scikit-learn, which takes seconds


def _rows():
    x, y = columns()
    texts = [f"word{i % 7} token{i % 3} abc" for i in range(60)]
    kinds = np.array([["a", "b", "c"][i % 3] for i in range(60)], object)[:, None]
    holes = x[:60].copy()
    holes[::7, 1] = np.nan
    return {"numbers": x[:60], "holes": holes, "texts": texts, "kinds": kinds}, y[:60]


SETTINGS = {
    "OneHotEncoder": ("kinds", {"sparse_output": False}),
    "SimpleImputer": ("holes", {"add_indicator": True}),
    "MissingIndicator": ("holes", {"features": "all"}),
    "QuantileTransformer": ("numbers", {"n_quantiles": 10, "random_state": 1}),
    "PCA": ("numbers", {"n_components": 2}),
    "TruncatedSVD": ("numbers", {"n_components": 2, "random_state": 1}),
    "CountVectorizer": ("texts", {}),
    "TfidfVectorizer": ("texts", {"analyzer": "char", "ngram_range": (1, 3)}),
    "KernelRidge": ("numbers", {"kernel": "rbf"}),
}


def fitted(name):
    """Return an estimator of a type, and rows that it takes and was not fitted on."""
    import importlib

    from sklearn.preprocessing import StandardScaler

    kind = getattr(importlib.import_module(ESTIMATORS[name]), name)
    which, settings = SETTINGS.get(name, ("numbers", {}))
    scaler = ("scale", StandardScaler())
    if name == "ColumnTransformer":
        settings = {"transformers": [(*scaler, [0, 1]), ("rest", "passthrough", slice(2, 3))]}
    elif name == "Pipeline":
        settings = {"steps": [scaler]}
    elif name == "FeatureUnion":
        settings = {"transformer_list": [scaler]}
    rows, y = _rows()
    x = rows[which]
    target = (y > 0).astype(int) if name == "LogisticRegression" else y
    return kind(**settings).fit(x, target), x[::2] if which == "texts" else x[::2].copy()


def answer(model, rows):
    found = model.predict(rows) if hasattr(model, "predict") else model.transform(rows)
    return found.toarray() if hasattr(found, "toarray") else found


@pytest.mark.slow
def test_every_estimator_comes_back_as_skops_reads_it():
    import skops.io

    for name in ESTIMATORS:
        trained, rows = fitted(name)
        content = write_skops(trained)
        loaded = read_skops(content)
        other = skops.io.loads(content, trusted=["numpy.dtype"])
        for model in (loaded, other):
            assert np.array_equal(answer(model, rows), answer(trained, rows)), name
        assert write_skops(loaded) == write_skops(other) == content, name


@pytest.mark.slow
def test_what_is_not_kept_is_named():
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.preprocessing import FunctionTransformer

    x, y = columns()
    for hostile, name in (
        (RandomForestRegressor(2).fit(x, y), "RandomForestRegressor"),
        (FunctionTransformer(np.log1p).fit(x), "log1p"),
        ({"a": 1}, "no estimator"),
        (object(), ""),
    ):
        with pytest.raises(Refused) as error:
            write_skops(hostile)
        assert name in str(error.value)


@pytest.mark.slow
def test_an_svr_whose_arrays_do_not_fit_is_refused():
    content = write_skops(estimator())
    svr = read_skops(content).steps[-1][1]
    damages = {
        "_dual_coef_": svr._dual_coef_[:, :-1],
        "dual_coef_": svr.dual_coef_[:, :-1],
        "support_vectors_": svr.support_vectors_[:-1],
        "support_": svr.support_ + 10_000,
        "_n_support": svr._n_support * 2,
        "_intercept_": svr._intercept_[:0],
        "_probA": np.ones(1),
        "shape_fit_": (60, 99),
        "kernel": "precomputed",
        "_sparse": True,
        "_impl": "one_class",
    }
    for name, value in damages.items():
        whole = read_skops(content)
        setattr(whole.steps[-1][1], name, value)
        with pytest.raises(Refused, match="its SVR has attributes that no SVR has"):
            write_skops(whole)


@pytest.mark.slow
def test_a_pipeline_that_keeps_files_of_its_own_is_refused(tmp_path):
    whole = read_skops(write_skops(estimator()))
    whole.memory = str(tmp_path)
    with pytest.raises(Refused, match="its Pipeline has attributes that no Pipeline has"):
        write_skops(whole)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "damages"),
    [
        ({}, {"_n_features_outs": [4, 2], "n_features_in_": 3, "_drop_idx_after_grouping": [-1, 0]}),
        ({"drop": "first"}, {"_drop_idx_after_grouping": [None, 0], "_n_features_outs": [5, 3]}),
        (
            {"min_frequency": 12, "handle_unknown": "infrequent_if_exist"},
            {
                "_default_to_infrequent_mappings": [np.array([0, 10**9, 1, 2, 2]), None],
                "_infrequent_indices": [np.array([3, 4]), np.array([10**9])],
                "_infrequent_enabled": False,
            },
        ),
    ],
)
def test_a_one_hot_encoder_writes_to_no_column_that_is_not_there(settings, damages):
    from sklearn.preprocessing import OneHotEncoder

    numbers = np.array([i % 5 if i % 10 < 8 else i % 3 for i in range(60)])
    rows = np.array([[n, ["a", "b", "c"][i % 3]] for i, n in enumerate(numbers)], object)
    content = write_skops(trained := OneHotEncoder(**settings).fit(rows))
    assert np.array_equal(answer(read_skops(content), rows), answer(trained, rows))
    unsorted = [trained.categories_[0][::-1], trained.categories_[1]]
    for name, value in {**damages, "categories_": unsorted}.items():
        damaged = read_skops(content)
        setattr(damaged, name, value)
        with pytest.raises(Refused, match="its OneHotEncoder has attributes that no OneHotEncoder has"):
            write_skops(damaged)
