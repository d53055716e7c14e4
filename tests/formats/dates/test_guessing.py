import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.formats.dates.guessing import NAMES, SeenDocument, guess_dates, guess_fields, guess_text_field, years_by
from transforms.formats.records.fields import list_fields, listed_fields


@pytest.mark.parametrize(
    ("name", "year"),
    [
        ("su1790.txt", 1790),
        ("1847-01.txt", 1847),
        ("a/b/novel_1901_x.xml", 1901),
        ("18470312.txt", 1847),
        ("vol_18470312b.txt", 1847),
        ("ENG18450_Disraeli.xml", None),
        ("12345.txt", None),
        ("0999.txt", None),
        ("2100.txt", None),
        ("plain.txt", None),
        ("of1790/plain.txt", None),  # a folder is not the file's name
    ],
)
def test_years_in_names_of_files(name, year):
    found = [next(iter(years_by(f"name:{pattern}", [SeenDocument(name, {})]))) for pattern in NAMES]
    assert [one for one in found if one is not None] == ([year] if year else [])


def test_the_rule_that_dates_the_most_documents_is_taken():
    def seen(number, **fields):
        return SeenDocument(f"{number}.txt", fields)

    dated = [seen(n, date=str(1800 + n), pubyear="1900") for n in range(10)]
    assert guess_dates(dated).rule == "header"
    fewer = [*dated, *(seen(n, pubyear="1900") for n in range(10, 15))]
    found = guess_dates(fewer)
    assert (found.rule, found.dated, found.of) == ("field:pubyear", 15, 15)
    assert list(years_by(found.rule, fewer)) == [1900] * 15
    named = [SeenDocument(f"{n}.txt", {"created": "yesterday"}) for n in range(1800, 1810)]
    assert guess_dates(named).rule == f"name:{NAMES[0]}"
    assert guess_dates([SeenDocument("a.txt", {"n": "1800"})]) is None
    assert guess_dates([]) is None


def test_fields_under_other_names():
    assert guess_fields(["Speaker", "headline", "year"]) == ["author=Speaker", "title=headline"]
    assert guess_fields(["author", "Speaker", "Title", "subject"]) == []


def test_the_field_of_the_text():
    assert guess_text_field({"id": 5.0, "Content": 90.0, "summary": 300.0}) == "Content"
    assert guess_text_field({"id": 5.0, "inhalt": 90.0}) == "inhalt"
    assert guess_text_field({"content": 0.0}) is None


NAME = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_.]{0,8}", fullmatch=True)


@settings(max_examples=30)
@given(st.lists(NAME, min_size=1, max_size=12, unique=True), NAME)
def test_what_a_reject_lists_is_read_back(names, missing):
    said = "no text in field 'x'" + list_fields(dict.fromkeys(names, "v"), missing)
    assert listed_fields(said) == names


def test_other_details_list_nothing():
    assert listed_fields("bytes of no known format") == []
