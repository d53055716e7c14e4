import io
import tarfile
from dataclasses import replace

import pytest
from reading import entries, summary

from lexbeam.schemas.common_tables import REASONS
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.formats.readers.registry import READERS, Format, detect, read_file
from lexbeam.transforms.formats.records.base import Record, Reject


@pytest.mark.parametrize(
    ("name", "head", "format"),
    [
        ("a.txt", b"{", "text"),
        ("a.txt", b"<?xml version='1.0'?><TEI>", "tei"),
        ("a.txt", b"<?php", "text"),
        ("a.xml", b"", "tei"),
        ("a.jsonl.gz", b"", "jsonl"),
        ("A.JSON", b'[{"a": 1}]', "json"),
        ("a.json", b'{"a": 1}\n{"a": 2}\n', "jsonl"),
        ("a.json", b'{"a": 1}\r{"a": 2}\r', "jsonl"),
        ("a.tsv", b"", "csv"),
        ("a.conllu", b"", "conllu"),
        ("a.parquet", b"", "parquet"),
        ("a", b"PAR1", "parquet"),
        ("a", b"\xef\xbb\xbf<?xml", "tei"),
        ("a", b"{}", "json"),
        ("a", b"{\\bf One}", "text"),
        ("a.rtf", b"{\\rtf1 One}", None),
        ("a", b"Words", "text"),
        ("a", b"\x7fELF\x00", None),
        ("a", b"[1] A note", "text"),
        ("a", "x".encode("utf-16"), "text"),
        ("a", "x".encode("utf-32"), "text"),
        ("a", "{}".encode("utf-16"), "json"),
        ("a", "<?xml".encode("utf-32"), "tei"),
        ("a.json", '{"a": 1}\n{"a": 2}\n'.encode("utf-16"), "jsonl"),
        ("a", b"\xfe\xff" + "x".encode("utf-16-be"), "text"),
    ],
)
def test_the_format_is_found_by_name_and_first_bytes(name, head, format):
    assert detect(name, head) == format


HOSTILE = [
    ("a.txt", b"", "empty"),
    ("a.txt", b" \r\n\xef\xbb\xbf", "empty"),
    ("a.txt", b"caf\xe9", "undecodable"),
    ("a.txt", b"a\x00b", "control"),
    ("a.xml", b"<TEI><text>", "malformed"),
    ("a.jsonl", b"\n\n", "empty"),
    ("a.json", b"{]", "malformed"),
    ("a.csv", b"a,b\n", "missing_field"),
    ("a.parquet", b"PAR1PAR1", "malformed"),
    ("a.conllu", b"1\ta", "malformed"),
    ("a.bin", b"\x00\x01\x02", "binary"),
    ("a.zip", b"PK\x03\x04", "malformed"),
]


@pytest.mark.parametrize(("name", "data", "reason"), HOSTILE)
def test_hostile_files_are_one_reject(name, data, reason):
    (found,) = entries(data, name=name)
    assert isinstance(found, Reject)
    assert found.reason == reason
    assert found.reason in REASONS
    assert found.detail


def test_parquet_under_another_name_and_format_is_told_as_such():
    data = b"PAR1" + bytes(range(256)) + b"PAR1"
    for format in ("text", "json", "jsonl", "csv"):
        (found,) = entries(data, name="a.json", format=format)
        assert (found.reason, found.detail[:7]) == ("binary", "Parquet")
        assert "see --format parquet" in found.detail
    (record,) = entries(b"PAR1 is the first of the parts.", name="a.txt", format="text")
    assert record.text == "PAR1 is the first of the parts."


def test_too_large_a_file_is_a_reject_where_it_cannot_be_cut():
    for format in ("text", "tei", "json"):
        assert summary(b"x" * 11, format, max_record_bytes=10) == [("", "too_large")]


def test_a_file_that_cannot_be_opened_is_a_reject(tmp_path):
    missing = tmp_path / "none.txt"
    ((name, reject),) = read_file("p", "n.txt", open=lambda: missing.open("rb"))
    assert (name, reject.reason) == ("n.txt", "unreadable")
    assert "No such file" in reject.detail


def test_names_and_details_are_text_that_any_table_can_hold():
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("n\udcff\x1b[2J.txt"))
    ((name, reject),) = read_file("p", "a.tar", open=lambda: made)
    assert name == "a.tar!n\\xFF\\u001B[2J.txt"
    reject.detail.encode()


def test_an_unknown_format_is_bad_usage():
    with pytest.raises(UsageError, match="did you mean 'tei'"):
        list(read_file("p", "n", format="te", open=io.BytesIO))


def test_a_reader_of_ones_own_is_one_line(monkeypatch):
    def read_upper(source, options):
        with source.open() as stream:
            yield Record("", {}, stream.read().decode().upper(), None)

    monkeypatch.setitem(READERS, "upper", Format(read_upper, doc="toys"))
    assert summary(b"loud", "upper") == ["LOUD"]


def test_what_a_reader_raises_is_one_reject(monkeypatch):
    def read_badly(source, options):
        yield Record("1", {}, "one", None)
        raise RuntimeError("no more")

    monkeypatch.setitem(READERS, "bad", Format(read_badly, doc="toys"))
    assert summary(b"x", "bad") == ["one", ("", "malformed")]


def test_no_doc_line_stands_in_a_reject(monkeypatch):
    """The identity of code passes over doc lines: a reworded one would show in new rejects alone."""
    png = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
    before = {format: entries(png, format) for format in READERS}
    assert all(reject.reason == "image" for (reject,) in before.values())
    for format, entry in list(READERS.items()):
        monkeypatch.setitem(READERS, format, replace(entry, doc="reworded"))
    assert {format: entries(png, format) for format in READERS} == before
