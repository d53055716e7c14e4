import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.common.texts.characters import straight
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING, entries, find_words, lowered

WORD = st.text("aAbBéÉß'’ʼ", max_size=3)


def low(word):
    return lowered(pa.array([word]))[0].as_py()


def first(words, wanted, case):
    """The place of the first word that is meant, word by word."""
    forms = {"keep": [str], "lower": [low], "fold": [str, low]}[case]
    # The forms of what is wanted, and of each the listed words that have it: first as they stand, then by the rule.
    for form in [form for rule in forms for form in (rule, lambda word, rule=rule: straight(rule(word)))]:
        known = [str, *([low] if case == "fold" else [])] if case != "lower" else [low]
        for listed in [f for rule in known for f in (rule, lambda word, rule=rule: straight(rule(word)))]:
            for place, word in enumerate(words):
                if listed(word) == form(wanted):
                    return place
    return MISSING


@settings(max_examples=50)
@given(st.lists(WORD, unique=True), st.lists(WORD), st.sampled_from(["keep", "lower", "fold"]))
def test_words_are_found_by_each_rule_as_one_by_one(words, wanted, case):
    table, places = entries(pa.array(words, pa.large_string()), case)
    keys = table["key"].combine_chunks().to_numpy()
    assert (keys[1:] >= keys[:-1]).all()
    asked = pa.array(wanted, pa.large_string())
    rows = find_words(keys, table["word"].combine_chunks(), asked, case)
    found = [MISSING if row == MISSING else int(places[row]) for row in rows]
    assert found == [first(words, word, case) for word in wanted]


@settings(max_examples=50)
@given(st.lists(WORD, unique=True, min_size=1), st.data(), st.sampled_from(["keep", "lower", "fold"]))
def test_a_list_with_either_apostrophe_finds_words_with_either(words, data, case):
    table, places = entries(pa.array(words, pa.large_string()), case)
    keys = table["key"].combine_chunks().to_numpy()
    word = data.draw(st.sampled_from(words))
    wanted = "".join(data.draw(st.sampled_from("'’ʼ‘＇")) if sign in "'’ʼ" else sign for sign in word)
    asked = pa.array([wanted, word], pa.large_string())
    found, exact = places[find_words(keys, table["word"].combine_chunks(), asked, case)].tolist()
    fold = (lambda text: low(straight(text))) if case == "lower" else straight
    assert fold(words[found]) == fold(word)
    assert words[exact] == word or case == "lower"
