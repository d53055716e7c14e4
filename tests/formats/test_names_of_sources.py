"""Names that records get: two records never share (source, position), nor two documents an id."""

import io
import os
import tarfile
import warnings
import zipfile
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.pipelines.frame.inputs import list_inputs
from lexbeam.schemas.common_tables import RejectRow
from lexbeam.transforms.formats.ingest.date_rules import parse_date_rule
from lexbeam.transforms.formats.ingest.ingestion import IngestOptions, read_documents
from lexbeam.transforms.formats.records.base import ReaderOptions

LINES = IngestOptions(format="lines", reader=ReaderOptions(lines_hold="lemmas"))


def put(folder, name, content=b"arma vir cano\n"):
    path = os.path.join(os.fsencode(folder), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as stream:
        stream.write(content)


def zipped(*names):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two members of one name are meant
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), "arma vir cano\n")
    return out.getvalue()


def tarred(*names):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = 4
            archive.addfile(info, io.BytesIO(b"arma"))
    return out.getvalue()


def taken_in(*inputs, options=LINES):
    """The (source, position) of all records and the keys of those that are documents."""
    places, keys = [], []
    for file in list_inputs([str(path) for path in inputs], (), "/nowhere/out"):
        for row in read_documents(file, options):
            if isinstance(row, RejectRow):
                places.append((row.source, row.position))
            else:
                places.append((row[0]["source"], row[0]["position"]))
                keys.append(row[0]["key"])
    return places, keys


def check(places, keys, records):
    assert len(places) == records
    assert len(set(places)) == records, [p for p, n in Counter(places).items() if n > 1]
    assert len(set(keys)) == len(keys)
    for source, _ in places:
        source.encode()
        assert source.isprintable() or not any(ord(c) < 32 for c in source)


def test_names_that_are_not_utf8_differ_where_they_differ(tmp_path):
    for name in (
        b"bytes\xff.txt",
        b"bytes\xfe.txt",
        "bytes\ufffd.txt".encode(),
        b"one\x01.txt",
        b"one\x02.txt",
        b"\\xFF.txt",
        b"\xff.txt",
    ):
        put(tmp_path, name)
    check(*taken_in(tmp_path), 7)


def test_no_member_imitates_the_counter_of_another(tmp_path):
    put(tmp_path, b"a.zip", zipped("a.txt", "a.txt~2", "a.txt", "a.txt\\~2", "a.txt"))
    put(tmp_path, b"a.tar", tarfile_of := tarred("a.txt~2", "a.txt", "a.txt", "./a.txt"))
    assert tarfile_of
    check(*taken_in(tmp_path), 9)


def test_no_file_imitates_a_member(tmp_path):
    put(tmp_path, b"a.zip", zipped("b.txt", "b!c.txt"))
    put(tmp_path, b"a.zip!b.txt")
    put(tmp_path, b"a.zip!b", zipped("c.txt"))
    check(*taken_in(tmp_path), 4)


def test_inputs_of_one_name_are_told_apart(tmp_path):
    for folder in ("1/x", "2/x", "3/x~2", "4/x", "5/x~2", "6/x\\~2"):
        put(tmp_path / folder, b"a.txt")
    inputs = [tmp_path / name for name in ("1/x", "2/x", "3/x~2", "4/x", "5/x~2", "6/x\\~2")]
    check(*taken_in(*inputs), 6)


ODD = st.sampled_from(
    [
        b"a",
        b"b",
        b"!",
        b"\\",
        b"~",
        b"2",
        b"\\~2",
        b"~2",
        b"x",
        b"\xff",
        b"\xfe",
        b"\xef\xbf\xbd",
        b"\xc3\xa9",
        b"e\xcc\x81",
        b"\n",
        b"\x01",
        b"\\xFF",
        b"\\u0001",
        b"\xe2\x80\xae",
        b"A",
        b" ",
    ]
)
NAME = st.lists(ODD, min_size=1, max_size=4).map(b"".join)
MEMBERS = st.lists(NAME.map(lambda name: name.decode("utf-8", "replace")), min_size=1, max_size=4)
TREE = st.dictionaries(
    st.tuples(st.sampled_from([b"1", b"2"]), NAME, NAME), st.none() | MEMBERS, min_size=1, max_size=8
)


@settings(max_examples=40)
@given(TREE)
def test_no_two_records_of_any_tree_share_a_name_or_an_id(tree):
    """Two inputs of one label and more, odd names of folders, files and members."""
    with TemporaryDirectory() as folder:
        records, roots = 0, set()
        for (above, root, name), members in tree.items():
            path = above + b"/" + root + b"/f" + name
            try:
                put(folder, path, zipped(*(f"f{m}" for m in members)) if members else b"a b\n")
            except OSError:
                continue
            records += len(members) if members else 1
            roots.add(os.path.join(folder, os.fsdecode(above + b"/" + root)))
        if any(Path(root).name.startswith(".") for root in roots):
            return
        check(*taken_in(*sorted(roots)), records)


def test_dates_are_found_in_the_real_name(tmp_path):
    put(tmp_path, b"a!b_1850\xff.txt", b"One.")
    put(tmp_path, b"a\\b\x01\x02_1851.txt", b"Two.")
    put(tmp_path, b"z.zip", zipped("1700/c!d_1852.txt", "1700/c!d_1852.txt"))
    options = IngestOptions(format="text", dates=parse_date_rule(r"name:^[^_\d]*_(\d{4})\D{1,5}$"))
    years = []
    for file in list_inputs([str(tmp_path)], (), "/nowhere"):
        years += [row[0]["year"] for row in read_documents(file, options)]
    assert years == [1850, 1851, 1852, 1852]


@pytest.mark.parametrize("pattern", ["a!b\\xFF.txt", "a\\!b\\xFF.txt", os.fsdecode(b"a!b\xff.*")])
def test_files_are_left_out_by_their_real_name_or_the_published_one(tmp_path, pattern):
    put(tmp_path, b"a!b\xff.txt")
    put(tmp_path, b"a!b\xfe.txt")
    left = list_inputs([str(tmp_path)], [pattern], "/nowhere")
    expected = 2 if pattern == "a!b\\xFF.txt" else 1  # neither the one nor the other
    assert len(left) == expected
