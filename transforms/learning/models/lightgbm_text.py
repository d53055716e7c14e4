"""LightGBM boosters as text, which is checked before LightGBM reads it.

LightGBM trusts its text: a child that does not exist, a list that is too short or a wrong tree size make
it read beyond its memory, and the process dies. So every line is checked here: each tree is a tree, its
lists match its number of leaves, features and categories exist, the objective yields as many numbers as
there are classes. Only the trees are saved: the parameters that follow them in LightGBM's files are not
needed to predict.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.learning.models.model import Refused, needs_models

_END = b"end of trees\n"
_INT = r"(?:0|-?[1-9]\d{0,8})"
_INTS = re.compile(rf"(?:{_INT}(?: {_INT})*)?", re.ASCII)
_CODE = r"\d{1,10}"  # 32 bits of a set of categories
_CODES = re.compile(rf"{_CODE}(?: {_CODE})*", re.ASCII)
_FLOAT = r"-?\d{1,40}(?:\.\d{1,40})?(?:e[+-]\d{1,3})?"
_FLOATS = re.compile(rf"(?:{_FLOAT}(?: {_FLOAT})*)?", re.ASCII)
# A split between missing values and all others has the threshold inf.
_THRESHOLD = rf"(?:{_FLOAT}|inf)"
_THRESHOLDS = re.compile(rf"(?:{_THRESHOLD}(?: {_THRESHOLD})*)?", re.ASCII)
_TOKENS = re.compile(r"[^\s=]+(?: [^\s=]+)*")
_OBJECTIVE = re.compile(rf"([a-z_0-9]+)((?: [a-z_]+:{_FLOAT}| sqrt)*)", re.ASCII)
_SINGLE = frozenset(
    (
        "regression",
        "regression_l1",
        "huber",
        "fair",
        "poisson",
        "quantile",
        "mape",
        "gamma",
        "tweedie",
        "binary",
        "cross_entropy",
        "cross_entropy_lambda",
        "lambdarank",
        "rank_xendcg",
    )
)
_SEVERAL = frozenset({"multiclass", "multiclassova"})

_HEAD = ("version", "num_class", "num_tree_per_iteration", "label_index", "max_feature_idx")
_MORE = {"objective", "average_output", "feature_names", "monotone_constraints", "feature_infos"}
# Of a tree: lists with an entry for each split, and for each leaf; their lines in this order.
_SPLITS_INT = ("split_feature", "decision_type", "left_child", "right_child", "internal_count")
_SPLITS = (*_SPLITS_INT, "split_gain", "threshold", "internal_value", "internal_weight")
_LEAVES = ("leaf_value", "leaf_weight", "leaf_count")
_TREE = (
    "num_leaves",
    "num_cat",
    "split_feature",
    "split_gain",
    "threshold",
    "decision_type",
    "left_child",
    "right_child",
    "leaf_value",
    "leaf_weight",
    "leaf_count",
    "internal_value",
    "internal_weight",
    "internal_count",
    "is_linear",
    "shrinkage",
)
_CATEGORIES = ("cat_boundaries", "cat_threshold")


def lightgbm_settings(seed: int, **more: object) -> dict[str, object]:
    """Return parameters for `lightgbm.train` with which the same data give the same bytes.

    One thread, one order of sums, a seed from which LightGBM derives all others.

    Args:
        seed: of random draws, 0 to 2**31 - 1.
        more: further parameters, by LightGBM's main names.

    Raises:
        ValueError: a parameter would override a fixed one.
    """
    fixed: dict[str, object] = {"num_threads": 1, "deterministic": True, "force_row_wise": True, "seed": seed}
    if undone := sorted(fixed.keys() & more.keys()):
        raise ValueError(f"these are fixed, so that bytes are the same: {', '.join(undone)}")
    return {"verbosity": -1, **more, **fixed}


def write_lightgbm(content: object) -> bytes:
    """Return the trees of a booster as text, up to its best iteration if it has one.

    Raises:
        Refused: it is not a booster, or of a kind that cannot be saved (linear leaves, categories of
            pandas, which the text does not contain).
        LexbeamError: the extra `models` is not installed.
    """
    lightgbm = _lightgbm()
    if not isinstance(content, lightgbm.Booster):
        raise Refused("its content must be a lightgbm.Booster")
    if content.pandas_categorical:
        raise Refused("its categories are of pandas: give them as numbers instead")
    head, end, _ = content.model_to_string().encode().partition(_END)
    text = bytes(head + end)
    check_lightgbm(text)
    return text


def _lightgbm() -> Any:
    try:
        import lightgbm
    except ModuleNotFoundError as error:
        raise needs_models(error) from error
    except OSError as error:  # of a system library, which the package does not include
        raise LexbeamError(f"LightGBM cannot be loaded ({error}): on Debian and Ubuntu, install libgomp1") from error
    return lightgbm


def read_lightgbm(content: bytes) -> Any:
    """Return the booster of a text that `write_lightgbm` made.

    Raises:
        Refused: the text is something else.
        LexbeamError: the extra `models` is not installed.
    """
    lightgbm = _lightgbm()
    check_lightgbm(content)
    try:
        return lightgbm.Booster(model_str=content.decode())
    except (lightgbm.basic.LightGBMError, ValueError) as error:
        raise Refused(f"LightGBM cannot read it ({error})") from error


def predict_lightgbm(booster: Any, rows: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return what a booster predicts, on one thread.

    By default LightGBM takes all cores in every worker, and a process forked after that hangs when it
    predicts.
    """
    predictions: npt.NDArray[np.float64] = booster.predict(rows, num_threads=1)
    return predictions


def check_lightgbm(content: bytes) -> None:
    """Check a text of trees to its last byte.

    Raises:
        Refused: LightGBM must not read it, or must not predict with it.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise Refused(f"it is not text ({error})") from error
    head, blank, rest = text.partition("\n\n")
    lines = head.split("\n")
    if lines[0] != "tree" or not blank:
        raise Refused("it does not begin as LightGBM's texts do")
    if "\r" in text or "\0" in text or not text.endswith("\n\n\nend of trees\n"):
        raise Refused("it is cut short, or goes on after the trees")
    features, per_round, sizes = _check_head(lines[1:])
    body = rest.removesuffix(_END.decode()).encode()
    if sum(sizes) != len(body) or len(sizes) % per_round:
        raise Refused("the sizes of its trees are not those stated")
    start = 0
    for number, size in enumerate(sizes):
        tree = body[start : start + size].decode(errors="replace")
        start += size
        try:
            _check_tree(number, tree, features)
        except Refused as error:
            raise Refused(f"tree {number}: {error}") from None


def _check_head(lines: Sequence[str]) -> tuple[int, int, list[int]]:
    """Return the number of features, of trees a round, and the bytes of each tree."""
    fields = _fields(lines)
    if tuple(fields)[: len(_HEAD)] != _HEAD or tuple(fields)[-1] != "tree_sizes":
        raise Refused("its first lines are not those of LightGBM")
    if unknown := fields.keys() - {*_HEAD, *_MORE, "tree_sizes"}:
        raise Refused(f"it says {min(unknown)!r}, which is unknown here")
    if fields["version"] != "v4":
        raise Refused(f"it is of version {fields['version']!r} of LightGBM's texts, not v4")
    classes, per_round, _, last = (_number(fields, name) for name in _HEAD[1:])
    features = last + 1
    for name in ("feature_names", "feature_infos"):
        if not _TOKENS.fullmatch(said := fields.get(name, "")) or said.count(" ") != last:
            raise Refused(f"it does not have {features} {name}")
    constraints = fields.get("monotone_constraints")
    if constraints is not None and len(_ints(constraints)) != features:
        raise Refused(f"it does not have {features} monotone_constraints")
    if min(classes, per_round, features) < 1 or per_round != classes:
        raise Refused("its numbers of classes and of trees a round do not agree")
    _check_objective(fields.get("objective"), classes)
    sizes = _ints(fields["tree_sizes"])
    if min(sizes, default=0) < 1:
        raise Refused("it has no trees")
    return features, per_round, sizes.tolist()


def _check_objective(said: str | None, classes: int) -> None:
    """Check that an objective writes one number for each class."""
    if said is None:
        return
    match = _OBJECTIVE.fullmatch(said)
    if match is None or match[1] not in _SINGLE | _SEVERAL:
        raise Refused(f"its objective {said[:40]!r} is unknown here")
    several = f"num_class:{classes}" in match[2].split()
    if match[2].count("num_class:") > 1 or several != (match[1] in _SEVERAL):
        raise Refused(f"its objective {said[:40]!r} is not of {classes} classes")
    if match[1] in _SINGLE and classes > 1:
        raise Refused(f"its objective {said[:40]!r} is not of {classes} classes")


def _check_tree(number: int, text: str, features: int) -> None:
    lines = text.removesuffix("\n\n\n").split("\n")
    if not text.endswith("\n\n\n") or lines[0] != f"Tree={number}":
        raise Refused("it does not begin and end as trees do")
    fields = _fields(lines[1:])
    leaves, categories = _number(fields, "num_leaves"), _number(fields, "num_cat")
    expected = list(_TREE)
    if categories:
        expected[-2:-2] = _CATEGORIES
    if list(fields) != expected:
        raise Refused("its lines are not those of a tree")
    if leaves < 1 or fields["is_linear"] != "0" or not re.fullmatch(_FLOAT, fields["shrinkage"]):
        raise Refused("it has no leaves, or linear ones")
    for name in _LEAVES:
        # LightGBM gives no weights to the leaf of a tree without splits.
        _floats(fields, name, leaves if leaves > 1 or fields[name] else 0)
    if not fields["leaf_value"]:
        raise Refused("it has no leaves, or linear ones")
    for name in _SPLITS:
        _floats(fields, name, leaves - 1)
    split, kind, left, right, _ = (_ints(fields[name]) for name in _SPLITS_INT)
    children = np.concatenate([left, right])
    # LightGBM's path: each leaf once, each split but the first once, downwards.
    there = [*range(-leaves, 0), *range(1, leaves - 1)] if leaves > 1 else []
    parents = np.tile(np.arange(leaves - 1), 2)
    if np.sort(children).tolist() != there or ((children >= 0) & (children <= parents)).any():
        raise Refused("its splits do not make a tree")
    if len(split) and (split.min() < 0 or split.max() >= features):
        raise Refused("it splits by a feature that is not there")
    if len(kind) and (kind.min() < 0 or kind.max() > 0b1011):
        raise Refused("it splits in a way that is unknown here")
    _check_categories(fields, categories, np.flatnonzero(kind & 1))


def _check_categories(fields: dict[str, str], sets: int, splits: npt.NDArray[np.intp]) -> None:
    """Check that each split by category names a set, and that the sets are there."""
    if not sets:
        if len(splits):
            raise Refused("it splits by categories that are not there")
        return
    bounds = _ints(fields["cat_boundaries"])
    codes = fields["cat_threshold"].split(" ")
    if (
        not _CODES.fullmatch(fields["cat_threshold"])
        or max(map(int, codes)) >= 1 << 32
        or len(bounds) != sets + 1
        or (bounds[0], bounds[-1]) != (0, len(codes))
        or (np.diff(bounds) < 1).any()
    ):
        raise Refused("its sets of categories are incomplete")
    thresholds = fields["threshold"].split(" ")
    named = [thresholds[place] for place in splits]
    if not all(re.fullmatch(r"\d{1,9}", name, re.ASCII) and int(name) < sets for name in named):
        raise Refused("it splits by categories that are not there")


def _fields(lines: Sequence[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition("=")
        if name in fields:
            raise Refused(f"it says {name[:40]!r} twice")
        fields[name] = value
    return fields


def _number(fields: dict[str, str], name: str) -> int:
    if not re.fullmatch(_INT, said := fields.get(name, ""), re.ASCII) or int(said) < 0:
        raise Refused(f"its {name} is no number")
    return int(said)


def _ints(text: str) -> npt.NDArray[np.int64]:
    if not _INTS.fullmatch(text):
        raise Refused(f"{text[:40]!r} are no numbers")
    return np.array(text.split(), np.int64)


def _floats(fields: dict[str, str], name: str, wanted: int) -> None:
    text = fields[name]
    form = _THRESHOLDS if name == "threshold" else _FLOATS
    if not form.fullmatch(text) or len(text.split()) != wanted:
        raise Refused(f"its {name} is no list of {wanted} numbers")
