"""Downsampling of a slice: all sentences with a target, a random sample of the others.

So the larger corpora of SemEval-2020 Task 1 were made. Nothing is sorted: every sentence has a
random number of its own (see `view.sentence_keys`), the tokens are counted in bins of it, and the
sentences below the bin where the budget ends are kept.
"""

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.draws.by_content import mix64

BINS = 4_096
_SHIFT = np.uint64(52)


def token_histogram(
    keys: npt.NDArray[np.uint64], lengths: npt.NDArray[np.int64], targets: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int64], int]:
    """Return tokens of the sentences without a target by bin, and tokens of those with one.

    Args:
        keys: the sentences' keys.
        lengths: words in each.
        targets: whether it holds a target.

    Returns:
        int64 of shape (`BINS`,) and a number; both are summed over the parts of a slice.
    """
    free = ~targets
    tokens = np.bincount(_bins(keys[free]), lengths[free], minlength=BINS)
    return tokens.astype(np.int64), int(lengths[targets].sum())


def _bins(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    # Mixed anew, for what is kept must not come first in the order of training, which is that of
    # the keys: the other sentences with a target would come last.
    return (mix64(keys) >> _SHIFT).astype(np.int64)


def threshold(histogram: npt.NDArray[np.int64], target_tokens: int, budget: int | None) -> int:
    """Return how many bins are kept: the most that stay within the budget of tokens.

    `BINS`, which keeps all, where the budget is None or large enough; 0 where the sentences with
    a target use it up (they are kept even above it).
    """
    if budget is None:
        return BINS
    return int(np.searchsorted(target_tokens + np.cumsum(histogram), budget, side="right"))


def keep_mask(keys: npt.NDArray[np.uint64], targets: npt.NDArray[np.bool_], limit: int) -> npt.NDArray[np.bool_]:
    """Return which sentences are kept: those with a target, and those in a bin below `limit`."""
    return targets | (_bins(keys) < limit)
