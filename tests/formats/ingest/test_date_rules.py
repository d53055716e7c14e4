""" """

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nets import ends

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.names import escape
from lexbeam.transforms.formats.ingest.date_rules import DATE_RANGES, date_of, load_metadata, parse_date_rule, stem
from lexbeam.transforms.formats.records.base import Record, Reject
from lexbeam.transforms.formats.records.date_parsing import Date

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
        (r"name:(?i)SU(x)?(\d{4})", "1700/su1812b.txt", (1812, 1812)),
        (r"name:(?P<year>x)?(\d{4})", "1700/su1812b.txt", "no_date"),
        (r"name:é(\d{4})\.", "1700/é1812.txt", (1812, 1812)),
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
    [
        "",
        "..",
        "2000..1900",
        "name:",
        "name:(",
        "field:",
        "table:x.csv",
        "table:x.csv:key=a",
        "table::key=a,date=b",
        "table:x:key=a,date=",
        "heder",
        "1790..x",
        "table:x:key=a,key=a,date=b",
    ],
)
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


@pytest.mark.parametrize("pattern", ["(a+)+$x", "(a|a)*$x", "(.*a){20}x", "(a?){30}a{30}x"])
def test_no_pattern_hangs(pattern):
    """Each took `re` from minutes to ages on this name."""
    with ends():
        assert year(f"name:{pattern}", "a" * 255) == "no_date"


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (r"\d{4}", r"no group: put the year in a group, as in name:su\(\\d\{4\}\)"),
        (r"(?:su)\d{4}", "put the year in a group"),
        (r"\(\d{4}\)", "put the year in a group"),
        (r"(?<=su)(\d{4})", "lookahead and lookbehind are not there"),
        (r"(\d{4})(?!x)", "lookahead and lookbehind are not there"),
        (r"(\d)\1", "groups cannot be referred to"),
        (r"(?P<a>\d)(?P=a)", "groups cannot be referred to"),
        (r"(\d{4})\Z", r"the end is \\z"),
        (r"(?>a)(\d)", "atomic groups"),
        (r"(\d{,4})", "write {0,n} instead of {,n}"),
        (r"(\d{4000})", "1000 times"),
        (r"(\u00e9)", "write the character itself"),
        (r"(?x)(\d)", "of flags there are"),
        ("(" + ".{1000}" * 50 + ")", "too large a pattern"),
        (r"(\pL{1000})", "too large"),
        (r"su(\d{4}", r"missing \): su\(\\d\{4\}; close the group"),
        (r"(?P<year>\d)|(?P<year>x)", "two groups are called year"),
        ("(" * 100_000, "is not a regular expression"),
        ("(\udce9)", "is not text"),
    ],
)
def test_a_pattern_that_cannot_be_followed_names_the_remedy(pattern, said, capfd):
    with pytest.raises(UsageError, match=said) as raised:
        parse_date_rule(f"name:{pattern}")
    assert len(str(raised.value)) < 500
    str(raised.value).encode()
    assert capfd.readouterr() == ("", "")


def test_names_that_are_not_text_are_searched_all_the_same():
    assert year(r"name:\x{FFFD}(\d{4})", "caf\udce91812.txt") == (1812, 1812)
    assert year(r"name:(\d)", "caf\udce9.txt") == "no_date"


@given(st.text(alphabet="su18\n.é٣", max_size=12))
def test_what_a_pattern_finds_is_what_re_finds(name):
    """Where both mean the same: digits are those of ASCII."""
    found = re.search(r"(?a)s?(u|8+)(\d{1,2})", name)
    expected = found[1] if found else "no_date"
    assert date_text(r"name:s?(u|8+)(\d{1,2})", name) == expected


def date_text(spec, name):
    """Return what the rule found in a name, a date or not."""
    found = date_of(parse_date_rule(spec), RECORD, name)
    if not isinstance(found, Reject):
        return found.text
    return found.reason if found.reason == "no_date" else found.detail.split("'")[1]


def test_no_date_says_which_fields_there_are():
    found = date_of(parse_date_rule("field:dat"), RECORD, "a")
    assert found.detail == "no date in field 'dat'; there are date, when, bad; did you mean 'date'?"
    other = Record("", {f"f{n}": "x" for n in range(20)}, "text", None)
    found = date_of(parse_date_rule("header"), other, "a")
    assert found.detail == "no date in the header; there are " + ", ".join(f"f{n}" for n in range(12))
    found = date_of(parse_date_rule("header"), Record("", {}, "text", None), "a")
    assert found.detail == "no date in the header; there are no fields"


def test_the_year_that_counts_of_a_range():
    date = Date(1810, 1813, "")
    years = {how: rule.year(date) for how, rule in DATE_RANGES.items()}
    assert years == {"first": 1810, "middle": 1811, "last": 1813, "reject": None}
    assert DATE_RANGES["reject"].year(Date(-3, -3, "")) == -3


_EITHER = "a month, a season or years? write years in full, 1920-1921, and months with two digits, 1920-05"


@pytest.mark.parametrize(
    ("rule", "text", "hint"),
    [
        ("field:x", "1467810369", "epoch:x reads it as 2016"),
        ("field:a.x", "42521", "excel:a.x reads it as 2016"),
        ("header", "16-05-31", "ymd:date reads it as 2016, dmy:date reads it as 2031"),
        ("ymd:x", "5/31/16", "mdy:x reads it as 2016"),
        ("dmy:x", "2016-31-31", "no rule reads it: write a year of four digits, or YYYY-MM-DD"),
        ("field:x", "12-Jan-07", "dmy:x reads it as 2007"),
        ("field:x", "1.247457E+12", "epoch:x reads it as 2009"),
        ("field:x", "'98", "no rule reads it: write a year of four digits, or YYYY-MM-DD"),
        ("field:x", "1920-21", _EITHER),
        ("header", "[1842/5]", _EITHER),
        ("header", "sometime", "no rule reads it: write a year of four digits, or YYYY-MM-DD"),
    ],
)
def test_a_date_in_a_form_that_a_rule_must_name_says_which_rule_reads_it(rule, text, hint):
    name = "date" if rule == "header" else rule.partition(":")[2]
    found = date_of(parse_date_rule(rule), Record("7", {name: text}, "", None), "a.csv")
    assert found.reason == "bad_date"
    assert found.detail.endswith(f"is not a date; {hint}")


@pytest.mark.parametrize("form", ["epoch", "excel", "ymd", "dmy", "mdy"])
def test_forms_are_rules(form):
    texts = {"epoch": "1467810369", "excel": "42521", "ymd": "16-05-31", "dmy": "31.05.16", "mdy": "5/31/16"}
    rule = parse_date_rule(f"{form}:created")
    assert date_of(rule, Record("7", {"created": texts[form]}, "", None), "a.csv").year == 2016
    with pytest.raises(UsageError, match="is none of name:REGEX"):
        parse_date_rule(f"{form}:")


def load(tmp_path, content, name="t.tsv", columns="key=id,date=year"):
    path = tmp_path / name
    path.write_bytes(content)
    return load_metadata(parse_date_rule(f"table:{path}:{columns}"))


def test_keys_are_names_with_or_without_suffix_or_whole(tmp_path):
    table = load(tmp_path, b"id\tyear\na.txt\t1\nb\t2\ndir/c.txt\t3\nc.txt\t4\n")
    years = [(table.row(s) or {}).get("date") for s in ("x/a.txt", "x/b.xml.gz", "dir/c.txt", "z.tar!c.txt", "d")]
    assert years == ["1", "2", "3", "4", None]


def test_the_fingerprint_does_not_depend_on_the_order_of_rows(tmp_path):
    one = load(tmp_path, b"id;year\na;1\nb;2\n", "t.csv")
    two = load(tmp_path, b"id,year\nb,2\n\na,1\na,1\n", "u.csv")
    assert one.fingerprint == two.fingerprint
    assert one.by_key == two.by_key


@pytest.mark.parametrize("first", ["a\t1", "1\t5"])
def test_columns_of_a_table_without_a_header_go_by_number(tmp_path, first):
    lines = f"{first}\tyes\nb\t2\tno\n".encode()
    table = load(tmp_path, lines, columns="key=1,date=2,title=3")
    key, year = first.split("\t")
    assert table.by_key == {key: {"date": year, "title": "yes"}, "b": {"date": "2", "title": "no"}}
    swapped = load(tmp_path, b"1800\ta\n1810\tb\n", columns="key=2,date=1")
    assert swapped.by_key == {"a": {"date": "1800"}, "b": {"date": "1810"}}


def test_numbers_in_the_header_are_names(tmp_path):
    table = load(tmp_path, b"2\t1\tAuthor\n1800\ta\tb\n", columns="key=1,date=2")
    assert table.by_key == {"a": {"date": "1800", "author": "b"}}
    with pytest.raises(UsageError, match="no column '1'"):  # `year` is not a number
        load(tmp_path, b"id\tyear\na\t1\n", columns="key=1,date=year")


def test_a_number_above_the_columns_is_named(tmp_path):
    with pytest.raises(UsageError, match="no column '3': its first row has 2 cells"):
        load(tmp_path, b"a\t1800\n", columns="key=1,date=3")
    with pytest.raises(LexbeamError, match="line 2: 1 cells"):
        load(tmp_path, b"a\t1800\nb\n", columns="key=1,date=2")


def test_what_is_wrong_is_named(tmp_path):
    with pytest.raises(UsageError, match="no column 'id'"):
        load(tmp_path, b"ID\tyear\n")
    with pytest.raises(UsageError, match="line 3: the key 'a' has another row"):
        load(tmp_path, b"id\tyear\na\t1\na\t2\n")
    with pytest.raises(LexbeamError, match="line 2: 1 cells"):
        load(tmp_path, b"id\tyear\na\n")
    with pytest.raises(LexbeamError, match="empty"):
        load(tmp_path, b"")
    with pytest.raises(LexbeamError, match=r"not utf-16: .*truncated"):
        load(tmp_path, "id\tyear\na\t1\n".encode("utf-16")[:-1])
    with pytest.raises(LexbeamError, match="No such file"):
        load_metadata(parse_date_rule("table:/nowhere.csv:key=a,date=b"))


def test_names():
    assert [stem(n) for n in ("b.txt", "b.xml.gz", ".b", "b")] == ["b", "b", ".b", "b"]


def row_of(table, source):
    return (table.row(source) or {}).get("date")


def test_a_key_is_the_real_name_or_the_published_one(tmp_path):
    rows = {"a!b.txt": 1, "c\\xFF.txt": 2, "d\\e": 3, "f\\\\g.txt": 4, "e\u0301.txt": 5, "x/y!z.txt": 6}
    table = load(tmp_path, "".join(["id\tyear\n", *(f"{k}\t{n}\n" for k, n in rows.items())]).encode())
    assert row_of(table, escape("x/a!b.txt")) == "1"
    assert row_of(table, "z.zip!in/a\\!b.txt\\~2") == "1"  # the second of that name
    assert row_of(table, escape("c\udcff.txt")) == "2"
    assert row_of(table, escape("c\\xFF.txt")) is None  # written c\\xFF.txt
    assert row_of(table, escape("c\udcfe.txt")) is None
    assert row_of(table, escape("d\\e.txt")) == "3"
    assert row_of(table, escape("f\\g.txt")) == "4"
    assert row_of(table, escape("f\\\\g.txt")) is None
    assert row_of(table, "e\u0301.txt") == row_of(table, "\u00e9.txt") == "5"
    assert row_of(table, escape("x/y!z.txt")) == "6"
    assert row_of(table, "c\ufffd.txt") is None


def test_another_input_of_the_same_label_does_not_take_its_rows(tmp_path):
    table = load(tmp_path, b"id\tyear\nlabel/a.txt\t1\nlabel\\~2/b.txt\t2\n")
    sources = ("label/a.txt", "label\\~2/a.txt", "label/b.txt", "label\\~2/b.txt")
    assert [row_of(table, source) for source in sources] == ["1", None, None, "2"]
