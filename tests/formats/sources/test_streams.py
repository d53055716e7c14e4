"""Lines of a stream, against splitting all of it."""

import io
import re
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.texts import encodings
from lexbeam.transforms.formats.sources import streams
from lexbeam.transforms.formats.sources.streams import iter_lines


def split(data, limit):
    """The lines, None for those over the limit."""
    lines = re.split(rb"\r\n|\r|\n", data)
    return [None if len(line) > limit else line for line in (lines if lines[-1] else lines[:-1])]


@given(st.lists(st.sampled_from([b"\n", b"\r\n", b"a", b"bc" * 4, b"\r"])), st.integers(1, 30), st.integers(1, 12))
def test_lines_are_those_of_the_whole(pieces, limit, chunk):
    data = b"".join(pieces)
    with mock.patch.object(streams, "_CHUNK", chunk), mock.patch.object(encodings, "_CHUNK", chunk):
        found = list(iter_lines(io.BytesIO(data), limit))
    assert [number for number, _ in found] == list(range(1, len(found) + 1))
    assert [line for _, line in found] == split(data, limit)


def test_a_byte_order_mark_is_no_part_of_the_first_line():
    data = b"\xef\xbb\xbfa\n\xef\xbb\xbfb"
    assert list(iter_lines(io.BytesIO(data), 9)) == [(1, b"a"), (2, b"\xef\xbb\xbfb")]
