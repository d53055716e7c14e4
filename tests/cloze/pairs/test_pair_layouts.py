import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.cloze.pairs.pair_layouts import PARAGRAPHS, SUMMARIES, CutOptions, cut, first_sentence
from lexbeam.transforms.formats.records.base import BadRecord

TEXT = "Headline\n\nFirst is one. Second is two.\n\nThird is three.\n\nFourth."


def pieces(text, **options):
    parts = cut(text, CutOptions(**options), first_sentence)
    return tuple(text[start:end] for start, end in parts)


@pytest.mark.parametrize(
    ("options", "summary", "passage"),
    [
        ({"skip_paragraphs": 1}, "First is one.", "Third is three.\n\nFourth."),
        ({"skip_paragraphs": 1, "keep_rest": True}, "First is one.", "Second is two.\n\nThird is three.\n\nFourth."),
        (
            {"skip_paragraphs": 1, "summary": "first-paragraph"},
            "First is one. Second is two.",
            "Third is three.\n\nFourth.",
        ),
        ({"skip_paragraphs": 2, "summary": "first-paragraph", "keep_rest": True}, "Third is three.", "Fourth."),
        ({}, "Headline", "First is one. Second is two.\n\nThird is three.\n\nFourth."),
    ],
)
def test_summary_and_passage(options, summary, passage):
    assert pieces(TEXT, **options) == (summary, passage)
    lines = TEXT.replace("\n\n", "\n")
    assert pieces(lines, paragraphs="line", **options) == (summary, passage.replace("\n\n", "\n"))


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        (TEXT, {"skip_paragraphs": 3}, "empty_passage"),
        (TEXT, {"skip_paragraphs": 4}, "empty_summary"),
        (" \n", {}, "empty_summary"),
        ("One. Two.", {}, "empty_passage"),
    ],
)
def test_what_is_too_short_says_so(text, options, reason):
    with pytest.raises(BadRecord) as raised:
        pieces(text, **options)
    assert raised.value.reason == reason
    if text == "One. Two.":
        assert pieces(text, keep_rest=True) == ("One.", "Two.")


def test_abbreviations_and_figures_end_no_sentence_in_a_language_that_knows_them():
    paragraph = "Mr. Smith paid $1.13bn (£600m) to A. B. Dr. Jones left."
    assert paragraph[: first_sentence(0, paragraph, "en")].endswith("(£600m) to A. B. Dr. Jones left.")
    assert first_sentence(0, "Uno. Dos.", "no such language") == 4


@given(
    st.text(alphabet="ab.! \n\u2028", max_size=40),
    st.integers(0, 2),
    st.sampled_from(SUMMARIES),
    st.booleans(),
    st.sampled_from(PARAGRAPHS),
)
def test_passages_follow_summaries_and_neither_has_white_space_around(text, skip, summary, rest, ends):
    options = CutOptions(summary=summary, skip_paragraphs=skip, keep_rest=rest, paragraphs=ends)
    try:
        parts = cut(text, options, lambda start, body: max(1, len(body) // 2))
    except BadRecord:
        return
    assert 0 <= parts.summary[0] < parts.summary[1] <= parts.passage[0] < parts.passage[1]
    for start, end in parts:
        assert text[start:end] == text[start:end].strip()
    assert text[parts.passage[0] :].rstrip() == text[parts.passage[0] : parts.passage[1]]
    between = text[parts.summary[1] : parts.passage[0]].strip()
    assert not (between and rest)
