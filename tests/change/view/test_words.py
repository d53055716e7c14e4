import unicodedata
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.change.view.words import (
    NO_TAG,
    TAGS,
    USES,
    ViewOptions,
    ViewTargets,
    as_cells,
    as_lists,
    case_of,
    case_text,
    count_cells,
    is_word,
    load_targets,
    majority,
    near_matches,
    normalise_word,
    tag_codes,
    total_cells,
)
from lexbeam.transforms.common.errors import UsageError


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Liber#4", "liber"),
        ("liber#", "liber#"),
        ("#4", "#4"),
        ("a#b", "a#b"),
        ("look  up", "look_up"),
        ("E\u0301te\u0301", "\u00e9t\u00e9"),
        ("STRAẞE", "straße"),
        ("O’Clock", "o'clock"),
        ("Oʻzbek", "o'zbek"),
        ("5′", "5′"),
        (" ", ""),
    ],
)
def test_normalises(text, word):
    assert normalise_word(text, ViewOptions()) == word


def test_case_and_marks_can_be_kept():
    options = ViewOptions(case="keep", homonym_marks="keep")
    assert normalise_word("Liber#4", options) == "Liber#4"


@pytest.mark.parametrize(
    ("languages", "case"),
    [
        ((), "lower"),
        (("en", "fr"), "lower"),
        (("de",), "keep"),
        (("de", "de-AT", "deu"), "keep"),
        (("GER",), "keep"),
        (("den",), "lower"),
    ],
)
def test_case_depends_on_the_language(languages, case):
    assert case_of(languages) == case


def test_languages_that_disagree_on_case_are_a_usage_error():
    with pytest.raises(UsageError, match=r"words of de keep their case, those of en, la do not: .*`case`"):
        case_of(["en", "de", "la"])


def test_a_run_says_what_became_of_case():
    assert case_text(ViewOptions(case="lower"), "auto") == "words in lower case"
    assert case_text(ViewOptions(case="keep"), "auto") == "words keep their case (German)"
    assert case_text(ViewOptions(case="keep"), "keep") == "words keep their case"


@given(st.text(max_size=8))
def test_words_are_nfc_without_white_space(text):
    word = normalise_word(text, ViewOptions())
    assert word == unicodedata.normalize("NFC", word)
    assert len(word.split()) <= 1


@given(st.text(max_size=4))
def test_a_word_has_a_letter_digit_or_mark(text):
    assert is_word(text) == any(unicodedata.category(c)[0] in ("L", "N", "M") for c in text)


def test_unknown_choices_are_usage_errors():
    with pytest.raises(UsageError, match="`unit` 'lema'; did you mean 'lemma'"):
        ViewOptions(unit="lema")
    with pytest.raises(UsageError, match="`min_sentence`"):
        ViewOptions(min_sentence=-1)


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


TOKENS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, NO_TAG)), max_size=30)


def counted(tokens, places=(5, 0, 9, 2)):
    words, tags = np.array(tokens, np.int64).reshape(-1, 2).T
    return count_cells(words, tags.astype(np.uint8), np.array(places))


def test_tags_are_numbered_by_their_place_and_unknown_ones_are_none():
    tags = ["NOUN", None, "ODD", "ADJ", "noun"]
    expected = [UPOS.index("NOUN"), NO_TAG, NO_TAG, UPOS.index("ADJ"), NO_TAG]
    for array in (pa.array(tags), pa.array(tags).dictionary_encode()):
        assert tag_codes(array).tolist() == expected
    assert tag_codes(pa.array([], pa.string())).tolist() == []
    assert sorted(set(UPOS)) == list(UPOS)


@given(TOKENS, TOKENS)
def test_sums_of_cells_are_those_of_all_tokens_in_lists_and_back(some, more):
    found = total_cells([counted(some), counted(more)])
    uses = Counter(((5, 0, 9, 2)[word], tag) for word, tag in [*some, *more] if tag != NO_TAG)
    assert list(zip(found.cells.tolist(), found.uses.tolist(), strict=True)) == sorted(
        (word * TAGS + tag, number) for (word, tag), number in uses.items()
    )
    lists = as_lists(found, 10)
    assert lists.type == USES
    assert lists.to_pylist() == [
        sorted((tag, number) for (own, tag), number in uses.items() if own == word) for word in range(10)
    ]
    # A slice of an array, and nulls within one, are as they should be.
    back = as_cells(lists.slice(2), np.arange(2, 10))
    assert back.cells.tolist() == [cell for cell in found.cells.tolist() if cell >= 2 * TAGS]
    gaps = pa.concat_arrays([pa.nulls(2, USES), lists])
    assert as_cells(gaps, np.array([3, 4, *range(10)])).cells.tolist() == found.cells.tolist()


def test_no_counts_sum_to_none():
    found = total_cells([])
    assert as_lists(found, 2).to_pylist() == [[], []]


def test_a_tie_is_settled_by_the_order_of_tags_and_no_use_has_no_majority():
    uses = np.zeros((3, TAGS), np.int64)
    uses[0, [UPOS.index("VERB"), UPOS.index("NOUN"), UPOS.index("X")]] = 2, 2, 1
    uses[2, UPOS.index("X")] = 3
    found = majority(uses, 3)
    assert found.upos.to_pylist() == ["NOUN", None, "X"]
    assert found.share.to_pylist() == [0.4, None, 1.0]
    assert majority(None, 2).upos.to_pylist() == [None, None]
