"""Cells as numbers: missing values, factor and logarithm.

>>> numbers_of(["3.5", "", "NA"], [2, 3, 4], "value", "norms.csv").to_pylist()
[3.5, None, None]
"""

import math
from collections.abc import Sequence
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.errors import LexbeamError

# In any case. These are missing values; words may be called so.
MISSING_TEXTS = ("", "na", "n/a", "#n/a", "nan", "null", "none")


def missing(texts: pa.Array) -> pa.Array:
    """Return which trimmed texts stand for a missing value."""
    return pc.is_in(pc.utf8_lower(texts), value_set=pa.array(MISSING_TEXTS, texts.type))


def is_number_or_missing(text: str, decimal: str) -> bool:
    """Return whether a cell could be a value."""
    try:
        numbers_of([text], [1], "", "", decimal)
    except LexbeamError:
        return False
    return True


def numbers_of(
    texts: pa.Array | Sequence[str], lines: pa.Array | Sequence[int], column: str, path: str, decimal: str = "point"
) -> pa.Array:
    """Return texts as float64, null for missing values.

    Args:
        texts: the cells.
        lines: their lines, for the error.
        column: their column, for the error.
        path: their file, for the error.
        decimal: `point` or `comma`.

    Raises:
        LexbeamError: a text is neither a finite number nor a missing value.
    """
    if not isinstance(texts, pa.Array):
        texts = pa.array(texts, pa.large_string())
    trimmed = pc.utf8_trim_whitespace(texts)
    trimmed = pc.if_else(missing(trimmed), pa.scalar(None, trimmed.type), trimmed)
    if decimal == "comma":
        # A point then separates thousands or is a mistake: with `?` it is no number.
        trimmed = pc.replace_substring(pc.replace_substring(trimmed, ".", "?"), ",", ".")
    try:
        values = trimmed.cast(pa.float64())
    except pa.ArrowInvalid:
        values = None
    if values is not None and pc.all(pc.is_finite(values), min_count=0).as_py():
        return values
    bad = next(n for n, text in enumerate(trimmed.to_pylist()) if not _finite(text))
    text = texts[bad].as_py()
    remedy = "give the right column"
    if "," in text:
        remedy += ", or `decimal=comma`"
    raise LexbeamError(f"{path}, line {lines[bad]}: {text[:40]!r} in column {column!r} is not a number: {remedy}")


def _finite(text: str | None) -> bool:
    try:
        return text is None or math.isfinite(pa.scalar(text).cast(pa.float64()).as_py())
    except pa.ArrowInvalid:
        return False


def multiplied(texts: pa.Array, values: pa.Array, factor: str, decimal: str) -> pa.Array:
    """Return values times a factor, rounded once: 2.01 times 100 is 201.

    Args:
        texts: the cells.
        values: what `numbers_of` returned for them.
        factor: a decimal number.
        decimal: as for `numbers_of`.
    """
    times = Decimal(factor)
    if times == 1:
        return values
    exact = [
        None if value is None else float(Decimal(_point(text, decimal)) * times)
        for text, value in zip(texts.to_pylist(), values.to_pylist(), strict=True)
    ]
    return pa.array(exact, pa.float64())


def _point(text: str, decimal: str) -> str:
    return text.strip().replace(",", ".") if decimal == "comma" else text.strip()


def to_log10(values: pa.Array, added: float, lines: pa.Array, path: str) -> pa.Array:
    """Return log10(value + added).

    Raises:
        LexbeamError: a value has no logarithm.
    """
    plain = values.to_pylist()
    for line, value in zip(lines.to_pylist(), plain, strict=True):
        if value is not None and value + added <= 0:
            raise LexbeamError(f"{path}, line {line}: {value:g} + {added:g} has no logarithm: add more by `log10=`")
    # One by one, since numpy's logarithm differs between processors in the last bit.
    return pa.array([None if v is None else math.log10(v + added) for v in plain], pa.float64())
