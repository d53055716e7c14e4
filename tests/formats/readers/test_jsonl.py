import json

import pytest
from reading import entries, summary


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


def test_other_encodings():
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
