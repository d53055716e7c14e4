"""Blocks of words with their vectors, which readers yield, and the checks that they share."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.texts.characters import nfc, seen
from lexbeam.transforms.lexicon.vectors.options import VectorOptions

ROWS = 4096  # of a block; they decide the order of sums, and so their last bits


class VectorBlock(NamedTuple):
    """Some words of a file, in its order.

    Attributes:
        words: in NFC; empty where a row has no word.
        dim: numbers of a vector.
        vectors: float32 of shape (words, dim); None where they were not requested.
    """

    words: list[str]
    dim: int
    vectors: npt.NDArray[np.float32] | None


# Takes a path, options, and whether to read vectors or the words alone.
Reader = Callable[[str, VectorOptions, bool], Iterator[VectorBlock]]


def texts(words: Sequence[bytes], places: Sequence[str]) -> list[str]:
    """Return words as text.

    Args:
        words: as bytes.
        places: where each word stands, for the error.

    Raises:
        LexbeamError: a word is not UTF-8.
    """
    decoded = []
    for word, place in zip(words, places, strict=True):
        try:
            text = word.decode("utf-8")
        except UnicodeDecodeError as error:
            raise LexbeamError(
                f"{place}: the word {word!r} is not UTF-8 ({error.reason}): convert the file, or "
                "leave the word out of it"
            ) from None
        decoded.append(nfc(seen(text)))
    return decoded


def check_finite(vectors: npt.NDArray[np.float32], places: Sequence[str]) -> None:
    """Check that all numbers are finite.

    Raises:
        LexbeamError: a number is infinite or NaN; the error names its place.
    """
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        raise LexbeamError(
            f"{places[int(np.argmin(finite))]}: a number of the vector is infinite or NaN: make "
            "the file anew, or give the right `format=`"
        )
