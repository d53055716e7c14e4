import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.formats.ingest.date_guessing import (
    NAMES,
    SeenDocument,
    guess_dates,
    guess_fields,
    guess_text_field,
    undated,
    unread,
    years_by,
)
from lexbeam.transforms.formats.records.fields import list_fields, listed_fields


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
        ("lat_-0084_7.txt", -84),
        ("lat_+0017.txt", 17),
        ("lat_+1006.txt", 1006),
        ("novel-1840.txt", 1840),
        ("of1790/plain.txt", None),  # a folder is not the file's name
    ],
)
def test_years_in_names_of_files(name, year):
    found = [next(iter(years_by(f"name:{pattern}", [SeenDocument(name, {})]))) for pattern in NAMES]
    assert {one for one in found if one is not None} == ({year} if year else set())


def column(name, values):
    return [SeenDocument("a.csv", {name: value} if value else {}, str(n)) for n, value in enumerate(values, 2)]


def columns(**values):
    rows = zip(*values.values(), strict=True)
    return [SeenDocument("a.csv", dict(zip(values, row, strict=True)), str(n)) for n, row in enumerate(rows, 2)]


YEARS = [str(1800 + n) for n in range(0, 80, 2)]
DAYS = [f"{year}-05-01" for year in YEARS]


def test_the_likeliest_rule_is_the_first():
    dated = [SeenDocument(f"{n}.txt", {"date": str(1800 + n), "pubyear": str(1900 + n)}) for n in range(10)]
    assert [found.rule for found in guess_dates(dated)] == ["header", "field:pubyear"]
    fewer = [*dated, *(SeenDocument(f"{n}.txt", {"pubyear": "1900"}) for n in range(10, 15))]
    best, other = guess_dates(fewer)
    assert (best.rule, best.dated, best.of, best.doubt) == ("field:pubyear", 15, 15, "")
    assert (other.rule, other.doubt) == ("header", "5 documents would be left out")
    assert list(years_by(best.rule, fewer)) == [*range(1900, 1910), *[1900] * 5]
    named = [SeenDocument(f"{n}.txt", {"created": "yesterday"}) for n in range(1800, 1810)]
    assert guess_dates(named)[0].rule == f"name:{NAMES[0]}"
    assert guess_dates([SeenDocument("a.txt", {"n": "see below"})]) == []
    assert guess_dates([]) == []


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("created_at", [f"Wed Aug 27 13:08:45 +0000 {year}" for year in YEARS]),
        ("x", DAYS),
        ("x", [f"1.5.{year}" for year in YEARS]),
        ("日期", [f"{year}年5月1日" for year in YEARS]),
        ("x", YEARS),
        ("rok", [str(1800 + n) for n in range(40)]),
        ("x", [f"{year[:3]}0s" for year in YEARS]),
        ("x", ["MDCC", "MDCCX", "MDCCXX"] * 9),
        ("x", ["-0049", "0012", "0120"] * 9),
        ("meta.when", [*DAYS[:-1], ""]),
        ("x", [f"{year}-8-5" for year in YEARS]),
        ("x", [f"{year} Q1" for year in YEARS]),
        ("x", [f"{year}0920015034" for year in YEARS]),
    ],
)
def test_dates_are_found_by_their_values(name, values):
    (found,) = guess_dates(column(name, values))
    assert (found.rule, found.doubt) == (f"field:{name}", "")


@pytest.mark.parametrize(
    ("name", "values", "doubt"),
    [
        ("x", [DAYS[0]] * 40, "all are of one year"),
        ("created_at", [*DAYS[:30], *[""] * 10], "10 documents would be left out"),
        ("created_at", [*DAYS[:30], *["n.d."] * 10], "10 documents would be left out"),
        ("birth_year", YEARS, "its name is that of another date"),
        ("downloaded", DAYS, "its name is that of another date"),
        ("n_tokens", YEARS, "these may be other numbers than years"),
        ("x", [str(1800 + n) for n in range(40)], "these may be other numbers than years"),
    ],
)
def test_what_is_doubtful_says_why(name, values, doubt):
    (found,) = guess_dates(column(name, values))
    assert (found.rule, found.doubt) == (f"field:{name}", doubt)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("sentiment", ["pos", "neg"] * 20),
        ("time", [str(n) for n in range(40)]),
        ("datum", ["see text", "none"] * 20),
        ("likes", [str(37 * n * n) for n in range(40)]),
        ("day", [str(1 + n % 31) for n in range(40)]),
        ("tweet_id", [str(850_006_245_121_695_744 + n * 10**16) for n in range(40)]),
    ],
)
def test_names_make_no_dates(name, values):
    assert guess_dates(column(name, values)) == []


@pytest.mark.parametrize(
    ("values", "rules"),
    [
        ([str(1_200_000_000 + n * 10**7) for n in range(40)], ["epoch:x"]),
        ([str(1_200_000_000_000 + n * 10**10) for n in range(40)], ["epoch:x"]),
        ([str(30_000 + 400 * n) for n in range(40)], ["excel:x"]),
        ([f"{n:02}-05-31" for n in range(1, 29)], ["ymd:x"]),
        ([f"{n:02}-05-12" for n in range(1, 29)], ["ymd:x"]),
        ([f"5/31/{n:02}" for n in range(40)], ["mdy:x"]),
        ([f"31.05.{n:02}" for n in range(40)], ["dmy:x"]),
        ([f"12-Jan-{n:02}" for n in range(40)], ["dmy:x"]),
        ([f"{1.2 + n / 1000:.6f}E+12" for n in range(0, 400, 10)], ["epoch:x"]),
        ([f"{n:02}/{n % 12 + 1:02}/{n:02}" for n in range(1, 13)], ["ymd:x", "dmy:x", "mdy:x"]),
    ],
)
def test_numbers_that_may_be_dates_are_proposed_by_the_rule_that_reads_them(values, rules):
    found = guess_dates(column("x", values))
    assert [one.rule for one in found] == rules
    assert all(one.doubt.startswith(f"if {values[0]!r} is ") for one in found)
    assert {one.dated for one in found} == {len(values)}


def test_of_two_columns_of_dates_the_name_tells_which_counts():
    late = [f"{1850 + n}-01-01" for n in range(40)]
    best, other = guess_dates(columns(posted=DAYS, x=late))
    assert (best.rule, best.doubt) == ("field:posted", "")
    assert (other.rule, other.doubt) == ("field:x", "less likely than field:posted")
    inner = [SeenDocument("a", {"created_at": a, "user.created_at": b}) for a, b in zip(DAYS, late, strict=True)]
    assert (guess_dates(inner)[0].rule, guess_dates(inner)[0].doubt) == ("field:created_at", "")
    best, _ = guess_dates(columns(x=DAYS, y=late))
    assert best.doubt == "field:y finds other years: say which are those of the texts"
    best, _ = guess_dates(columns(x=DAYS, y=YEARS))
    assert (best.rule, best.doubt) == ("field:x", "")


@pytest.mark.parametrize("name", ["publication_year", "pub_date", "pubDate", "published", "written", "year"])
@pytest.mark.parametrize("late", [2, 40])
def test_no_name_loses_against_date(name, late):
    """Where over 5 % of the years differ neither is without doubt; else `date` is taken."""
    other = [str(int(day[:4]) - 100 * (n < late)) for n, day in enumerate(DAYS)]
    best, second = guess_dates(columns(date=DAYS, **{name: other}), tabular=True)
    assert (best.rule, second.rule) == ("field:date", f"field:{name}")
    if late == 2:
        assert (best.doubt, second.doubt) == ("", "less likely than field:date")
    else:
        assert best.doubt == f"field:{name} finds other years: say which are those of the texts"
        assert second.doubt == "field:date finds other years"


def test_fields_of_dates_that_no_rule_reads_are_named():
    documents = columns(
        d=["'98", "'99"], year=["98/x1", "99/x1"], when=["1998", "1999"], x=["b7", "c7"], time=["no", ""]
    )
    assert list(unread(documents)) == [("d", "'98"), ("year", "98/x1")]


def test_the_year_of_a_file_is_none_of_its_many_records():
    documents = [SeenDocument(f"tw{year}.csv", {}, str(n)) for year in (1500, 2000) for n in range(20)]
    (found,) = guess_dates(documents)
    assert found.doubt == "the year in a file's name is one for many records"
    assert guess_dates([SeenDocument(f"a.zip!{year}.txt", {}) for year in YEARS])[0].doubt == ""


def test_documents_without_a_date_are_named_with_what_they_lack():
    documents = column("when", ["1800", "", "n.d.", "", "1801"])
    assert undated("field:when", documents, 2) == [
        "a.csv 3: no date in field 'when'",
        "a.csv 4: 'n.d.' in field 'when' is not a date",
    ]
    assert undated("header", column("date", ["1800", ""]), 2) == ["a.csv 3: no date in the header or field 'date'"]
    assert undated("name:([0-9]{4})", [SeenDocument("a.txt", {})], 2) == ["a.txt: no year in the name"]


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
