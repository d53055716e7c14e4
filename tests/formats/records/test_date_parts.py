from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.formats.records.date_parsing import DatePart, parse_date, part_of

CENTURIES = st.integers(1, 21).map(lambda number: f"{number}. Jh.")
DECADES = st.integers(100, 209).map(lambda number: f"{number}0s")
ORDINALS = ("first", "second", "third", "fourth")


@given(CENTURIES | DECADES, st.booleans(), st.sampled_from((2, 3, 4, 10)))
def test_parts_follow_one_another_and_are_the_whole(text, before, of):
    whole = parse_date(text + " BC" * before)
    assert whole is not None
    parts = [part_of(whole[:2], DatePart(number + 1, of)) for number in range(of)]
    if None in parts:
        assert text.endswith("s")
        assert of in (4, 10)
        return
    years = [year for first, last in parts for year in range(first, last + 1)]
    assert years == list(range(whole.year, whole.year_to + 1))


@given(
    CENTURIES | DECADES | st.integers(1, 2100).map("{:04}".format),
    st.sampled_from(("early", "mid", "late", "Ende", "fin", "1. H.", "zweite Hälfte", "dernier quart", "turn", "pre")),
    st.booleans(),
    st.sampled_from((" ", " of the ", " du ", "-")),
)
def test_what_stands_about_a_date_is_never_passed_over(base, word, behind, between):
    whole = parse_date(base)
    part = parse_date(f"{base}, {word}" if behind else f"{word}{between}{base}")
    assert whole is not None
    if part is not None and whole.year != whole.year_to:
        assert whole.year <= part.year <= part.year_to <= whole.year_to
        assert part[:2] != whole[:2]


def test_words_of_halves_and_quarters_count():
    for of, unit, size in ((2, "half", 50), (4, "quarter", 25)):
        for number, ordinal in enumerate(ORDINALS[:of]):
            date = parse_date(f"{ordinal} {unit} of the 19th century")
            assert date[:2] == (1800 + number * size, 1799 + (number + 1) * size)


def test_several_parts_are_refused_rather_than_taken_for_a_century():
    texts = ("1.-3. Viertel 19. Jh.", "1. - 2. Drittel des 19. Jh.", "1st-2nd quarter of the 19th century")
    assert [parse_date(text) for text in texts] == [None] * 3
    assert parse_date("16.-2. Viertel 18. Jh.")[:2] == (1500, 1749)
    assert parse_date("2nd to early 4th century")[:2] == (100, 332)
