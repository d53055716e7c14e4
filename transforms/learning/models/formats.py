"""The formats in which trained models are kept, the registry `FORMATS`; reading one never executes code of the file.

The same model gives the same bytes. A file is checked completely before a library reads it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.code.fingerprints import canonical_json
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.learning.models.lightgbm_text import read_lightgbm, write_lightgbm
from lexbeam.transforms.learning.models.model import Refused, needs_models
from lexbeam.transforms.learning.models.skops_file import read_skops, write_skops

REGISTRY = "lexbeam.transforms.learning.models.formats:FORMATS"
_TYPES = frozenset(np.dtype(kind).name for kind in "efdbhiqBHIQ?")  # numbers and truth values


@dataclass(frozen=True)
class ModelFormat(Entry):
    """How the content of a model is stored.

    Attributes:
        write: from the content to bytes, the same for the same content; raises `Refused`.
        read: from any bytes to the content; raises `Refused`.
        suffix: of the file.
        version: raised when an older `read` cannot read what `write` makes.
        packages: distributions whose versions are recorded beside the weights.
        exact: those of them of which another minor version may read the content wrongly.
    """

    write: Callable[[Any], bytes]
    read: Callable[[bytes], Any]
    suffix: str
    version: int
    packages: tuple[str, ...]
    exact: tuple[str, ...] = ()


def write_safetensors(content: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return arrays by name as safetensors: numbers and truth values, of any shape.

    Raises:
        Refused: there is no array, or an array of another type.
        LexbeamError: the extra `models` is not installed.
    """
    try:
        import safetensors.numpy
    except ModuleNotFoundError as error:
        raise needs_models(error) from error
    if not isinstance(content, Mapping) or not content:
        raise Refused("its content must be arrays by name")
    plain = {}
    for name in sorted(content):
        array = np.asarray(content[name])
        if array.dtype.name not in _TYPES:
            raise Refused(f"array {name!r} is of type {array.dtype}, not numbers")
        plain[name] = np.asarray(array, array.dtype.newbyteorder("<"), order="C")
    return bytes(safetensors.numpy.save(plain))


def read_safetensors(content: bytes) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a safetensors file by name, in the order of the names.

    Raises:
        Refused: the bytes are not such a file: the header must describe every one of them.
        LexbeamError: the extra `models` is not installed.
    """
    try:
        import safetensors
        import safetensors.numpy
    except ModuleNotFoundError as error:
        raise needs_models(error) from error
    try:
        arrays = safetensors.numpy.load(content)
    except (safetensors.SafetensorError, KeyError, TypeError, ValueError) as error:
        raise Refused(f"it is not a safetensors file ({error})") from error
    return {name: arrays[name] for name in sorted(arrays)}


def pack_texts(texts: Sequence[str]) -> npt.NDArray[np.uint8]:
    """Return texts, such as a vocabulary, as an array that a safetensors file can hold.

    >>> unpack_texts(pack_texts(["a", "ä"]))
    ['a', 'ä']
    """
    return np.frombuffer(canonical_json(list(texts)), np.uint8)


def unpack_texts(array: npt.NDArray[np.uint8]) -> list[str]:
    """Return the texts that `pack_texts` packed.

    Raises:
        Refused: the array contains something else.
    """
    try:
        texts = json.loads(np.asarray(array, np.uint8).tobytes())
    except (ValueError, RecursionError) as error:
        raise Refused(f"an array does not hold texts ({error})") from error
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise Refused("an array does not hold texts")
    return texts


FORMATS: Registry[ModelFormat] = Registry(
    {
        "safetensors": ModelFormat(
            write_safetensors,
            read_safetensors,
            ".safetensors",
            1,
            ("numpy", "safetensors"),
            doc="arrays by name: networks, n-gram tables, embeddings",
        ),
        "lightgbm": ModelFormat(
            write_lightgbm, read_lightgbm, ".txt", 1, ("lightgbm", "numpy"), doc="a LightGBM booster as text"
        ),
        "skops": ModelFormat(
            write_skops,
            read_skops,
            ".skops",
            1,
            ("numpy", "scikit-learn", "scipy", "skops"),
            exact=("scikit-learn",),
            doc="an estimator of scikit-learn, of a fixed list of types",
        ),
    },
    what="format of models",
)
