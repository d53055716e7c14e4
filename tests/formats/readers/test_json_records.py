"""

Arrays that are cut into elements: the same however the bytes come, and in little memory.
"""

import gzip
import io
import itertools
import json
import random
import tracemalloc
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reading import entries, summary

from lexbeam.transforms.formats.readers import json_records
from lexbeam.transforms.formats.readers.json_records import begins_array, iter_elements, iter_utf8
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Reject, Source


def test_a_record_a_line_with_its_fields():
    data = b'{"text": "One.\\r\\nTwo", "Title": "T", "date": 1790, "n": null, "x": [1]}\n\n{}'
    record, reject = entries(b"\xef\xbb\xbf" + data, "jsonl")
    assert record.text == "One.\nTwo"
    assert record.fields == {"Title": "T", "title": "T", "date": "1790"}
    assert record.position == "1"
    assert (reject.position, reject.reason) == ("3", "missing_field")


def test_fields_by_path():
    line = json.dumps({"body": {"parts": ["A b.", "C d."]}, "meta": {"when": "1790"}, "by": "N"})
    options = {"text_field": "body.parts", "fields": ("date=meta.when", "author=by", "title=no")}
    (record,) = entries(line.encode(), "jsonl", **options)
    assert record.text == "A b.\n\nC d."
    assert record.fields == {"by": "N", "date": "1790", "author": "N"}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "malformed"),
        (b"[1]", "malformed"),
        (b'"text"', "malformed"),
        (b'{"text": 1}', "malformed"),
        (b'{"text": "\xff"}', "undecodable"),
        (b'{"text": "a\\u0000"}', "control"),
        (b'{"text": "\\ud800"}', "control"),
        (b'{"text": ""}', "empty"),
        (b'{"text": "\\u200b "}', "empty"),
        (b'{"text": null}', "missing_field"),
        (b'{"text": ' + b"9" * 5000 + b"}", "malformed"),
        (b"[" * 100_000, "malformed"),
        (b'{"text": "' + b"a" * 20_000 + b'"}', "too_large"),
    ],
)
def test_a_broken_line_is_one_reject(line, reason):
    limit = 10_000 if reason == "too_large" else 200_000
    data = b'{"text": "a"}\n' + line + b'\n{"text": "b"}'
    assert summary(data, "jsonl", max_line_bytes=limit) == ["a", ("2", reason), "b"]


@pytest.mark.parametrize(
    "data", [b'[{"text": "a"}]', b'[\n{"text": "a"},\n{"text": "b"}\n]', b'[{"text": "a"},\n{"text": "b"}]']
)
def test_an_array_is_told_from_lines(data):
    reject = entries(data, "jsonl")[0]
    assert (reject.position, reject.reason) == ("1", "malformed")
    assert "an array is json" in reject.detail


def test_elements_of_an_array():
    data = json.dumps({"data": {"rows": [{"text": "a"}, 1, {"text": "b", "date": 1.5}]}}).encode()
    assert summary(data, "json", json_path="data.rows") == ["a", ("2", "malformed"), "b"]
    assert summary(data, "json", json_path="data.x") == [("", "missing_field")]
    assert summary(b'[{"text": "a"}]', "json") == ["a"]
    assert summary(b'{"text": "a"}', "json") == ["a"]
    assert summary(b"[]", "json") == [("", "empty")]
    assert summary(b"[", "json") == [("", "malformed")]
    assert summary(b"3", "json") == [("", "malformed")]


def test_other_encodings_of_lines():
    data = '{"text": "café"}\n{"text": "ß"}'
    assert summary(data.encode("latin-1"), "jsonl", encoding="latin-1") == ["café", "ß"]
    assert summary(data.encode("utf-16"), "jsonl", encoding="utf-16") == ["café", "ß"]


def test_a_large_number_does_not_depend_on_the_elements_beside_it():
    large = '{"text": "one", "n": 1000000000000000000000000000000}'
    (alone,) = entries(f"[{large}]".encode(), "json")
    beside = entries(f'[{large}, {{"text": NaN}}]'.encode(), "json")[0]
    assert beside.fields["n"] == alone.fields["n"] == "1e+30"


def test_a_first_line_with_a_mark_that_is_just_too_long_is_one_line():
    """It was taken for two: the mark was counted to the line while it was read, and not after."""
    for more in range(6):
        data = b"\xef\xbb\xbf" + b"1" * (98 + more) + b"\n\n"
        assert len(entries(data, "jsonl", max_line_bytes=100)) == 1


SIZES = range(1, 65)
LIMIT = 10_000
STRINGS = st.text(max_size=8) | st.text(alphabet='\\"[]{}, \nné😀', max_size=8)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | STRINGS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRINGS, inner, max_size=4),
    max_leaves=12,
)
STYLES = st.fixed_dictionaries(
    {
        "ensure_ascii": st.booleans(),
        "indent": st.sampled_from([None, 0, "\t", " \r"]),
        "separators": st.sampled_from([(",", ":"), (" ,\n", "\t: ")]),
    }
)


def cut(data, size):
    return [data[start : start + size] for start in range(0, len(data), size)]


def elements(pieces, limit=LIMIT):
    """Return the parsed elements, and after them the reason why there are no more."""
    found = []
    try:
        for _, data in iter_elements(pieces, limit):
            found.append(json.loads(data))
    except BadRecord as error:
        found.append(error.reason)
    return found


def streamed(data, size=7, **options):
    """Return what the reader makes of an array that it takes for a large one."""
    with mock.patch.object(json_records, "_SMALL", 0), mock.patch.object(json_records, "_PIECE", size):
        return summary(data, "json", **options)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.lists(VALUES, max_size=6), STYLES)
def test_any_array_in_pieces_of_any_size_is_what_the_whole_is(values, style):
    data = json.dumps(values, **style).encode()
    for size in SIZES:
        assert elements(cut(data, size)) == values


@settings(max_examples=60, deadline=None)
@given(st.lists(VALUES, max_size=4), st.binary(max_size=4), st.floats(0, 1))
@example([], b"\x80\\", 0.0)
def test_a_broken_array_is_cut_alike_in_pieces_of_any_size(values, inserted, place):
    data = json.dumps(values).encode()
    at = 1 + int(place * (len(data) - 1))
    data = data[:at] + inserted + data[at:]
    found = [streamed(data, size) for size in (1, 2, 3, 5, 64, 10_000)]
    assert found == [found[0]] * 6


@given(st.lists(st.fixed_dictionaries({"text": STRINGS, "n": VALUES}), max_size=4))
def test_records_and_rejects_are_those_of_the_whole_parser(rows):
    data = json.dumps([*rows, 1, {"text": "last"}]).encode()
    assert streamed(data) == summary(data, "json")


def test_a_place_is_that_of_the_byte():
    data = b'\xef\xbb\xbf [{"a": "\xc3\xa9"}, "b" ,3]'
    for size in SIZES:
        for place, found in iter_elements(cut(data, size), LIMIT):
            assert data[place : place + len(found)] == found


def test_wherever_an_array_breaks_off_the_elements_before_it_are_read():
    parts = ['{"text": "a,]"}', '{"text": "b\\"", "n": [[1], {}]}', '{"text": "c", "n": 12}']
    data = ("[" + ", ".join(parts) + "]").encode()
    ends = [1 + len(", ".join(parts[:n])) for n in (1, 2, 3)]
    for length, size in itertools.product(range(1, len(data)), (1, 4, 100)):
        whole = sum(end < length for end in ends)
        expected = [*["a,]", 'b"', "c"][:whole], (str(whole + 1), "malformed")]
        assert streamed(data[:length], size) == expected


@pytest.mark.parametrize(
    ("rest", "reason"),
    [
        (b",", "malformed"),
        (b", }", "malformed"),
        (b', {"text": "b"}', "malformed"),
        (b', {"text": "b"}}', "malformed"),
        (b",]", "malformed"),
        (b',, {"text": "b"}]', "malformed"),
        (b', {"text": tru}, {"text": "b"}]', "malformed"),
        (b', {"text": "b", "n": [1}, {"text": "b"}]', "malformed"),
        (b', {"text": "caf\xe9"}, {"text": "b"}]', "undecodable"),
        (b", " + b"9" * 5000 + b', {"text": "b"}]', "malformed"),
        (b", " + b"[" * 100_000 + b"]" * 100_000 + b', {"text": "b"}]', "malformed"),
        (b', {"text": "' + b"b" * 200_000, "too_large"),
        (b', {"text": "' + b"b" * 200_000 + b'"}, {"text": "b"}]', "too_large"),
    ],
)
@pytest.mark.parametrize("size", [1000, 1_000_000])
def test_what_is_missing_is_one_reject(rest, reason, size):
    found = streamed(b'[{"text": "a"}' + rest, size, max_record_bytes=200_002)
    assert found == ["a", ("2", reason)]


@pytest.mark.parametrize("rest", [b"]", b"}", b" x", b' "', b"[", b',{"text": "b"}', b"}{", b"\xff"])
def test_text_behind_the_array_is_one_reject(rest):
    for size in SIZES:
        found = streamed(b'[{"text": "a"}]' + rest, size)
        assert found == ["a", ("2", "malformed")]
        assert streamed(b"[]" + rest, size) == [("1", "malformed")]


def test_what_the_slower_parser_takes_is_taken():
    data = b' [{"text": "a", "n": NaN}, {"text": "\\ud83d"}, null,\n {"text": "b"} ]\r\n '
    assert streamed(data) == ["a", ("2", "control"), ("3", "malformed"), "b"]
    assert streamed(b"[ \n" + b" " * 100 + b"]") == [("", "empty")]


def test_the_detail_says_where():
    source = Source("a", lambda: io.BytesIO(b'[{"text": "a"}, {"text": "\xe9"}]'), "a")
    with mock.patch.object(json_records, "_SMALL", 0):
        *_, reject = json_records.read_json(source, ReaderOptions())
    assert reject.detail == (
        "in the element from byte 15 (in UTF-8): not utf-8: byte 11 (0xe9): invalid continuation byte; it may be cp1252"
    )


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "latin-1", "shift_jis", "iso2022_jp"]
)
def test_other_encodings(encoding):
    # In Shift JIS the second byte of 表 is that of a backslash, that of ソ as well.
    texts = ["é", "caf"] if encoding == "latin-1" else ["表", "ソ\\"]
    data = json.dumps([{"text": text} for text in texts], ensure_ascii=False).encode(encoding)
    assert begins_array(data[:21], encoding)
    for size in SIZES:
        assert streamed(data, size, encoding=encoding) == texts
    cut_short = data[: data.rindex("}".encode(encoding)[-1:])]
    assert streamed(cut_short, encoding=encoding)[0] == texts[0]


@pytest.mark.parametrize(
    ("encoding", "good", "bad"),
    [
        ("ascii", b"", b"\xe9"),
        ("utf-16-le", b"", b"\x00\xdc"),
        ("shift_jis", b"", b"\x81\x20"),
        ("iso2022_jp", b"\x1b$B", b"0\xff"),
    ],
)
def test_a_bad_byte_of_another_encoding_leaves_what_is_before_it(encoding, good, bad):
    before = '[{"text": "a"}, {"text": "b"}, '.encode(encoding) + good
    for size in SIZES:
        data = before + bad + b"]" * 10
        assert streamed(data, size, encoding=encoding) == ["a", "b", ("3", "undecodable")]
        with pytest.raises(BadRecord, match=f"byte {len(before)}: "):
            list(iter_utf8(cut(data, size), encoding))


def test_a_compressed_array_that_breaks_off():
    rng = random.Random(1)
    texts = [f"{rng.getrandbits(4000):x}" for _ in range(2000)]
    packed = gzip.compress(json.dumps([{"text": text} for text in texts]).encode())
    for size in (1 << 16, 1 << 22):
        *found, reject = streamed(packed[:-50_000], size)
        assert reject == ("", "malformed")
        assert len(found) > 1500
        assert found == texts[: len(found)]


def test_one_element_may_be_as_large_as_the_limit():
    data = b"[" + b'"' + b"a" * 98 + b'", 1]'
    for size in (1, 10, 1000):
        assert elements(cut(data, size), 100) == ["a" * 98, 1]
        assert elements(cut(data, size), 99) == ["too_large"]
    endless = itertools.chain([b'[1, "'], itertools.repeat(b"a" * 1000))
    assert elements(endless, LIMIT) == [1, "too_large"]


def test_an_array_over_the_limit_is_read_and_an_object_is_not():
    data = json.dumps([{"text": "a"}] * 9).encode()
    assert summary(data, "json", max_record_bytes=30) == ["a"] * 9
    assert summary(data, "json", max_record_bytes=10) == [("1", "too_large")]
    assert summary(b'{"text": "aaaaaaaaaaaaaaaaaaaaaaa"}', "json", max_record_bytes=30) == [("", "too_large")]
    nested = b'{"rows": ' + data + b"}"
    found = summary(nested, "json", max_record_bytes=30, json_path="rows")
    assert found == [("", "too_large")]
    assert streamed(b"[" + data + b"]", json_path="0") == ["a"] * 9


def test_each_byte_is_looked_at_once():
    looked_at = []

    class Counting(json_records._Scanner):
        def borders(self, piece):
            looked_at.append(len(piece))
            return super().borders(piece)

    data = b'["' + b"a" * 1_000_000 + b'"]'
    with mock.patch.object(json_records, "_Scanner", Counting):
        assert elements(cut(data, 1000), len(data)) == ["a" * 1_000_000]
    assert sum(looked_at) == len(data)


class Endlessly(io.RawIOBase):
    """An array of `count` records, made as it is read."""

    def __init__(self, count):
        record = b', {"text": "' + b'Dogs bark, \\"cats\\" meow. [{' * 20 + b'"}'
        made = (record[2:] if n == 0 else record for n in range(count))
        self._pieces = itertools.chain([b"["], made, [b"]"])
        self._left = b""

    def readable(self):
        return True

    def readinto(self, buffer):
        while len(self._left) < len(buffer) and (piece := next(self._pieces, b"")):
            self._left += piece
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file():
    count = 40_000  # 23 MB
    source = Source("a", lambda: io.BufferedReader(Endlessly(count)), "a")
    tracemalloc.start()
    try:
        found = json_records.read_json(source, ReaderOptions())
        read = sum(1 for entry in found if not isinstance(entry, Reject))
        assert tracemalloc.get_traced_memory()[1] < 12 << 20
    finally:
        tracemalloc.stop()
    assert read == count
