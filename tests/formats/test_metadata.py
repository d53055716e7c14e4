import pytest

from transforms.common.errors import LexbeamError, UsageError
from transforms.formats.dates import parse_date_rule
from transforms.formats.metadata import base_name, load_metadata, stem


def load(tmp_path, content, name="t.tsv", columns="key=id,date=year"):
    path = tmp_path / name
    path.write_bytes(content)
    return load_metadata(parse_date_rule(f"table:{path}:{columns}"))


def test_keys_are_names_with_or_without_suffix_or_whole(tmp_path):
    table = load(tmp_path, b"id\tyear\na.txt\t1\nb\t2\ndir/c.txt\t3\nc.txt\t4\n")
    years = [
        (table.row(s) or {}).get("date")
        for s in ("x/a.txt", "x/b.xml.gz", "dir/c.txt", "z.tar!c.txt", "d")
    ]
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
    assert table.by_key == {
        key: {"date": year, "title": "yes"}, "b": {"date": "2", "title": "no"},
    }  # fmt: skip
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
    with pytest.raises(LexbeamError, match="No such file"):
        load_metadata(parse_date_rule("table:/nowhere.csv:key=a,date=b"))


def test_names():
    assert base_name("x/y.tar.gz!a/b.txt") == "b.txt"
    assert [stem(n) for n in ("b.txt", "b.xml.gz", ".b", "b")] == ["b", "b", ".b", "b"]
