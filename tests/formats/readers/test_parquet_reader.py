import contextlib
import datetime
import decimal
import gzip
import io
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reading import entries, summary


def parquet(table, **options):
    out = io.BytesIO()
    pq.write_table(pa.table(table), out, **options)
    return out.getvalue()


def test_rows_with_their_fields():
    data = parquet(
        {
            "text": ["one", None, "", "four"],
            "date": [datetime.date(1790, 1, 8), None, None, None],
            "at": pa.array([1, 2, 3, 4], pa.timestamp("ns")),
            "n": [1, 2, 3, 4],
            "d": [decimal.Decimal("1.5")] * 4,
            "list": [[1]] * 4,
        }
    )
    found = entries(data)
    assert found[0].text == "one"
    assert found[0].fields["date"] == "1790-01-08"
    assert found[0].fields["n"] == "1"
    assert found[0].fields["d"] == "1.5"
    assert "list" not in found[0].fields
    assert summary(data) == ["one", ("2", "missing_field"), ("3", "empty"), "four"]


def test_nested_fields_by_path():
    data = parquet({"body": [{"text": "one", "year": 1790}]})
    (record,) = entries(data, "parquet", text_field="body.text", fields=("date=body.year",))
    assert record.text == "one"
    assert record.fields == {"date": "1790"}


def test_order_does_not_depend_on_row_groups():
    texts = [f"text {n}" for n in range(2500)]
    assert summary(parquet({"text": texts}, row_group_size=700)) == texts


def test_bad_utf_8_is_a_reject_for_its_row():
    raw = pa.array([b"good", b"b\xff", b"fine"], pa.binary())
    text = pa.Array.from_buffers(pa.string(), 3, raw.buffers())
    assert summary(parquet({"text": text})) == ["good", ("2", "undecodable"), "fine"]


def test_metadata_of_a_column_that_contradicts_the_schema_is_a_reject():
    """Arrow would end the process: the schema says that no value is missing, the column counts those that are."""
    data = parquet({"text": ["one", None]})
    optional, required = b"\x25\x02\x18\x04text", b"\x25\x00\x18\x04text"
    assert data.count(optional) == 1
    assert summary(data.replace(optional, required)) == [("", "malformed")]


def test_within_compression():
    assert summary(gzip.compress(parquet({"text": ["one"]})), name="a.parquet.gz") == ["one"]


def test_broken_files():
    data = parquet({"text": ["one"] * 1000})
    assert summary(data[:-20], "parquet") == [("", "malformed")]
    assert summary(b"PAR1", "parquet") == [("", "malformed")]
    assert summary(b"", "parquet")[0][1] in ("malformed", "empty")
    assert summary(parquet({"a": [1]})) == [("", "missing_field")]
    assert summary(parquet({"text": pa.array([], pa.string())})) == [("", "empty")]


def test_fields_within_a_struct():
    day = datetime.date(1850, 5, 1)
    meta = {"date": "1850", "day": day, "inner": {"n": 3}}
    (record,) = entries(parquet({"text": ["One."], "meta": [meta]}))
    assert record.fields.get("meta.date") == "1850"
    assert record.fields.get("meta.day") == "1850-05-01"
    assert record.fields.get("meta.inner.n") == "3"
    assert record.fields.get("meta.inner") is None
    assert record.fields.get("meta.no") is None


def test_rows_that_the_metadata_promise_and_no_row_group_has_are_a_reject():
    """One bit of damage was enough to lose a row without a word."""
    data = parquet({"text": ["one", "two", "three", "four", "five"]})
    for place in range(len(data)):
        damaged = data[:place] + bytes((data[place] ^ 2,)) + data[place + 1 :]
        with contextlib.suppress(pa.ArrowException, OSError):
            metadata = pq.ParquetFile(io.BytesIO(damaged)).metadata
            if (metadata.num_rows, metadata.row_group(0).num_rows) == (5, 4):
                assert summary(damaged) == ["one", "two", "three", "four", ("", "malformed")]
                return
    raise AssertionError("no byte of it says how many rows a row group has")


def test_bad_utf_8_in_a_nested_column_is_a_reject_for_its_row():
    keys = pa.Array.from_buffers(pa.string(), 3, pa.array([b"a", b"\xff", b"c"]).buffers())
    maps = pa.MapArray.from_arrays([0, 1, 2, 3], keys, keys)
    data = parquet({"text": maps, "body": ["one", "two", "three"]})
    assert summary(data, text_field="body", fields=("a=text.a",)) == ["one", ("2", "undecodable"), "three"]


def test_a_time_zone_that_there_is_not_is_told_for_each_row():
    when = pa.array([1, None], pa.timestamp("us", "Europe/Nowhere"))
    data = parquet({"text": ["one", "two"], "when": when})
    assert summary(data) == [("1", "malformed"), "two"]


@pytest.mark.parametrize("kind", [pa.string(), pa.binary(), pa.list_(pa.string())])
@pytest.mark.parametrize("compression", ["none", "zstd"])
def test_values_that_a_dictionary_has_once_fill_no_memory(monkeypatch, kind, compression):
    """A file of a few hundred bytes may hold 1,000 texts of a megabyte; all were read at once."""
    size, rows = 1_000_000, 1000
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * size]))
    if pa.types.is_binary(kind):
        texts = texts.cast(pa.dictionary(pa.int32(), kind))
    if pa.types.is_list(kind):
        texts = pa.ListArray.from_arrays(list(range(0, rows + 1, 4)), texts)
    data = parquet({"text": texts}, compression=compression, store_schema=False, dictionary_pagesize_limit=2 * size)
    asked = []

    def iter_batches(_, batch_size, *arguments, **options):
        asked.append(batch_size)
        return iter(())

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", iter_batches)
    entries(data, "parquet")
    cells = 4 if pa.types.is_list(kind) else 1
    assert asked
    for number in asked:
        assert 40 <= number * cells <= (256 << 20) / size


def dictionary_of_one(size, rows, **options):
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * size]))
    return parquet({"text": texts}, dictionary_pagesize_limit=2 * size, compression="zstd", **options)


def renamed(data):
    """The footer calls the column of the row group by another name."""
    place = data.rindex(b"\x04text", 0, len(data) - 8)
    while data[place - 1 : place] != b"\x18":
        place = data.rindex(b"\x04text", 0, place)
    return data[:place] + b"\x04tuxt" + data[place + 5 :]


BOMBS = {
    "a dictionary": lambda: dictionary_of_one(90_000, 20_000, store_schema=False),
    "a dictionary, by its type": lambda: dictionary_of_one(90_000, 20_000),
    "many row groups": lambda: dictionary_of_one(9_000, 20_000, row_group_size=1000),
    "a name that is not the schema's": lambda: renamed(dictionary_of_one(90_000, 20_000, store_schema=False)),
    "another column": lambda: parquet(
        {"text": ["a"] * 1_000, "note": ["x" * 90_000] * 1_000}, dictionary_pagesize_limit=1 << 20, compression="zstd"
    ),
    "a struct": lambda: parquet({"text": ["a"] * 999, "struct": [{"n": "x" * 90_000}] * 999}, compression="zstd"),
    "a page": lambda: parquet({"text": ["x" * 30_000_000]}, use_dictionary=False, compression="zstd"),
    "beginnings repeated": lambda: parquet(
        {"text": ["x" * 90_000] * 2_000},
        use_dictionary=False,
        column_encoding={"text": "DELTA_BYTE_ARRAY"},
        compression="zstd",
    ),
    "a row of a long list": lambda: parquet({"text": [[{"n": "x" * 1000}] * 400_000]}, compression="zstd"),
    "a list of nothing": lambda: parquet({"text": ["a"], "struct": [{"list": [None] * 400_000}]}, compression="zstd"),
    "rows of nothing": lambda: parquet({"text": pa.nulls(400_000, pa.string())}, compression="zstd"),
}


@pytest.mark.parametrize("made", BOMBS.values(), ids=BOMBS)
def test_a_file_that_expands_too_much_is_one_reject_before_a_row_is_read(made):
    data = made()
    (entry,) = entries(data, "parquet")
    assert entry.reason == "unsafe"
    assert "--max-expansion-ratio" in entry.detail
    assert len(data) < 40_000


@pytest.mark.parametrize("name", ["a row of a long list", "a list of nothing"])
def test_lists_that_a_row_holds_are_counted_before_arrow_unpacks_them(name, monkeypatch):
    """A row cannot be read in pieces: to count what it unpacks to is to unpack it."""
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", None)
    assert entries(BOMBS[name](), "parquet")[0].reason == "unsafe"


@pytest.mark.parametrize("compression", ["snappy", "zstd", "gzip", "brotli"])
def test_a_file_of_texts_that_repeat_is_read(compression):
    """Twenty times the same 3,000 texts with a dictionary: Arrow makes a 50th of them, far from a bomb."""
    rng = random.Random(3)
    words = [f"w{rng.randrange(5000)}" for _ in range(9000)]
    texts = [" ".join(rng.choices(words, k=60)) for _ in range(3000)] * 20
    data = parquet({"text": texts}, compression=compression, dictionary_pagesize_limit=4 << 20)
    assert len("".join(texts)) > 16 << 20
    assert 20 < len("".join(texts)) / len(data) < 150
    assert len(entries(data, "parquet")) == len(texts)


def test_the_limits_are_options():
    data = dictionary_of_one(90_000, 200)
    assert entries(data, "parquet")[0].reason == "unsafe"
    assert len(entries(data, "parquet", max_expansion_ratio=1_000_000)) == 200
    (entry,) = entries(data, "parquet", max_expansion_ratio=1_000_000, max_expanded_bytes=1 << 20)
    assert "--max-expanded-bytes" in entry.detail


def test_a_column_whose_path_is_no_utf8_rejects_no_row_of_others():
    data = parquet({"text": ["One.", "Two."], "title": ["a", "b"]})
    place = data.rindex(b"\x05title", 0, len(data) - 8)
    while data[place - 1 : place] != b"\x18":  # where the path of the column's chunk is
        place = data.rindex(b"\x05title", 0, place)
    found = entries(data[:place] + b"\x05\xffitle" + data[place + 6 :], "parquet")
    assert len(found) == 2
