import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.formats.date_parsing import Date, parse_date, pick_year

ONE_YEAR = {
    "1790": 1790, "0350": 350, "+0017": 17, "-0049.0": -49, "-49": -49, "0000": 0, "0050.0": 50,
    "-002": -2, "1790-01-08": 1790, "1790-01": 1790, "1790-01-08T12:30:00Z": 1790,
    "20010702": 2001, "January 8, 1790": 1790, "December 2, 2003": 2003, "8 January 1790": 1790,
    "8th of January, 1790": 1790, "8. Januar 1790": 1790, "8 de enero de 1790": 1790,
    "le 8 janvier 1790": 1790, "Jan. 1790": 1790, "1790 May 3": 1790, "Monday, 8 March 1790": 1790,
    "08.01.1790": 1790, "1/13/1790": 1790, "1790/01/08": 1790, "[1810?]": 1810, "[1897]": 1897,
    "ca. 1810": 1810, "c. 1810": 1810, "c1810": 1810, "circa 1810": 1810, "um 1810": 1810,
    "1810.": 1810, "Spring 1810": 1810, "49 BC": -49, "49 B.C.": -49, "49 v. Chr.": -49,
    "44 a.C.": -44, "BC 44": -44, "AD 79": 79, "79 n. Chr.": 79, "79 d. C.": 79, "79 CE": 79,
    "March 15, 44 BC": -44, "29 February 1700": 1700, "1812-06-24/1812-12-14": 1812,
}  # fmt: skip
RANGES = {
    "1810-1812": (1810, 1812), "1810–1812": (1810, 1812), "1810 - 1812": (1810, 1812),
    "1810/12": (1810, 1812), "1842/43?": (1842, 1843), "1810-13": (1810, 1813),
    "1810/1812": (1810, 1812), "between 1810 and 1812": (1810, 1812), "1810 bis 1812": (1810, 1812),
    "zwischen 1810 und 1812": (1810, 1812), "1810-05-01/1812-01-31": (1810, 1812),
    "entre 1810 y 1812": (1810, 1812), "ca. 1810-ca. 1812": (1810, 1812),
    "Jan. 1810 - March 1812": (1810, 1812), "1840s": (1840, 1849), "the 1840's": (1840, 1849),
    "1840er Jahre": (1840, 1849), "1840-talet": (1840, 1849), "184-": (1840, 1849),
    "18--": (1800, 1899), "1700s": (1700, 1799), "1700-talet": (1700, 1799),
    "18th century": (1700, 1799), "18th c.": (1700, 1799), "early 18th century": (1700, 1799),
    "18. Jh.": (1700, 1799), "18. Jahrhundert": (1700, 1799), "s. XVIII": (1700, 1799),
    "siglo XVIII": (1700, 1799), "XVIIIe siècle": (1700, 1799), "saec. XVIII": (1700, 1799),
    "18th-19th century": (1700, 1899), "1st century": (1, 99), "1st century BC": (-100, -1),
    "s. V a. C.": (-500, -401), "2. Jh. v. Chr.": (-200, -101), "49-44 BC": (-49, -44),
    "100 BC - 50 AD": (-100, 50), "100 BC to 44 BC": (-100, -44), "-100--50": (-100, -50),
}  # fmt: skip
IMPOSSIBLE = [
    "", " ", "unknown", "s.d.", "n.d.", "February 30, 1790", "1790-13-01", "1790-02-30", "18100",
    "0002-03-40", "32-1-1790", "1812-1810", "9999", "2101", "44-49 BC", "8 January", "1810.5",
    "January 8, 90", "before 1810", "after 1810", "184?", "30th century", "-44 BC", "0 BC", "1790a",
    "x" * 1000, "²", "Ⅷ", "--", "-", "..", "?",
]  # fmt: skip


@pytest.mark.parametrize(("text", "year"), ONE_YEAR.items())
def test_dates_of_one_year(text, year):
    assert parse_date(text) == Date(year, year, text)


@pytest.mark.parametrize(("text", "span"), RANGES.items())
def test_ranges(text, span):
    assert parse_date(text) == Date(*span, text)


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_what_is_no_date_or_does_not_exist(text):
    assert parse_date(text) is None


@given(st.dates(datetime.date(1000, 1, 1), datetime.date(2100, 12, 31)))
def test_calendar_dates_in_many_forms(day):
    for form in ("%Y-%m-%d", "%B %d, %Y", "%d %b %Y", "%d.%m.%Y", "%Y/%m/%d", "%A, %d %B %Y"):
        date = parse_date(day.strftime(form))
        assert date is not None
        assert date.year == date.year_to == day.year


@given(st.integers(-9999, 2100))
def test_numbers_are_their_years(year):
    date = parse_date(f"{year:+05d}.0")
    assert date is not None
    assert date[:2] == (year, year)


@given(st.text(max_size=30) | st.text(alphabet="0123456789-/. ?[]bcadIVX,s", max_size=15))
def test_no_text_breaks_it_and_spans_are_ordered(text):
    date = parse_date(text)
    assert date is None or -9999 <= date.year <= date.year_to <= 2100


def test_the_year_that_counts_of_a_range():
    date = Date(1810, 1813, "")
    years = [pick_year(date, how) for how in ("first", "middle", "last", "reject")]
    assert years == [1810, 1811, 1813, None]
    assert pick_year(Date(-3, -3, ""), "reject") == -3
