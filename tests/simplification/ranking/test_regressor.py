"""The regressor of complexity: what it learns, and that it has not read what it is asked."""

import itertools
import math
from pathlib import Path

import numpy as np
import pyphen
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import parts, word
from scipy.stats import spearmanr
from simplified import candidates, instance, parts_of, substitutes

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.lexicon.resources import Lexicon, LexiconOptions, prepare
from lexbeam.transforms.simplification.ranking.options import PHRASES
from lexbeam.transforms.simplification.ranking.regressor import (
    LETTERS,
    FitRegressor,
    Regressor,
    RegressorTask,
    regressors,
    word_features,
)

WORDS = ["".join(letters) for letters in itertools.product("bdlm", "aeio", "nrst", "aeo")]
OFTEN = {text: place * 37 % len(WORDS) + 1 for place, text in enumerate(WORDS)}
# The target is one word; gold has another, a phrase, and one whose labelled lemma is a third.
FOLDER = [
    instance(1, "banas", lemma="bana"),
    *substitutes(1, {"bane": 1, "bano de bara": 2, "bares": 3}),
    *candidates(1, "a", ["bares"], lemma="bare"),
    *candidates(1, "a", ["dana"], lemma="dana"),
]
STAND_HERE = {"bana", "bane", "bano", "bara", "bare", "leso"}  # `leso` is labelled with lemma bana


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory):
    """A word list, `often`."""
    folder = tmp_path_factory.mktemp("lists")
    rows = "".join(f"{text}\t{value}\n" for text, value in OFTEN.items())
    (folder / "often.tsv").write_text(f"word\tvalue\n{rows}", "utf-8")
    text = f"often={folder}/often.tsv:word=word,value=value"
    return prepare(LexiconOptions(resources=(text,), cache=str(folder / "cache")))


def complexity(text):
    """Return how complex a made-up word is: the less frequent, the more."""
    return round(1 - math.log(OFTEN[text]) / math.log(len(WORDS) + 1), 6)


def fitted(folder, lexicon, changed=None, scorer="gradient-boosting", words=WORDS):
    """Fit a regressor; `changed` are words with other labels. Return it, and its bytes."""
    folder.mkdir(exist_ok=True)
    changed = changed or {}
    tokens = [
        word(text, changed.get(text, complexity(text)), lemma="bana" if text == "leso" else text) for text in words
    ]
    labelled = [(part,) for part in parts(folder / "labelled", tokens)]
    folder_parts = parts_of(folder / "own", FOLDER)
    tables = [tuple(folder_parts[f"simplification/{name}"]) for name in ("instances", "substitutes", "candidates")]
    fitting = FitRegressor(scorer, lexicon, ("often",))
    made = make(Workspace(str(folder / "work")), fitting, RegressorTask(*labelled, *tables))
    assert made.figures.rows + sum(made.figures.left_out.values()) == len(words)
    regressor = Regressor(made.model, lexicon, ("often",))
    return regressor, Path(checked(made.model.weights)).read_bytes(), made.figures


def test_labels_of_targets_and_gold_decide_nothing(tmp_path, lexicon):
    _, plain, figures = fitted(tmp_path / "a", lexicon)
    assert figures.left_out["excluded"] == len(STAND_HERE)
    assert figures.rows == len(WORDS) - len(STAND_HERE)
    turned = {text: 1 - complexity(text) for text in STAND_HERE}
    assert fitted(tmp_path / "b", lexicon, turned)[1] == plain
    # That is not because labels decide nothing: those of any other word do.
    other = {text: 1 - complexity(text) for text in WORDS if text not in STAND_HERE}
    assert fitted(tmp_path / "c", lexicon, other)[1] != plain
    for place, text in enumerate(sorted(STAND_HERE)):
        without = [word for word in WORDS if word != text]
        assert fitted(tmp_path / f"d{place}", lexicon, words=without)[1] == plain


@pytest.mark.parametrize("scorer", list(regressors()))
def test_words_that_it_has_not_read_are_ranked_as_they_should(tmp_path, lexicon, scorer):
    regressor, _, _ = fitted(tmp_path, lexicon, scorer=scorer, words=WORDS[: len(WORDS) // 2])
    unread = WORDS[len(WORDS) // 2 :]
    predicted = regressor.predict(unread, ["es"] * len(unread), "zero")
    assert spearmanr(predicted, [complexity(text) for text in unread])[0] > 0.8
    assert predicted.max() <= 1


def test_phrases_by_their_words(tmp_path, lexicon):
    regressor, _, _ = fitted(tmp_path, lexicon)
    texts = ["mate", "mate dito", "dito", "mate"]
    first, phrase, second, again = np.transpose([regressor.predict(texts, ["es"] * 4, how) for how in PHRASES])
    assert (first == first[0]).all()
    assert (again == first).all()
    zero, rarest, mean = phrase
    assert math.isnan(zero)
    assert rarest == max(first[0], second[0])
    assert mean == pytest.approx((first[0] + second[0]) / 2)
    assert first[0] != second[0]


def test_nothing_asked_nothing_said(tmp_path, lexicon):
    regressor, _, _ = fitted(tmp_path, lexicon)
    assert regressor.predict([], [], "zero").shape == (0,)
    assert np.isnan(regressor.predict(["a b"], ["es"], "zero")).all()


def test_too_few_words_are_an_error_that_says_why(tmp_path, lexicon):
    few_words = [*WORDS[:20], *STAND_HERE]
    with pytest.raises(LexbeamError, match=r"can be learned from .*excluded.*`complexity`"):
        fitted(tmp_path, lexicon, words=sorted(set(few_words)))


@pytest.fixture
def small_lexicon(tmp_path):
    """Two word lists: `often` for Spanish, `all` for every language."""
    (tmp_path / "often.tsv").write_text("word\tvalue\nmar\t500\narduo\t-2\n", "utf-8")
    (tmp_path / "all.tsv").write_text("word\tvalue\nsea\t0.001\n", "utf-8")
    lists = ("often={}/often.tsv:word=word,value=value,language=es", "all={}/all.tsv:word=word,value=value")
    texts = tuple(text.format(tmp_path) for text in lists)
    return prepare(LexiconOptions(resources=texts, cache=str(tmp_path / "cache")))


def test_letters_and_lists_by_hand(small_lexicon):
    rows = word_features(["arduo", "sea", "mar"], ["es", "en", ""], small_lexicon, ("often", "all"))
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
def test_a_word_has_the_same_features_in_any_company(pairs):
    words, languages = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    rows = word_features(words, languages, Lexicon(), ())
    assert rows.shape == (len(pairs), len(LETTERS))
    hyphens = {code: pyphen.Pyphen(lang=pyphen.language_fallback(code)) for code in ("es", "en")}
    for row, (text, code) in zip(rows, pairs, strict=True):
        alone = word_features([text], [code], Lexicon(), ())[0]
        np.testing.assert_array_equal(row, alone)
        syllables = row[LETTERS.index("syllables")]
        if code == "xx":
            assert math.isnan(syllables)
        else:
            assert syllables == len(hyphens[code].positions(text)) + 1
