import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.complexity.instances import FLAGS
from transforms.complexity.instances.instance import KEY_DIGITS, content_key, instance_id, settle, split_of
from transforms.intake.cwi2018 import kind_of
from transforms.intake.locating import Located, locate


@pytest.mark.parametrize(
    ("sentence", "token", "found"),
    [
        ("A cat sat.", "cat", (2, 5, ())),
        ("The catalogue, a cat.", "cat", (17, 20, ())),  # a whole word, though a longer one is first
        ("The catalogue.", "cat", (4, 7, ("within_word",))),
        ("A cat, a cat.", "cat", (2, 5, ("several",))),
        ("catalogues of catfish", "cat", (0, 3, ("within_word", "several"))),
        ("A dog.", "cat", (None, None, ("not_in_sentence",))),
        ("A Cat.", "cat", (None, None, ("not_in_sentence",))),
        ("self-esteem", "self", (0, 4, ())),
        ("a “null” None", "null", (3, 7, ())),
        ("x_y", "x", (0, 1, ("within_word",))),
        ("U.S. law", "U.S.", (0, 4, ())),
        ("die Größe", "Größ", (4, 8, ("within_word",))),
        ("an old sea, old sea.", "old sea", (3, 10, ("several",))),
    ],
)
def test_where_a_target_stands(sentence, token, found):
    assert locate(sentence, token) == Located(*found)


def test_of_several_places_the_one_nearest_to_wrong_offsets_counts():
    sentence = "cat, cat, cat and catalogue"
    assert locate(sentence, "cat", 6) == Located(5, 8, ("wrong_offsets",))
    assert locate(sentence, "cat", 90) == Located(10, 13, ("wrong_offsets",))
    assert locate(sentence, "dog", 3).flags == ("not_in_sentence", "wrong_offsets")
    assert locate("catalogue", "cat", 3).flags == ("within_word", "wrong_offsets")


def test_right_offsets_are_not_doubted():
    assert locate("cat, catalogue", "cat", 5, sure=True) == Located(5, 8, ())


WORDS = st.text(alphabet="ab- ", min_size=1, max_size=12)


@given(WORDS, st.text(alphabet="ab", min_size=1, max_size=3))
def test_whole_words_are_those_of_a_regular_expression(sentence, token):
    whole = [m.start() for m in re.finditer(rf"(?<!\w){token}(?!\w)", sentence)]
    anywhere = [m.start() for m in re.finditer(rf"(?={token})", sentence)]
    found = locate(sentence, token)
    places = whole or anywhere
    assert found.start == (places[0] if places else None)
    assert ("several" in found.flags) == (len(places) > 1)
    assert ("within_word" in found.flags) == (not whole and bool(anywhere))


@given(WORDS, st.text(alphabet="ab", min_size=1, max_size=2), st.integers(0, 12), st.booleans())
def test_the_nearest_place_is_found(sentence, token, near, sure):
    whole = [m.start() for m in re.finditer(rf"(?<!\w){token}(?!\w)", sentence)]
    anywhere = [m.start() for m in re.finditer(rf"(?={token})", sentence)]
    places = anywhere if sure else whole or anywhere
    found = locate(sentence, token, near, sure=sure)
    if places:
        assert abs(found.start - near) == min(abs(place - near) for place in places)
        assert sentence[found.start : found.end] == token
    else:
        assert found.start is None


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


def test_kinds():
    assert [kind_of(token) for token in ("a", " a ", "a b", "a-b", "a\u00a0b")] == [
        "single",
        "single",
        "mwe",
        "single",
        "mwe",
    ]


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
