"""Features of words for the regressor of complexity."""

import math

import numpy as np
import pyphen
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexicon.resources import Lexicon, LexiconOptions, prepare
from transforms.simplification.ranking.regressor_features import LETTERS, word_features


@pytest.fixture
def lexicon(tmp_path):
    """Two word lists: `often` for Spanish, `all` for every language."""
    (tmp_path / "often.tsv").write_text("word\tvalue\nmar\t500\narduo\t-2\n", "utf-8")
    (tmp_path / "all.tsv").write_text("word\tvalue\nsea\t0.001\n", "utf-8")
    lists = ("often={}/often.tsv:word=word,value=value,language=es", "all={}/all.tsv:word=word,value=value")
    texts = tuple(text.format(tmp_path) for text in lists)
    return prepare(LexiconOptions(resources=texts, cache=str(tmp_path / "cache")))


def test_letters_and_lists_by_hand(lexicon):
    rows = word_features(["arduo", "sea", "mar"], ["es", "en", ""], lexicon, ("often", "all"))
    names = (*LETTERS, "often", "all")
    first, second, third = (dict(zip(names, row.tolist(), strict=True)) for row in rows)
    wanted = {
        "length": 5,
        "vowel_groups": 2,
        "vowel_share": 3 / 5,
        "consonant_run": 2,
        "distinct_letters": 1,
        "doubled_letters": 0,
        "not_ascii": 0,
        "often": math.asinh(-2),
    }
    assert {name: first[name] for name in wanted} == pytest.approx(wanted)
    assert math.isnan(first["all"])
    assert math.isnan(second["often"])
    assert second["all"] == pytest.approx(math.asinh(0.001))
    assert math.isnan(third["often"])  # that list is of another language


@given(st.lists(st.tuples(st.text("abcdeñ", min_size=1), st.sampled_from(["es", "en", "xx"]))))
def test_a_word_has_the_same_features_in_any_company(asked):
    words, languages = [one[0] for one in asked], [one[1] for one in asked]
    rows = word_features(words, languages, Lexicon(), ())
    assert rows.shape == (len(asked), len(LETTERS))
    hyphens = {code: pyphen.Pyphen(lang=pyphen.language_fallback(code)) for code in ("es", "en")}
    for row, (text, code) in zip(rows, asked, strict=True):
        alone = word_features([text], [code], Lexicon(), ())[0]
        np.testing.assert_array_equal(row, alone)
        syllables = row[LETTERS.index("syllables")]
        if code == "xx":
            assert math.isnan(syllables)
        else:
            assert syllables == len(hyphens[code].positions(text)) + 1
