"""Tables of answers with columns of their own: found by their names, row by row."""

import json

import pytest

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.people.answer_tables import Roles, table_rows
from lexbeam.transforms.people.answered_sheets import list_sheets

ROLES = Roles(
    {"id": ("id", "key"), "answer": ("answer",), "note": ("note",)}, ("id", "answer"), "name it as `{role}_column`"
)


def read(path, content, encoding="utf-8"):
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    (entry,) = list_sheets([str(path)])
    return list(table_rows(entry, ROLES, encoding=encoding))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_columns_in_any_order(tmp_path, delimiter):
    rows = ["answer|other|key", "yes|x|1", "no|y|2", "| |"]
    text = "\n".join(rows).replace("|", delimiter)
    assert read(tmp_path / "a.csv", text) == [(2, {"answer": "yes", "id": "1"}), (3, {"answer": "no", "id": "2"})]


def test_comments_above_the_header_are_passed_over(tmp_path):
    found = read(tmp_path / "a.tsv", "# a comment\nid\tanswer\n1\tyes\n")
    assert found == [(3, {"id": "1", "answer": "yes"})]


def test_json_lines_are_the_same(tmp_path):
    rows = [{"id": 1, "answer": "yes", "note": None}, {"id": "2"}, {"id": {}, "answer": "x"}, 3]
    found = read(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows)))
    assert found[0] == (1, {"id": "1", "answer": "yes", "note": ""})
    assert [(line, cells.reason) for line, cells in found[1:]] == [
        (2, "missing_field"),
        (3, "malformed"),
        (4, "malformed"),
    ]
    assert "`answer_column`" in found[1][1].detail


def test_headers_that_cannot_be(tmp_path):
    with pytest.raises(LexbeamError, match=r"no column 'id'.*`id_column`"):
        read(tmp_path / "a.csv", "answer,x\nyes,1\n")
    with pytest.raises(LexbeamError, match="several columns 'id'"):
        read(tmp_path / "a.csv", "answer,id,id\nyes,1,2\n")


def test_bytes_that_are_no_text_are_told_by_line(tmp_path):
    found = read(tmp_path / "a.csv", b"id,answer\n1,yes\n2,n\xf6\n3,no\n")
    assert [line for line, _ in found] == [2, 3, 4]
    assert isinstance(found[1][1], BadRecord)
    assert read(tmp_path / "a.csv", "id,answer\n1,nö\n", "cp1252")[0][1]["answer"] == "nö"
