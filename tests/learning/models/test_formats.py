import io
import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from model_making import arrays

from lexbeam.transforms.learning.models.formats import (
    FORMATS,
    pack_texts,
    read_npz,
    read_safetensors,
    unpack_texts,
    write_npz,
    write_safetensors,
)
from lexbeam.transforms.learning.models.model import Refused

ARRAYS = st.dictionaries(
    st.text(st.characters(codec="utf-8"), max_size=5).filter(lambda name: name != "__metadata__"),
    st.one_of(
        arrays_of.arrays(kind, arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0))
        for kind in ("<f4", "<f8", "<i8", "u1", "?", ">f8")
    ),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("name", ["safetensors", "npz"])
@given(content=ARRAYS)
def test_arrays_come_back_as_they_were(name, content):
    found = FORMATS[name].read(FORMATS[name].write(content))
    assert list(found) == sorted(content)
    for name, array in content.items():
        assert found[name].shape == array.shape
        assert found[name].dtype == array.dtype.newbyteorder("=")
        assert found[name].tobytes() == array.astype(found[name].dtype).tobytes()


def test_the_order_of_names_does_not_count():
    content = arrays()
    for write in (write_safetensors, write_npz):
        assert write(content) == write(dict(reversed(content.items())))


def test_an_archive_of_arrays_is_neither_compressed_nor_pickled():
    for content, save in (({"a": np.zeros(1 << 20)}, np.savez_compressed), ({"a": np.array([{}])}, np.savez)):
        save(stream := io.BytesIO(), **content)
        with pytest.raises(Refused, match="not an archive of arrays"):
            read_npz(stream.getvalue())


def headed(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def entry(start, end, shape, kind="F32"):
    return {"dtype": kind, "shape": shape, "data_offsets": [start, end]}


LIES = {
    "nothing": b"",
    "a pickle": b"\x80\x05cos\nsystem\n(S'true'\ntR.",
    "a header beyond the end": struct.pack("<Q", 1 << 60),
    "a header of 100 MB": struct.pack("<Q", 99 << 20) + b"{}",
    "no JSON": headed(b"{" * 100),
    "deep nesting": headed(b'{"a":' + b"[" * 100_000),
    "data beyond the end": headed({"a": entry(0, 400, [100])}, b"1234"),
    "a shape of another size": headed({"a": entry(0, 4, [1000, 1000])}, b"1234"),
    "a shape that overflows": headed({"a": entry(0, 4, [1 << 32, 1 << 32])}, b"1234"),
    "a negative offset": headed({"a": entry(-4, 0, [1])}, b"1234"),
    "overlapping arrays": headed({"a": entry(0, 4, [1]), "b": entry(2, 6, [1])}, b"123456"),
    "a hole": headed({"a": entry(0, 4, [1]), "b": entry(8, 12, [1])}, b"123456789012"),
    "more behind": headed({"a": entry(0, 4, [1])}, b"12345678"),
    "an unknown type": headed({"a": entry(0, 4, [1], "PICKLE")}, b"1234"),
    "cut": write_safetensors(arrays())[:-1],
}


@pytest.mark.parametrize("case", LIES)
def test_a_header_that_lies_is_refused(case):
    with pytest.raises(Refused, match="not a safetensors file"):
        read_safetensors(LIES[case])


@given(st.lists(st.text(st.characters(codec="utf-8"))))
def test_texts_come_back_as_they_were(texts):
    packed = pack_texts(texts)
    assert packed.dtype == np.uint8
    assert unpack_texts(read_safetensors(write_safetensors({"words": packed}))["words"]) == texts


@pytest.mark.parametrize("content", [b"{}", b"[1]", b"[", b"\xff", b"[" * 100_000])
def test_what_holds_no_texts(content):
    with pytest.raises(Refused, match="does not hold texts"):
        unpack_texts(np.frombuffer(content, np.uint8))


def test_every_format_refuses_what_is_another_format():
    for name, how in FORMATS.items():
        for content in (b"", b"\x80\x05.", write_safetensors(arrays()), b"PK\x05\x06" + bytes(18)):
            if name != "safetensors" or content[:1] in (b"", b"\x80", b"P"):
                with pytest.raises(Refused):
                    how.read(content)
