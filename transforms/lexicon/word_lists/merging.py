"""Several rows of one word: which counts, or what is made of them."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from transforms.common.errors import LexbeamError

__all__ = ["merged"]

_SHOWN = 5


def merged(rows: pa.Table, words: pa.Array, rule: str, where: str) -> pa.Table:
    """Return one row per word, in the order in which words first stand.

    Args:
        rows: columns `word`, `value`, `sd`, `n` and others; rows of one word differ in `line`.
        words: by what rows are one; as many as rows.
        rule: `first`, `last`; `most`: the greatest `n`, the first of several; `sum`, `mean` of
            values, with the sum of `n` and without `sd`; `error`.
        where: what the rows are of, for the error.

    Raises:
        LexbeamError: the rule is `error` and a word has several rows.
    """
    coded = words.dictionary_encode()
    codes = coded.indices.to_numpy(zero_copy_only=False)
    distinct = len(coded.dictionary)
    if distinct == len(rows):
        return rows
    counts = np.bincount(codes, minlength=distinct)
    if rule == "error":
        raise _doubled(rows, coded.dictionary, codes, np.flatnonzero(counts > 1), where)
    order = np.arange(len(rows))
    if rule == "last":
        order = order[::-1]
    elif rule == "most":
        n = rows["n"].combine_chunks().fill_null(-1.0).to_numpy(zero_copy_only=False)
        order = np.argsort(-n, kind="stable")
    _, firsts = np.unique(codes[order], return_index=True)
    kept = rows.take(pa.array(order[firsts]))
    if rule in ("sum", "mean"):
        kept = _reduced(kept, rows, codes, counts, rule)
    # Codes are numbered as words first stand, and so are the rows kept.
    return kept


def _reduced(
    kept: pa.Table, rows: pa.Table, codes: npt.NDArray[np.int32], counts: npt.NDArray[np.int64], rule: str
) -> pa.Table:
    """Return rows whose values are sums or means; what is of one row alone stays as it is."""
    single = pa.array(counts == 1)

    def total(column: str) -> npt.NDArray[np.float64]:
        values = rows[column].combine_chunks().fill_null(0.0).to_numpy(zero_copy_only=False)
        return np.bincount(codes, weights=values, minlength=len(counts)).astype(np.float64)

    value = total("value") / (counts if rule == "mean" else 1)
    there = np.bincount(codes, weights=rows["n"].is_valid().to_numpy(), minlength=len(counts))
    new = {
        "value": pc.if_else(single, kept["value"], pa.array(value)),
        "sd": pc.if_else(single, kept["sd"], pa.scalar(None, pa.float64())),
        "n": pa.array(total("n"), mask=there == 0),
    }
    for name, column in new.items():
        kept = kept.set_column(kept.schema.get_field_index(name), name, column)
    return kept


def _doubled(
    rows: pa.Table,
    words: pa.Array,
    codes: npt.NDArray[np.int32],
    several: Sequence[int] | npt.NDArray[np.int64],
    where: str,
) -> LexbeamError:
    lines = rows["line"]
    shown = []
    for code in several[:_SHOWN]:
        own = [str(lines[int(place)].as_py()) for place in np.flatnonzero(codes == code)[:_SHOWN]]
        word = words[int(code)].as_py().replace("\t", " as ")
        shown.append(f"{word!r} (lines {', '.join(own)})")
    more = f" and {len(several) - _SHOWN} more" if len(several) > _SHOWN else ""
    return LexbeamError(
        f"{where}: {len(several)} words have several rows: {', '.join(shown)}{more}: choose by "
        "`duplicates=`: first, last, mean, sum, or most (of n)"
    )
