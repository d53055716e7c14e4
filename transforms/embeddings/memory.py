"""What a training, or a decomposition, takes of memory, and whether the machine has it."""

import os

from lexbeam.transforms.common.errors import LexbeamError

_PADDED = 16  # numbers to which a row of the trainer in C is filled up
_TEXT = 250  # bytes of a word beside its vectors: its text, its uses, its places
_REST = 1 << 20  # tables of one size


def training_memory(words: int, dim: int, contexts: int = 0, rare: int = 0, *, keep_contexts: bool = False) -> int:
    """Return the bytes that a training takes at its peak, about: two matrices, what is handed on, and tables.

    Args:
        words: of the vocabulary.
        dim: of the vectors.
        contexts: rows of contexts, if they are not as many.
        rare: words below the frequency cut, which are read and not trained.
        keep_contexts: whether context vectors are handed on beside the vectors.
    """
    padded = -(-dim // _PADDED) * _PADDED
    matrices = 4 * (words + (contexts or words)) * padded + 4 * words * dim * (1 + keep_contexts)
    return matrices + _TEXT * (words + rare) + _REST


def decomposition_memory(words: int, dim: int) -> int:
    """Return the bytes that a truncated singular value decomposition takes at its peak, about.

    These are eight dense matrices of words by words where there are at most three times `dim`, six of words by `dim` of
    more words (`counted.weightings.truncated_svd`).
    """
    return 8 * words * (8 * words if words <= 3 * dim else 6 * dim) + _REST


def available_memory(root: str = "/") -> int | None:
    """Return the bytes that this process can still have: of the machine, or of the container; None: nobody knows.

    Args:
        root: where the system's files are.
    """
    found = []
    for line in _read(root, "proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            found.append(1024 * int(line.split()[1]))
    for most, used, stat in _GROUPS:
        limit, now = _read(root, most).strip(), _read(root, used).strip()
        if limit.isdigit() and now.isdigit():
            # The cache of files counts as used, and is given up when it is asked for.
            cached = [line.split()[1] for line in _read(root, stat).splitlines() if line.startswith("inactive_file ")]
            found.append(max(0, int(limit) - int(now) + sum(map(int, cached))))
    return min(found, default=None)


# Limits, use and its kinds, by the two versions of control groups.
_GROUPS = (
    ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory.current", "sys/fs/cgroup/memory.stat"),
    (
        "sys/fs/cgroup/memory/memory.limit_in_bytes",
        "sys/fs/cgroup/memory/memory.usage_in_bytes",
        "sys/fs/cgroup/memory/memory.stat",
    ),
)


def _read(root: str, path: str) -> str:
    try:
        with open(os.path.join(root, path), encoding="ascii") as stream:
            return stream.read()
    except OSError:
        return ""


def check_memory(
    slice_name: str, words: int, dim: int, contexts: int = 0, rare: int = 0, *, keep_contexts: bool = False
) -> None:
    """Refuse a training that this machine has not the memory for, before it begins.

    Raises:
        LexbeamError: it has not; the message has both numbers.
    """
    _check(
        training_memory(words, dim, contexts, rare, keep_contexts=keep_contexts),
        f"slice {slice_name!r}: to train {words:,} words of {dim} numbers",
        "raise `min_count`, lower `dim`, or let fewer workers train at a time",
    )


def check_decomposition(words: int, dim: int) -> None:
    """Refuse a decomposition that this machine has not the memory for, before it begins.

    Raises:
        LexbeamError: it has not; the message has both numbers.
    """
    _check(
        decomposition_memory(words, dim),
        f"to decompose the vectors of {words:,} words to {dim} numbers",
        "raise `min_count`, or lower `dim`",
    )


def _check(needed: int, what: str, remedy: str) -> None:
    left = available_memory()
    if left is not None and needed > left:
        raise LexbeamError(f"{what} takes {needed / 1e9:.2f} GB of memory, and {left / 1e9:.2f} GB are left: {remedy}")
