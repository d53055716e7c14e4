"""The formats in which trained models are kept, the registry `FORMATS`; reading one never executes code of the file.

The same model gives the same bytes. A file is checked completely before a library reads it.
"""

import io
import json
import zipfile
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


def _plain(content: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Return arrays by name, in the order of the names, little-endian.

    Raises:
        Refused: there is no array, or an array of another type than numbers and truth values.
    """
    if not isinstance(content, Mapping) or not content:
        raise Refused("its content must be arrays by name")
    plain = {}
    for name in sorted(content):
        array = np.asarray(content[name])
        if array.dtype.name not in _TYPES:
            raise Refused(f"array {name!r} is of type {array.dtype}, not numbers")
        plain[name] = np.asarray(array, array.dtype.newbyteorder("<"), order="C")
    return plain


def write_npz(content: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return arrays by name as numpy keeps them, an archive of arrays: numbers and truth values, of any shape.

    Raises:
        Refused: there is no array, or an array of another type.
    """
    stream, arrays = io.BytesIO(), _plain(content)
    numbered = {str(number): array for number, array in enumerate(arrays.values())}  # names may be any texts
    np.savez(stream, allow_pickle=False, names=pack_texts(list(arrays)), **numbered)
    return stream.getvalue()


def read_npz(content: bytes) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of numpy's archive by name, in the order of the names.

    Raises:
        Refused: the bytes are no such archive, or hold something else than numbers and truth values.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
                raise Refused("its arrays are compressed")
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return _plain({name: arrays[str(number)] for number, name in enumerate(unpack_texts(arrays["names"]))})
    except Exception as error:  # of whatever kind: numpy's and zipfile's are many
        raise Refused(f"it is not an archive of arrays ({error})") from error


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
    return bytes(safetensors.numpy.save(_plain(content)))


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
        "npz": ModelFormat(
            write_npz, read_npz, ".npz", 1, ("numpy",), doc="arrays by name, of models that a run fits and asks itself"
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
