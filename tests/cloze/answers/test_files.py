"""Files of answers: the formats say the same, and what is wrong is named with its line."""

import json

import pytest

from lexbeam.transforms.cloze.answers.five_way import read_answers
from lexbeam.transforms.common.errors import UsageError


def plain(path):
    return [(*answer[:2], answer.chances.tolist(), *answer[3:]) for answer in read_answers(str(path))]


@pytest.mark.parametrize(
    "text",
    [
        "0,2\n1,4\n",
        "0,2\r\n\r\n1,4",
        "﻿0,2\n1,4\n",
        "index,label\n0,2\n1,4\n",
        "Index\tkind\tChosen\n0\t\t2\n1\t\t4\n",
        '{"index": 0, "label": 2}\n{"index": 1, "label": 4}\n',
        '{"index": "0", "chosen": "2", "kind": null}\n{"index": 1, "label": 4}\n',
        "index,option_0,option_1,option_2,option_3,option_4\n0,.1,.2,.4,.2,.1\n1,-3,-2,-4,-2,1e0\n",
        '{"index": 0, "scores": [0, 0, 1, 0, 0]}\n{"index": 1, "scores": [-9, -9, -9, -9, -1]}\n',
    ],
)
def test_formats_say_the_same(tmp_path, text):
    (tmp_path / "some").write_bytes(text.encode())
    assert plain(tmp_path / "some") == [
        ("0", True, [0, 0, 1, 0, 0], "", "", ""),
        ("1", True, [0, 0, 0, 0, 1], "", "", ""),
    ]


def test_equal_scores_are_answers_in_equal_shares(tmp_path):
    row = {
        "id": "a",
        "option_0": 0.3,
        "option_1": 0.1,
        "option_2": 0.3,
        "option_3": 0.1,
        "option_4": 0.2,
        "system": "s",
        "kind": "intersection",
        "trained_on": "imperceptibility",
    }
    (tmp_path / "some").write_text(json.dumps(row))
    expected = ("a", False, [0.5, 0, 0.5, 0, 0], "intersection", "s", "imperceptibility")
    assert plain(tmp_path / "some") == [expected]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("index,label\n", "has a header alone"),
        ("0 2\n", "its first line is '0 2'"),
        ("0,2\n1,5\n", "line 2: label is 5, and options are 0 to 4"),
        ("0,2\n1,x\n", "line 2: label is 'x', not a whole number"),
        ("0,2\n-1,2\n", "line 2: index is '-1', not a whole number"),
        ("0,2\n1,2,3\n", "line 2: 3 cells, and the first line has 2: correct the line"),
        ("0,2\n1\n", "line 2: it has no answer"),
        ("label\n2\n", "line 2: it names no question"),
        ("id,option_0\na,1\n", "line 2: it has no answer"),
        ('{"index": 0}\n', "line 1: it has no answer"),
        ('{"index": 0, "label": true}\n', "line 1: label is 'True'"),
        ('{"index": 0, "scores": [1, 2, 3, 4, 1' + "0" * 400 + "]}\n", "line 1: a score of an option is '1000"),
        ('{"index": 0, "scores": [1, 2, 3, 4]}\n', "line 1: it has no answer"),
        ('{"index": 0, "scores": [1, 2, 3, 4, "nan"]}\n', "line 1: a score of an option is 'nan'"),
        ('{"index": 0,\n', "line 1: no JSON"),
        ('{"index": 0, "label": 1}\n3\n', "line 2: int, not an object"),
        ("id,label,kind\na,1,unspecific\n", "line 2: kind is 'unspecific'"),
        ("id,label,trained_on\na,1,nonspecifity\n", "did you mean 'nonspecificity'"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, message):
    (tmp_path / "some").write_text(text)
    with pytest.raises(UsageError, match=message):
        read_answers(str(tmp_path / "some"))
