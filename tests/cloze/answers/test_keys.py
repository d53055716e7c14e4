"""Questions read as gold: what is kept of them, and what is wrong with files."""

import gzip

import pytest
from answered import question, write_lines

from lexbeam.transforms.cloze.answers.five_way import joined_keys, read_key
from lexbeam.transforms.common.errors import UsageError


def test_questions_are_read_in_the_order_of_lines(tmp_path):
    rows = [
        question("The dogs stay.", ["dogs", "cat", "100", "stays", "The"], 1, id="x"),
        question("It cost 100.", ["dogs", "cat", 100, "stays", "cost"], "4"),
        question("The dogs stay.", "abcde", 2, question_id="y"),
    ]
    key = read_key(write_lines(tmp_path / "Task_2_some.jsonl", rows), None)
    assert key.ids == ["x", "", "y"]
    assert key.kinds == ["nonspecificity"] * 3
    assert key.articles[0] == key.articles[2] != key.articles[1]
    assert key.options[1] == ("dogs", "cat", "100", "stays", "cost")
    assert key.labels.tolist() == [1, 4, 2]
    assert key.standing.tolist() == [[True, False, False, False, True], [False, False, True, False, True], [False] * 5]


def test_kinds_are_those_of_names_else_as_said(tmp_path):
    path = write_lines(tmp_path / "some.jsonl", [question()])
    assert read_key(path, None).kinds == [""]
    assert read_key(path, "intersection").kinds == ["intersection"]
    named = write_lines(tmp_path / "imperceptibility.jsonl", [question()])
    assert read_key(named, "intersection").kinds == ["imperceptibility"]


def test_files_may_be_compressed_and_have_carriage_returns(tmp_path):
    path = write_lines(tmp_path / "some.jsonl", [question(label=3), question(label=2)])
    text = (tmp_path / "some.jsonl").read_bytes().replace(b"\n", b"\r\n")
    (tmp_path / "other.jsonl.gz").write_bytes(gzip.compress(text))
    one, two = read_key(path, None), read_key(str(tmp_path / "other.jsonl.gz"), None)
    assert one.labels.tolist() == two.labels.tolist() == [3, 2]
    both = joined_keys([one, two])
    assert (both.labels.tolist(), both.standing.shape, len(both.ids)) == ([3, 2, 3, 2], (4, 5), 4)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (question(label=5), "line 2: bad_label, label is '5'"),
        (question(label=None), "line 2: missing_field, no field 'label'"),
        (question(options="abcd"), "line 2: 4 options, where 5 should be"),
        ({"article": "x"}, "line 2: missing_field, no field 'question'"),
        ([1], "line 2: malformed, list, not an object"),
    ],
)
def test_a_line_that_is_no_question_is_told(tmp_path, row, message):
    path = write_lines(tmp_path / "some.jsonl", [question(), row])
    with pytest.raises(UsageError, match=message):
        read_key(path, None)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(UsageError, match=r"`gold` .*nothing\.jsonl is not there"):
        read_key(str(tmp_path / "nothing.jsonl"), None)
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(UsageError, match=r"empty\.jsonl: empty"):
        read_key(str(tmp_path / "empty.jsonl"), None)
