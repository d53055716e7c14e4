"""Judgments of people, read and put together."""

import itertools

import pytest

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.simplification.instances.benchmark_layouts import instance_id
from lexbeam.transforms.simplification.instances.judgments import (
    SimplifiableJudgment,
    SimplifiableOptions,
    judgments_of_part,
    read_judgments,
    unknown_judgments,
    verdict_of,
)

YES, NO, DOUBT = "simplifiable", "not_simplifiable", "dubious"


def judgments(*votes):
    """Return judgments of (annotator, value)."""
    return [
        SimplifiableJudgment("ab" * 16, None, who, value, who == "joint", "j.tsv", line)
        for line, (who, value) in enumerate(votes, 2)
    ]


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([("ana", YES), ("bob", YES)], (YES, 2)),
        ([("ana", NO), ("bob", NO)], (NO, 2)),
        ([("ana", YES), ("bob", NO)], (DOUBT, 2)),
        ([("ana", YES), ("bob", DOUBT)], (DOUBT, 2)),
        ([("ana", YES)], (YES, 1)),
        ([("ana", YES), ("ana", YES)], (YES, 1)),
        ([("ana", YES), ("ana", NO)], (DOUBT, 1)),
        ([("", YES), ("", YES)], (YES, 2)),
        ([("ana", YES), ("bob", DOUBT), ("joint", YES)], (YES, 2)),
        ([("ana", YES), ("bob", YES), ("joint", NO)], (NO, 2)),
        ([("joint", YES), ("joint", NO)], (DOUBT, 0)),
    ],
)
def test_who_agrees_decides_and_a_joint_verdict_overrides(verdicts, expected):
    for order in itertools.permutations(judgments(*verdicts)):
        assert verdict_of(order) == expected


def test_nobody_says_anything():
    assert verdict_of([]) is None


def test_files_in_any_spelling(tmp_path):
    sentence = 'A "cat sat on the  mat.'
    name = instance_id(sentence, "cat", 3)
    first = tmp_path / "a.tsv"
    first.write_text(
        "sentence\ttarget\tstart\tannotator\tjudgment\n"
        f"{sentence}\tcat\t\tana\tSimplifiable\n"
        f"{sentence}\tcat\t3\tbob\tnot_simplifiable\n"
        f"{sentence}\tcat\t4\tcy\tno\n"
        f"{sentence}\t\t\tcy\tno\n"
        f"{sentence}\tcat\t\tcy\tperhaps\n"
    )
    second = tmp_path / "b.csv"
    second.write_text(f"instance_id,annotator,verdict\n{name},Joint,-\n{name},dan,dubious\nx,dan,yes\n")
    options = SimplifiableOptions()
    read, rejects = read_judgments([str(first)], options)
    assert [(judgment.annotator, judgment.value) for judgment in read] == [("ana", YES), ("bob", NO), ("cy", NO)]
    assert [judgment.is_of(name, 3) for judgment in read] == [True, True, False]
    assert [(row.position, row.reason) for row in rejects] == [("5", "empty"), ("6", "wrong_answer")]
    read, rejects = read_judgments([str(second)], SimplifiableOptions(judgment_column="verdict"))
    assert [(judgment.value, judgment.joint, judgment.key) for judgment in read] == [
        (DOUBT, True, name),
        (DOUBT, False, name),
    ]
    assert [row.reason for row in rejects] == ["wrong_answer"]
    with pytest.raises(LexbeamError, match="judgment_column"):
        read_judgments([str(second)], options)


@pytest.mark.parametrize("parts", [1, 3, 8])
def test_every_judgment_is_of_one_part(parts):
    all_judgments = [
        judgment._replace(key=f"{n * 2654435761 % 2**32:08x}" + "0" * 12)
        for n, judgment in enumerate(judgments(*[("a", YES)] * 50))
    ]
    by_part = [judgments_of_part(all_judgments, bucket, parts) for bucket in range(parts)]
    assert sorted(pair for pairs in by_part for pair in pairs) == list(enumerate(all_judgments))
    keys = [key for pairs in by_part for key in sorted(judgment.key for _, judgment in pairs)]
    assert keys == sorted(keys)


def test_what_no_part_used_is_a_reject():
    all_judgments = judgments(("ana", YES), ("bob", NO))
    (row,) = unknown_judgments(enumerate(all_judgments), {0})
    assert (row.position, row.reason) == ("3", "unknown")
