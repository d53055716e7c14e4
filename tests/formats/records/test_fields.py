"""Records within records, and paths through arrays."""

import io
import json
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nets import calls, ends
from reading import entries, summary

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.formats.ingest.date_rules import date_of, parse_date_rule
from lexbeam.transforms.formats.readers import json_records
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Record, Reject
from lexbeam.transforms.formats.records.text_cleaning import STRICT

SPEECHES = [{"text": "One."}, {"by": "B"}, {"text": "Two.", "date": "1851", "by": "A"}]
DEBATE = {"date": "1850", "title": "On corn", "text": "Minutes.", "speeches": SPEECHES}
BOOK = {"publisher": "P", "data": {"debates": [DEBATE, {"date": "1860"}, {"speeches": []}, 7]}}


def line(*values):
    return "\n".join(map(json.dumps, values)).encode()


def placed(data, format="jsonl", **options):
    """Return positions, each with the text or the reason."""
    found = entries(data, format, **options)
    return [(e.position, e.reason if isinstance(e, Reject) else e.text) for e in found]


def test_400_debates_with_a_date_each_are_documents_with_dates():
    """Once they were 400 rejects `missing_field`, whatever was given."""
    debates = [{"date": str(1800 + n % 90), "speeches": [{"text": f"{n}a"}, {"text": f"{n}b"}]} for n in range(400)]
    rule = parse_date_rule("field:date")
    joined = entries(line(*debates), "jsonl", text_field="speeches[].text")
    assert [e.text for e in joined] == [f"{n}a\n\n{n}b" for n in range(400)]
    single = entries(json.dumps(debates).encode(), "json", records="speeches[]")
    assert [e.text for e in single] == [f"{n}{x}" for n in range(400) for x in "ab"]
    for found, each in ((joined, 1), (single, 2)):
        years = [date_of(rule, e, "a").year for e in found]
        assert years == [1800 + n // each % 90 for n in range(400 * each)]


def test_texts_through_arrays_are_paragraphs():
    one = {"a": [{"b": [{"c": "1"}, {"c": None}, {}]}, {"b": []}, {}, {"b": [{"c": "2"}]}]}
    assert summary(line(one), "jsonl", text_field="a[].b[].c") == ["1\n\n2"]
    assert summary(line(one), "jsonl", text_field="a.3.b[].c") == ["2"]
    parts = {"a": [{"parts": ["1", "2"]}, {"parts": "3"}], "b": ["x", "y"]}
    assert summary(line(parts), "jsonl", text_field="a[].parts") == ["1\n\n2\n\n3"]
    assert summary(line(parts), "jsonl", text_field="a[].parts[]") == ["1\n\n2"]
    assert summary(line(parts), "jsonl", text_field="b[]") == ["x\n\ny"]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({}, "missing_field"),
        ({"a": "text"}, "missing_field"),
        ({"a": {"t": "text"}}, "missing_field"),
        ({"a": [{}, {"t": None}, 3, None]}, "missing_field"),
        ({"a": []}, "empty"),
        ({"a": [{"t": " "}]}, "empty"),
        ({"a": [{"t": "one"}, {"t": 2}]}, "malformed"),
        ({"a": [{"t": {"deep": "one"}}]}, "malformed"),
    ],
)
def test_a_path_through_an_array_that_gives_no_text_is_a_reject(value, reason):
    assert summary(line(value), "jsonl", text_field="a[].t") == [("1", reason)]


def test_a_key_that_is_the_whole_path_goes_before():
    value = {
        "a[].b": "key",
        "a": [{"b": "path", "c": [{"text": "p"}]}],
        "x.y": [{"text": "k"}],
        "x": {"y": [{"text": "p"}]},
        "tags[]": ["one", "two"],
    }
    assert summary(line(value), "jsonl", text_field="a[].b") == ["key"]
    assert summary(line(value), "jsonl", records="x.y[]") == ["k"]
    assert summary(line({**value, "x.y[]": [{"text": "K"}]}), "jsonl", records="x.y[]") == ["K"]
    (record,) = entries(line(value), "jsonl", text_field="a[].b", fields=("genre=tags[]",))
    assert record.fields["genre"] == "one; two"
    table = b"tags[],Date [year],text\nx,1850,One.\n"
    (record,) = entries(table, "csv", fields=("genre=tags[]", "date=Date [year]"))
    assert (record.fields["genre"], record.fields["date"]) == ("x", "1850")


def test_fields_through_arrays_are_joined_each_once():
    value = {"text": "x", "by": [{"n": "A"}, {"n": "B"}, {"n": "A"}, {}], "on": [1850, 1850]}
    options = {"fields": ("author=by[].n", "date=on[]")}
    (record,) = entries(line(value), "jsonl", **options)
    assert (record.fields["author"], record.fields["date"]) == ("A; B", "1850")
    assert record.fields["by[].n"] == "A; B"
    assert date_of(parse_date_rule("field:on[]"), record, "a").year == 1850
    many = {"text": "x", "by": [{"n": str(n)} for n in range(100_000)]}
    assert "author" not in entries(line(many), "jsonl", **options)[0].fields


def test_elements_are_records_that_inherit():
    found = entries(line(DEBATE), "jsonl", records="speeches[]")
    assert [e.position for e in found] == ["1:1", "1:2", "1:3"]
    first, missing, last = found
    assert missing == ("1:2", "missing_field", "no text in field 'text'; there are by")
    assert first.fields == {"date": "1850", "title": "On corn"}
    assert last.fields == {"date": "1851", "title": "On corn", "by": "A"}


def test_a_parents_field_of_the_same_name_is_reached_by_a_dot():
    options = {"records": "data.debates[].speeches[]", "fields": ("date=.date", "author=by", "genre=..publisher")}
    last = entries(line(BOOK), "jsonl", **options)[2]
    assert last.fields["date"] == "1850"
    assert last.fields["author"] == "A"
    assert last.fields["genre"] == last.fields["publisher"] == "P"
    assert date_of(parse_date_rule("field:.date"), last, "a").year == 1850
    assert date_of(parse_date_rule("field:date"), last, "a").year == 1850  # as `fields` says
    assert date_of(parse_date_rule("field:...date"), last, "a").reason == "no_date"


def test_a_field_is_given_as_a_text_of_any_length_with_its_paragraphs():
    long = "word " * 900 + "end"
    value = {"by": long, "intro": "First.", "items": [{"t": "x", "head": ["One.", "Two."]}, {"t": "y", "head": ""}]}
    options = {"records": "items[]", "text_field": "t", "fields": ("a=head", "b=.by", "c=intro", "d=none", "e=t")}
    first, second = entries(line(value), "jsonl", **options)
    assert [first.fields.text(name, STRICT) for name in "abce"] == ["One.\n\nTwo.", long, "First.", "x"]
    assert first.fields.get("b") is None  # too long for a field
    assert second.fields.text("a", STRICT) == ""
    with pytest.raises(BadRecord, match=r"no field 'none'; there are .*head") as caught:
        first.fields.text("d", STRICT)
    assert caught.value.reason == "missing_field"
    (other,) = entries(line({"t": "x", "intro": {"a": 1}}), "jsonl", text_field="t", fields=("c=intro",))
    with pytest.raises(BadRecord, match="'intro' is dict, not text"):
        other.fields.text("c", STRICT)


def test_what_an_element_has_empty_its_parent_gives():
    value = {
        "date": "1850",
        "meta": {"by": "P"},
        "s": [
            {"text": "a", "date": None},
            {"text": "b", "Date": "1", "meta": {"by": " "}},
            {"text": "c", "meta": {"by": "own"}, "date": [1]},
        ],
    }
    found = entries(line(value), "jsonl", records="s[]", fields=("author=meta.by",))
    assert [e.fields["date"] for e in found] == ["1850", "1", "1850"]
    assert [e.fields["author"] for e in found] == ["P", "P", "own"]


def test_positions_tell_the_place_and_each_parent_without_elements_is_a_reject():
    path = "data.debates[].speeches[]"
    below = [
        ("1:1", "One."),
        ("1:2", "missing_field"),
        ("1:3", "Two."),
        ("2", "missing_field"),
        ("3", "empty"),
        ("4", "malformed"),
    ]
    under = [("1:" + place, what) for place, what in below]
    assert placed(json.dumps(BOOK).encode(), "json", records=path) == below
    assert placed(json.dumps([BOOK]).encode(), "json", records=path) == under
    assert placed(line(BOOK, {}, 3, BOOK), records=path) == [
        *under,
        ("2", "missing_field"),
        ("3", "malformed"),
        *(("4:" + place, what) for place, what in below),
    ]
    found = placed(json.dumps(BOOK).encode(), "json", json_path="data.debates", records="speeches[]")
    assert found == below
    wrong = {"data": {"debates": {"speeches": []}}}
    (reject,) = entries(line(wrong), "jsonl", records=path)
    assert reject == ("1", "malformed", "'data.debates' is an object, not an array")


def test_json_path_goes_through_arrays_and_keeps_its_positions():
    data = json.dumps({"a": [{"b": [{"text": "1"}]}, {}, {"b": [{"text": "2"}, 3]}]}).encode()
    expected = [("1", "1"), ("2", "2"), ("3", "malformed")]
    assert placed(data, "json", json_path="a[].b[]") == expected
    data = json.dumps({"a": {"b": [{"text": "1"}, {"text": "2"}]}, "text": "no"}).encode()
    assert placed(data, "json", json_path="a.b") == placed(data, "json", json_path="a.b[]")


def test_a_large_array_is_read_element_by_element():
    values = [DEBATE, {}, {"speeches": [{"text": "x"}]}, {"speeches": 1}]
    data = json.dumps(values).encode()
    whole = placed(data, "json", records="speeches[]")
    with mock.patch.object(json_records, "_SMALL", 0), mock.patch.object(json_records, "_PIECE", 7):
        assert placed(data, "json", records="speeches[]") == whole
        assert placed(data[:-6], "json", records="speeches[]") == [*whole[:-1], ("4", "malformed")]


def test_lists_of_structs_in_parquet():
    rows = [DEBATE, {**DEBATE, "speeches": []}, {**DEBATE, "speeches": None}]
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), out)
    found = entries(out.getvalue(), "parquet", records="speeches[]")
    assert [e.position for e in found] == ["1:1", "1:2", "1:3", "2", "3"]
    assert [getattr(e, "reason", "") for e in found] == ["", "missing_field", "", "empty", "missing_field"]
    assert found[0].fields == {"date": "1850", "title": "On corn"}
    texts = summary(out.getvalue(), "parquet", text_field="speeches[].text")
    assert texts == ["One.\n\nTwo.", ("2", "empty"), ("3", "missing_field")]
    (reject,) = entries(out.getvalue(), "parquet", records="talks[].of[]")
    assert reject.detail == "no column 'talks[].of[]'; there are date, title, text, speeches"


@pytest.mark.parametrize("name", ["text_field", "json_path", "fields", "records", "dates"])
@pytest.mark.parametrize("path", ["a[", "a]", "[]a", "a[][]", "[]", "a.[]", "a[]b", "a[].[].b", "]["])
def test_a_malformed_path_is_bad_usage(name, path):
    with pytest.raises(UsageError, match=rf"`{name}`.* an array is NAME\[\], as in"):
        if name == "dates":
            parse_date_rule(f"field:{path}")
        elif name == "fields":
            ReaderOptions(fields=(f"date={path}",))
        else:
            ReaderOptions(**{name: path})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"records": "data.speeches"}, r"write 'data.speeches\[\]"),
        ({"records": ".s[]"}, "begins with a dot"),
        ({"records": "a[]." * 17 + "b[]"}, "more than 16 arrays"),
        ({"records": "s[]", "text_field": ".text"}, "leaves the record"),
        ({"records": "s[]", "fields": ("date=..date",)}, "more dots"),
    ],
)
def test_what_does_not_fit_records_is_bad_usage(options, said):
    with pytest.raises(UsageError, match=said):
        ReaderOptions(**options)


def test_a_message_names_paths_that_are_there():
    debate = {"id": 1, "speeches": [{"text": "x", "by": {"name": "n"}}], "tags": ["t"], "none": []}
    (reject,) = entries(line(debate), "jsonl")
    assert reject.detail == (
        "no text in field 'text'; there are id, speeches[].text, speeches[].by.name, tags[], none; "
        "did you mean 'speeches[].text'?"
    )
    (reject,) = entries(line(debate), "jsonl", records="speech[]")
    assert reject.detail == ("no array 'speech[]'; there are speeches[], tags[]; did you mean 'speeches[]'?")
    record = entries(line(debate), "jsonl", records="speeches[]")[0]
    found = date_of(parse_date_rule("field:day"), record, "a")
    assert found.detail.startswith("no date in field 'day'; there are text, by.name, id, speeches[]")


VALUES = st.recursive(
    st.none() | st.just("text") | st.just("") | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "text", "date"]), inner, max_size=4)
    ),
    max_leaves=20,
)


def count(value, keys):
    """Return how many records a value holds: by the definition, without paths."""
    if keys and isinstance(value, dict) and isinstance(value.get(keys[0]), list):
        return max(1, sum(count(one, keys[1:]) for one in value[keys[0]]))
    return 1


@given(st.lists(VALUES, max_size=5), st.sampled_from(["a[]", "a[].b[]", "a[].a[].b[]"]))
def test_documents_and_rejects_are_the_records(values, records):
    found = entries(line(*values), "jsonl", records=records, text_field="text")
    keys = records.replace("[]", "").split(".")
    assert len(found) == max(1, sum(count(value, keys) for value in values))
    places = [e.position for e in found]
    assert len(set(places)) == len(places)
    for entry in found:
        if isinstance(entry, Record):
            number, *below = map(int, entry.position.split(":"))
            value = values[number - 1]
            for key, nth in zip(keys, below, strict=True):
                value = value[key][nth - 1]
            assert value["text"] == entry.text
            assert all(entry.fields.values())


def test_time_grows_with_the_file_however_large_a_parent_is():
    def read(keys, children):
        wide = {f"k{n}": n for n in range(keys)} | {"date": "1850"}
        found = entries(line({**wide, "s": [{"text": "x"}] * children}), "jsonl", records="s[]")
        assert {e.fields.get("date") for e in found} == {"1850"}
        assert {e.fields.get("genre") for e in found} == {None}
        empty = entries(line({**wide, "s": [{}] * children}), "jsonl", records="s[]")
        assert len(empty) == children

    read(1, 1)
    assert calls(lambda: read(2000, 2000)) < 1.1 * (calls(lambda: read(2000, 1)) + calls(lambda: read(1, 2000)))
    with ends():
        read(20_000, 20_000)


def test_deep_arrays_and_long_paths():
    deep = {"text": "x"}
    for _ in range(16):
        deep = {"a": [deep]}
    assert placed(line(deep), records=".".join(["a[]"] * 16)) == [("1" + ":1" * 16, "x")]
    assert summary(line(deep), "jsonl", text_field="a[]." * 16 + "text") == ["x"]
    assert summary(line(deep), "jsonl", text_field="a." + "9" * 5000) == [("1", "missing_field")]
    assert summary(line(deep), "jsonl", text_field="a[]." * 20_000 + "text") == [("1", "missing_field")]
