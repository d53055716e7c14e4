import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.schemas.complexity import FLAGS
from lexbeam.transforms.complexity.instances.instance import KEY_DIGITS, content_key, instance_id, settle, split_of


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("lcp_single_train.tsv", "train"),
        ("a/Spanish_Dev.tsv", "dev"),
        ("TRIAL.tsv", "trial"),
        ("test/all.tsv", None),
        ("contest.tsv", None),
        ("testing.tsv", None),
        ("zip.zip!x-test.tsv", "test"),
        ("train2.tsv", "train"),
    ],
)
def test_the_split_that_a_name_says(name, split):
    assert split_of(name) == split


ONE = {"kind": "single", "genre": "g", "sentence": "A cat.", "token": "cat", "start": 2}


@pytest.mark.parametrize(
    "other",
    [
        {"kind": "mwe"},
        {"genre": None},
        {"sentence": "A cat!"},
        {"sentence": None},
        {"token": "Cat"},
        {"start": None},
        {"source_id": "x"},
        {"source_id": ""},
        {"number": 1},
    ],
)
def test_all_content_decides_an_id(other):
    assert re.fullmatch("[0-9a-f]{32}", instance_id(**ONE))
    assert instance_id(**ONE) == instance_id(**ONE)
    assert instance_id(**ONE | other) != instance_id(**ONE)


def test_targets_of_a_sentence_follow_each_other_in_the_order_of_ids():
    same = instance_id(**ONE)[:12]
    assert instance_id(**ONE | {"token": "A", "start": 0}).startswith(same)
    words = {instance_id(**ONE | {"sentence": None, "token": t})[:12] for t in "abc"}
    assert len(words) == 3  # of a list they are scattered


@given(st.lists(st.sampled_from(["a", "b", None]), min_size=1, max_size=8), st.randoms())
def test_settling_does_not_depend_on_the_order(source_ids, random):
    key = content_key(**ONE)
    found = settle(key, source_ids)
    names = [one.instance_id for one in found]
    assert names == sorted(set(names))
    assert len(key) == KEY_DIGITS
    assert all(name.startswith(key) for name in names)
    assert sorted(one.place for one in found) == list(range(len(source_ids)))
    assert [one.duplicate_of for one in found] == [None, *[names[0]] * (len(names) - 1)]
    shuffled = [*source_ids]
    random.shuffle(shuffled)
    again = settle(key, shuffled)
    pairs = [(one.instance_id, source_ids[one.place]) for one in found]
    assert [(one.instance_id, shuffled[one.place]) for one in again] == pairs
    own = instance_id(**ONE, source_id=source_ids[0])
    assert own in names


def test_flags_are_told_apart():
    assert len(set(FLAGS.values())) == len(FLAGS)
