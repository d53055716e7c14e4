import pytest

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.names import escape
from lexbeam.transforms.formats.dates.rules import load_metadata, parse_date_rule, stem


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
