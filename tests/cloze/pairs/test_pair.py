import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.schemas.cloze import FLAGS, KINDS, PAIR_REASONS
from lexbeam.transforms.cloze.pairs.pair import (
    PLACEHOLDER,
    GivenTarget,
    LengthOptions,
    RawPair,
    annotation_columns,
    article_id,
    fill,
    give_places,
    join_rows,
    looks_mis_decoded,
    pair_id,
    pair_row,
)
from lexbeam.transforms.common.store.batches import Sentence
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.formats.records.text_cleaning import clean_text

TARGET = GivenTarget("intersection", ("cat", "dog", "fox", "cow", "hen"), 1)


def reason_of(passage="The dog barks.", summary="Some bark.", target=None, **lengths):
    with pytest.raises(BadRecord) as raised:
        pair_row(RawPair("1", passage, summary, target), LengthOptions(**lengths))
    assert raised.value.reason in PAIR_REASONS
    return raised.value.reason


def row(summary="Some bark.", target=None, passage="The dog barks.", **more):
    made = pair_row(RawPair("1", passage, summary, target), LengthOptions())
    return {**made, "source": "a", "number": 0, **more}


@given(
    st.text(max_size=12).map(clean_text),
    st.text(max_size=12).map(clean_text),
    st.sampled_from(["word", "\u0301x", "e", "한", "été"]),
)
def test_a_word_is_put_in_its_place_or_has_none(before, after, word):
    filled = fill(before + PLACEHOLDER + after, word)
    if filled.start is None:
        assert clean_text(filled.summary) != before + word + after or "\u0301" in after + word
    else:
        assert filled.summary[filled.start : filled.end] == word
        assert filled.summary == before + word + after


def test_what_gives_no_pair_has_its_reason():
    assert reason_of(passage="") == reason_of(passage="... !") == "empty_passage"
    assert reason_of(summary="") == reason_of(summary="?") == "empty_summary"
    assert reason_of(summary="Bark!") == "short_summary"
    assert reason_of(summary="A b c.", max_summary_words=2) == "long_summary"
    assert reason_of(passage="A b.", min_passage_words=3) == "short_passage"
    assert reason_of(passage="word " * 50_000) == "long_passage"
    assert reason_of(passage="A b c.", max_passage_words=2) == "long_passage"
    assert reason_of(summary=f"Some {PLACEHOLDER} bark.") == "placeholder"
    assert reason_of(passage=f"The {PLACEHOLDER}.") == "placeholder"
    asked = f"The {PLACEHOLDER} barks."
    assert reason_of(summary="None barks.", target=TARGET) == "placeholder"
    assert reason_of(summary=asked + asked, target=TARGET) == "placeholder"
    assert reason_of(passage=asked, summary=asked, target=TARGET) == "placeholder"
    other = TARGET._replace(options=("a", "b", PLACEHOLDER))
    assert reason_of(summary=asked, target=other) == "placeholder"
    assert reason_of(summary=asked, target=TARGET._replace(options=("a", ""))) == "bad_label"
    long_pair = pair_row(RawPair("1", "word " * 20_000, "Bark!"), LengthOptions(min_summary_words=1))
    assert long_pair["flags"] == []


def test_ids_are_of_content_and_pairs_of_a_passage_share_their_beginning():
    first, other, third = row(), row("Others bark."), row(passage="The cat.")
    assert first["key"] == pair_id(article_id("The dog barks."), "Some bark.") == row(number=7)["key"]
    assert first["key"][:16] == other["key"][:16] == first["article_id"][:16] != third["key"][:16]
    assert first["key"][16:] == third["key"][16:] != other["key"][16:]
    assert all(len(name) == 32 for name in (first["key"], first["article_id"]))


@given(st.permutations(range(6)))
def test_equal_pairs_are_one_with_all_their_targets_whatever_their_order(order):
    def question(place, target, **more):
        words = ["The", "dog", "barks", "now."]
        words[place] = PLACEHOLDER
        return row(" ".join(words), target, **more)

    dog, barks = TARGET, TARGET._replace(options=("Barks", "barks", "x"))
    rows = [
        question(1, dog),
        question(1, dog, source="b", genre="g", source_id="7"),
        question(2, barks, number=1),
        question(1, dog._replace(kind=KINDS[0]), number=2),
        row("The dog barks now.", number=3),
        question(1, dog._replace(options=("dog", "cow"), label=0), number=4),
    ]
    assert len({first["key"] for first in rows}) == 1
    # They come sorted by source and number, with the same numbers whatever their order in a file.
    pair = join_rows(sorted([rows[n] for n in order], key=lambda first: (first["source"], first["number"])))
    assert (pair["rows"], pair["genre"], pair["source_id"]) == (6, "g", "7")
    assert (pair["source"], pair["language"]) == ("a", None)
    assert pair["flags"] == [flag for flag in FLAGS if flag in ("several_targets", "doubled_options", "repeated")]
    ordered = [(t["kind"], t["form"], t["label"], t["source"], t["start"]) for t in pair["targets"]]
    assert ordered == [
        (KINDS[0], "dog", 1, "a", 4),
        (KINDS[2], "dog", 1, "a", 4),
        (KINDS[2], "dog", 0, "a", 4),
        (KINDS[2], "barks", 1, "a", 8),
    ]


# Words with signs that no ASCII holds, as people write them.
RIGHT = [
    "£600",
    "5 °C",
    "½",
    "naïve café",
    "CAFÉ »Au lait«",
    "„Spaß“",
    "EÄ–2",
    "Ünal's Ö…",
    "São",
    "“Quoted” – and dashed — …",
    "10 €",
    "Привет, мир",
    "Ελλάδα",
    "日本語",
    "ÄÖÜ",
    "Ð and Þ",
    "MANHÃ.",
    "â la carte",
    "Ångström",
    "«né»…",
]


@pytest.mark.parametrize("text", RIGHT)
def test_what_is_right_is_not_flagged_and_what_utf_8_becomes_by_other_encodings_is(text):
    assert not looks_mis_decoded(text)
    for encoding in ("latin-1", "cp1252"):
        wrong = text.encode().decode(encoding, "replace")
        assert looks_mis_decoded(f"It says {wrong} here")


@pytest.mark.parametrize("text", ["Â£600", "caf\u00c3\u00a9", "donâ€™t", "â‚¬5", "Â\xa0", "a\ufffd"])
def test_the_commonest_are_found_alone(text):
    assert looks_mis_decoded(text)
    assert not looks_mis_decoded(text.encode("ascii", "ignore").decode())


def test_columns_are_the_sentences_joined_and_what_one_lacks_all_lack():
    sentences = [
        Sentence(["A", "b"], ["a", "b"], ["DET", "NOUN"], [10, 12], [11, 13]),
        Sentence([], [], [], [], []),
        Sentence(["C"], None, ["X"], [14], [15]),
    ]
    assert annotation_columns("summary", sentences, start=10) == {
        "summary_forms": ["A", "b", "C"],
        "summary_lemmas": None,
        "summary_upos": ["DET", "NOUN", "X"],
        "summary_starts": [0, 2, 4],
        "summary_ends": [1, 3, 5],
        "summary_sentences": [0, 2],
    }


def test_a_target_has_the_place_of_the_token_that_is_just_it():
    pair = {
        "summary_starts": [0, 3, 6],
        "summary_ends": [2, 5, 9],
        "flags": ["repeated"],
        "targets": [{"start": 3, "end": 5}, {"start": 0, "end": 2}],
    }
    give_places(pair)
    assert (pair["targets"], pair["flags"]) == ([{"token": 1}, {"token": 0}], ["repeated"])
    for start, end in ((3, 9), (6, 8), (None, None)):
        pair["targets"] = [{"start": start, "end": end}]
        give_places(pair)
        assert pair["targets"] == [{"token": None}]
        assert set(pair["flags"]) == {"repeated", "target_not_found"}
