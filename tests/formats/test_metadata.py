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


def test_the_fingerprint_does_not_hang_on_the_order_of_rows(tmp_path):
    one = load(tmp_path, b"id;year\na;1\nb;2\n", "t.csv")
    two = load(tmp_path, b"id,year\nb,2\n\na,1\na,1\n", "u.csv")
    assert one.fingerprint == two.fingerprint
    assert one.by_key == two.by_key


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
