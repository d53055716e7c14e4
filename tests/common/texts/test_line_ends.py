"""Line ends, against Python's own universal newlines."""

import io
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.texts import encodings
from lexbeam.transforms.common.texts.encodings import count_line_ends, end_of_line, line_feeds, lines_of, no_line_end

ENDS = st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b"a", b"bc"])).map(b"".join)


class Dripping(io.RawIOBase):
    """A stream that gives its bytes in pieces of some sizes, then an error."""

    def __init__(self, data, sizes, error):
        self._stream, self._sizes, self._error = io.BytesIO(data), iter(sizes), error

    def readable(self):
        return True

    def readinto(self, buffer):
        data = self._stream.read(min(len(buffer), next(self._sizes, 1)))
        if not data and self._error:
            raise EOFError
        buffer[: len(data)] = data
        return len(data)


@given(ENDS, st.lists(st.integers(1, 4)), st.integers(1, 5))
def test_streams_have_the_lines_of_universal_newlines(data, sizes, chunk):
    expected = io.TextIOWrapper(io.BytesIO(data), "ascii", newline=None).read().encode()
    with mock.patch.object(encodings, "_CHUNK", chunk):
        assert line_feeds(Dripping(data, sizes, error=False)).read() == expected
    ends = [count_line_ends(data[place : place + 1], data[:place]) for place in range(len(data))]
    assert sum(ends) == count_line_ends(data) == expected.count(b"\n")
    place, count = 0, 0
    while place < len(data):
        place, count = end_of_line(data, place), count + 1
    assert count == len(expected.splitlines())


def test_what_stands_before_a_break_is_read():
    stream = line_feeds(Dripping(b"one\rtwo\r\nthree", [5, 5, 5, 5], error=True))
    assert [stream.readline(), stream.readline()] == [b"one\n", b"two\n"]
    with pytest.raises(EOFError):
        stream.readline()


def test_a_text_ends_lines_by_marks_of_its_own():
    assert lines_of("a\x85b\u2028c\u2029d\x0be\x1cf\r\n") == ["a", "b", "c", "d\x0be\x1cf", ""]
    assert no_line_end("a\x85b") == "; U+0085 ends no line here, LF, CR LF and CR do"
    assert no_line_end("a\nb") == ""
