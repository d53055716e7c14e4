import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.lexicon.compiled.casing import entries, find_words, lowered
from transforms.lexicon.compiled.keys import MISSING

WORD = st.text("aAbBéÉß", max_size=3)


def low(word):
    return lowered(pa.array([word]))[0].as_py()


def first(words, wanted, case):
    """The place of the first word that is meant, word by word."""
    same = [place for place, word in enumerate(words) if word == wanted]
    alike = [place for place, word in enumerate(words) if low(word) == low(wanted)]
    exactly_low = [place for place, word in enumerate(words) if word == low(wanted)]
    rule = {"keep": same, "lower": alike, "fold": same or exactly_low or alike}
    return next(iter(rule[case]), MISSING)


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
