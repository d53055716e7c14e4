import pytest

from transforms.common.errors import UsageError
from transforms.formats.base import Record, Reject
from transforms.formats.dates import date_of, parse_date_rule
from transforms.formats.metadata import load_metadata

RECORD = Record("7", {"date": "1790", "when": "1810-1813", "bad": "sometime"}, "text", None)


def year(spec, source="a.txt", how="first", metadata=None):
    found = date_of(parse_date_rule(spec), RECORD, source, how, metadata)
    return found.reason if isinstance(found, Reject) else found[:2]


@pytest.mark.parametrize(
    ("spec", "source", "expected"),
    [
        ("header", "a.txt", (1790, 1790)),
        ("field:when", "a.txt", (1810, 1813)),
        ("field:none", "a.txt", "no_date"),
        ("field:bad", "a.txt", "bad_date"),
        (r"name:lat_([+-]?\d+)", "l.tar.gz!lemmas/lat_-0049.0_x.txt", (-49, -49)),
        (r"name:(?P<a>[a-z]+)(?P<year>\d{4})", "1700/su1812b.txt", (1812, 1812)),
        (r"name:\d{4}", "1700/su1812b.txt", (1812, 1812)),
        (r"name:(\d{4})", "1700/su.txt", "no_date"),
        (r"name:(\d+)", "su18120.txt", "bad_date"),
        ("1790..1810", "a.txt", (1790, 1810)),
        ("..-1", "a.txt", (-1, -1)),
        ("0..", "a.txt", (0, 0)),
        ("-100..-1", "a.txt", (-100, -1)),
        ("1850", "a.txt", (1850, 1850)),
    ],
)
def test_a_rule_finds_the_date_or_says_why_not(spec, source, expected):
    assert year(spec, source) == expected


def test_rejects_keep_the_position():
    assert date_of(parse_date_rule("field:x"), RECORD, "a").position == "7"


def test_the_year_of_a_range_is_picked_and_its_end_kept():
    assert year("field:when", how="last") == (1813, 1813)
    assert year("field:when", how="middle") == (1811, 1813)
    assert year("field:when", how="reject") == "bad_date"


@pytest.mark.parametrize(
    "spec",
    ["", "..", "2000..1900", "name:", "name:(", "field:", "table:x.csv", "table:x.csv:key=a",
     "table::key=a,date=b", "table:x:key=a,date=", "heder", "1790..x",
     "table:x:key=a,key=a,date=b"],
)  # fmt: skip
def test_a_wrong_rule_is_bad_usage(spec):
    with pytest.raises(UsageError):
        parse_date_rule(spec)


def test_a_wrong_rule_names_the_nearest():
    with pytest.raises(UsageError, match="did you mean 'header'"):
        parse_date_rule("heder")


def test_a_table_gives_dates_and_fields(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b'\xef\xbb\xbfName,Date,Who,GENRE\r\nsu1.txt,"January 8, 1790",G W,speech\r\n')
    rule = parse_date_rule(f"table:{path}:key=Name,date=Date,author=Who")
    metadata = load_metadata(rule)
    assert date_of(rule, RECORD, "x/su1.txt", "first", metadata).year == 1790
    assert metadata.fields("x/su1.txt") == {"author": "G W", "genre": "speech"}
    assert metadata.fields("x/other.txt") == {}
    assert date_of(rule, RECORD, "x/other.txt", "first", metadata).reason == "no_date"


def test_only_table_rules_have_a_table():
    assert load_metadata(parse_date_rule("header")) is None
