import pytest

from lexbeam.transforms.change.view.words import ViewOptions, ViewTargets, load_targets, near_matches
from lexbeam.transforms.common.errors import UsageError


def test_targets_go_through_the_corpus_s_normalisation_and_are_merged():
    lines = ["Liber#4", "liber ", "", "E\u0301te\u0301"]
    assert load_targets(lines, ViewOptions()) == ViewTargets(("liber", "\u00e9t\u00e9"))


def test_suffixes_are_parts_of_speech():
    targets = load_targets(["Attack_nn", "attack_vb", "fair_jj", "plain"], ViewOptions())
    assert targets.words == ("attack_nn", "attack_vb", "fair_jj", "plain")
    assert targets.joined == (
        ("attack", "NOUN", "attack_nn"),
        ("attack", "VERB", "attack_vb"),
        ("fair", "ADJ", "fair_jj"),
    )
    assert targets.needs_upos
    assert not load_targets(["plain", "word_xx"], ViewOptions()).needs_upos


def test_suffixes_can_be_left_as_they_stand():
    targets = load_targets(["attack_nn"], ViewOptions(target_pos="keep"))
    assert targets == ViewTargets(("attack_nn",))


def test_a_line_without_a_letter_is_named():
    with pytest.raises(UsageError, match="line 2: '--'"):
        load_targets(["ok", "--"], ViewOptions())


def test_an_empty_file_is_an_error():
    with pytest.raises(UsageError, match="no target"):
        load_targets(["", " "], ViewOptions())


def test_near_matches_put_other_spellings_first():
    vocabulary = ["ius", "iustus", "virtus", "virtutis", "attack", "Attack", "zebra"]
    found = near_matches(["jus", "uirtus", "attack_nn", "quux"], vocabulary)
    assert found["jus"][0] == "ius"
    assert found["uirtus"][0] == "virtus"
    assert found["attack_nn"] == ["Attack", "attack"]
    assert found["quux"] == []
