"""The plan of planted words: kinds, shares, counts, matches."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.sample.planting import PLANTED_WORDS, TRUTH_COLUMNS, plant_words, truth_row

WORDS = [f"w{i}" for i in range(PLANTED_WORDS)]
TOPICS = [f"topic{i}" for i in range(20)]


def plan(seed: int = 1, tokens: int = 300_000):
    return plant_words(WORDS, TOPICS, Random(seed), tokens)


def by_word(planned):
    return {planted.word: planted for planted in planned}


def test_all_kinds_are_there():
    kinds = Counter(planted.kind for planted in plan())
    assert set(kinds) == {"gained", "lost", "shifted", "control_stable", "control_two_senses", "control_frequency"}
    planted = sum(n for kind, n in kinds.items() if not kind.startswith("control"))
    assert planted == 18
    assert kinds.total() == PLANTED_WORDS


def test_changed_shares_run_from_30_to_100_percent():
    shares = [p.changed for p in plan() if not p.kind.startswith("control")]
    assert min(shares) == 0.3
    assert max(shares) == 1.0
    assert shares == sorted(shares)


@given(seed=st.integers(0, 10_000), tokens=st.integers(30_000, 1_000_000))
def test_planted_words_keep_their_frequency_and_change_the_share_they_say(seed, tokens):
    for planted in plan(seed, tokens):
        if planted.kind == "control_frequency":
            continue
        assert planted.early == planted.late
        moved = sum(abs(sense.early - sense.late) for sense in planted.senses) / 2
        assert moved == pytest.approx(planted.changed * planted.early, abs=1)
        assert len({sense.topic for sense in planted.senses}) == len(planted.senses)


@given(seed=st.integers(0, 10_000))
def test_controls_are_as_frequent_as_the_word_they_are_matched_to(seed):
    planned = plan(seed)
    words = by_word(planned)
    for control in planned:
        if not control.kind.startswith("control"):
            assert control.matched_to == ""
            continue
        matched = words[control.matched_to]
        assert not matched.kind.startswith("control")
        if control.kind == "control_frequency":
            fuller, emptier = max(control.early, control.late), min(control.early, control.late)
            assert fuller == 2 * matched.early
            assert fuller / emptier == pytest.approx(4, rel=0.02)
        else:
            assert control.early == matched.early
        assert all(sense.early / control.early == pytest.approx(sense.late / control.late) for sense in control.senses)


def test_each_kind_of_control_is_matched_to_words_of_its_own():
    matches = Counter((p.kind, p.matched_to) for p in plan() if p.matched_to)
    assert set(matches.values()) == {1}


def test_frequency_goes_up_in_some_controls_and_down_in_others():
    ups = [p.late > p.early for p in plan() if p.kind == "control_frequency"]
    assert sum(ups) == len(ups) / 2


@given(seed=st.integers(0, 10_000))
def test_from_300_000_words_on_every_word_has_80_uses_in_each_slice(seed):
    for planted in plan(seed):
        assert max(planted.early, planted.late) >= 80
        if planted.kind != "control_frequency":
            assert min(planted.early, planted.late) >= 80


def test_a_row_of_the_truth_says_what_the_plan_says():
    for planted in plan():
        row = dict(zip(TRUTH_COLUMNS, truth_row(planted), strict=True))
        assert row["word"] == planted.word
        assert int(row["count_early"]) == planted.early
        assert row["sense_1"] == planted.senses[0].topic
        for side in ("early", "late"):
            shares = [float(row[f"share_{i}_{side}"] or 0) for i in (1, 2, 3)]
            assert sum(shares) == pytest.approx(1, abs=2e-4)
