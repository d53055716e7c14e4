import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.texts.characters import straight, straight_words

SIGNS = "'\u2019\u2018\u201b\u02bc\u02bb\uff07"
TEXT = st.text(f"abé \u2032\u02b9`´\u201c{SIGNS}", max_size=6)


@given(TEXT)
def test_each_sign_becomes_a_straight_one_in_its_place_and_nothing_else_changes(text):
    assert straight(text) == "".join("'" if sign in SIGNS else sign for sign in text)


@given(st.lists(st.none() | TEXT), st.integers(0, 3), st.sampled_from([pa.string(), pa.large_string()]))
def test_arrays_of_words_are_made_straight_as_words_are(words, start, type_):
    array = pa.array(words, type_)[start:]
    plain = straight_words(array)
    assert plain.type == type_
    assert plain.to_pylist() == [None if word is None else straight(word) for word in words[start:]]
