""" """

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.formats.records.date_parsing import DATE_FORMS, Date, DatePart, parse_date, part_of, readings

ONE_YEAR = {
    "1790": 1790,
    "0350": 350,
    "+0017": 17,
    "-0049.0": -49,
    "-49": -49,
    "0000": 0,
    "0050.0": 50,
    "-002": -2,
    "1790-01-08": 1790,
    "1790-01": 1790,
    "1790-01-08T12:30:00Z": 1790,
    "20010702": 2001,
    "2009-8-5": 2009,
    "2009-8-5 10:22": 2009,
    "20130920015034": 2013,
    "2000 Q1": 2000,
    "Q4 2000": 2000,
    "January 8, 1790": 1790,
    "December 2, 2003": 2003,
    "8 January 1790": 1790,
    "8th of January, 1790": 1790,
    "8. Januar 1790": 1790,
    "8 de enero de 1790": 1790,
    "le 8 janvier 1790": 1790,
    "Jan. 1790": 1790,
    "1790 May 3": 1790,
    "Monday, 8 March 1790": 1790,
    "08.01.1790": 1790,
    "1/13/1790": 1790,
    "1790/01/08": 1790,
    "[1810?]": 1810,
    "[1897]": 1897,
    "ca. 1810": 1810,
    "c. 1810": 1810,
    "c1810": 1810,
    "circa 1810": 1810,
    "um 1810": 1810,
    "1810.": 1810,
    "Spring 1810": 1810,
    "49 BC": -49,
    "49 B.C.": -49,
    "49 v. Chr.": -49,
    "44 a.C.": -44,
    "BC 44": -44,
    "AD 79": 79,
    "79 n. Chr.": 79,
    "79 d. C.": 79,
    "79 CE": 79,
    "March 15, 44 BC": -44,
    "29 February 1700": 1700,
    "1812-06-24/1812-12-14": 1812,
    "MDCCCXL": 1840,
    "MCM.": 1900,
    "1840年": 1840,
    "1840年5月": 1840,
    "1840 年 5 月 31 日": 1840,
    # signs after words, and dashes that are none
    "ca. -49": -49,
    "c. -49": -49,
    "circa -450": -450,
    "ca. -0049.0": -49,
    "~ -50": -50,
    "~-50": -50,
    "ca.-49": -49,
    "um -50": -50,
    "Spring -49": -49,
    "ca. –49": -49,
    "−49": -49,
    "-1842": -1842,
    "mid-1842": 1842,
    "ca. um 1810": 1810,
    # doubt
    "1849?": 1849,
    "?1842": 1842,
    "1842 (?)": 1842,
    "¿1842?": 1842,
    "184[2?]": 1842,
    "1790-01-08?": 1790,
    "8? January 1790": 1790,
    "January ?? 1790": 1790,
    "49 BC?": -49,
    "<1842>": 1842,
    "18[42]": 1842,
    # month and year
    "12/1842": 1842,
    "2/1842": 1842,
    "12.1842": 1842,
    "12-1842": 1842,
    "01/1790": 1790,
    "12 / 1842": 1842,
    "May-1842": 1842,
    "8-Jan-1790": 1790,
    "8 - Jan - 1790": 1790,
    "ca. 5/1842.": 1842,
    # with a time of day
    "1850-05-01 00:00:00": 1850,
    "1850-05-01 00:00:00.000000000": 1850,
    "2004-11-05 10:22:00": 2004,
    "2004-11-05 10:22": 2004,
    "2004-11-05 10:22:00+01:00": 2004,
    "2004-11-05 10:22:00Z": 2004,
    "2004-11-05 10:22:00 UTC": 2004,
    "2004-11-05T10:22-05": 2004,
    "2004-11-05T10:22:00,5 +0100": 2004,
    "20041105T102200Z": 2004,
    "1790-01-08T12": 1790,
    "Fri, 05 Nov 2004 10:22:00 GMT": 2004,
    "Fri, 5 Nov 2004 10:22:00 +0100 (CET)": 2004,
    "Fri Nov  5 10:22:00 2004": 2004,
    "Fri Nov  5 10:22:00 CET 2004": 2004,
    "Fri Nov 05 2004 10:22:00 GMT+0100": 2004,
    "10:22, 5 November 2004 (UTC)": 2004,
    "November 5, 2004 at 10:22 AM": 2004,
    "05.11.2004 10:22": 2004,
    "11/5/2004 9:22:00 PM": 2004,
    "January 8, 1790, 9:22 p.m.": 1790,
    "5. November 2004, 10:22 Uhr": 2004,
    "1812-06-24T10:00/1812-12-14T11:30Z": 1812,
}
RANGES = {
    "1810-1812": (1810, 1812),
    "1810–1812": (1810, 1812),
    "1810 - 1812": (1810, 1812),
    "1810/12": (1810, 1812),
    "1842/43?": (1842, 1843),
    "1810-13": (1810, 1813),
    "1810/1812": (1810, 1812),
    "between 1810 and 1812": (1810, 1812),
    "1810 bis 1812": (1810, 1812),
    "zwischen 1810 und 1812": (1810, 1812),
    "1810-05-01/1812-01-31": (1810, 1812),
    "entre 1810 y 1812": (1810, 1812),
    "ca. 1810-ca. 1812": (1810, 1812),
    "Jan. 1810 - March 1812": (1810, 1812),
    "1840s": (1840, 1849),
    "the 1840's": (1840, 1849),
    "1840er Jahre": (1840, 1849),
    "1840-talet": (1840, 1849),
    "184-": (1840, 1849),
    "18--": (1800, 1899),
    "1700s": (1700, 1799),
    "1700-talet": (1700, 1799),
    "18th century": (1700, 1799),
    "18th c.": (1700, 1799),
    "18. Jh.": (1700, 1799),
    "18. Jahrhundert": (1700, 1799),
    "s. XVIII": (1700, 1799),
    "siglo XVIII": (1700, 1799),
    "XVIIIe siècle": (1700, 1799),
    "saec. XVIII": (1700, 1799),
    "18th-19th century": (1700, 1899),
    "1st century": (1, 99),
    "1st century BC": (-100, -1),
    "s. V a. C.": (-500, -401),
    "2. Jh. v. Chr.": (-200, -101),
    "49-44 BC": (-49, -44),
    "100 BC - 50 AD": (-100, 50),
    "100 BC to 44 BC": (-100, -44),
    "-100--50": (-100, -50),
    # signs after words, and dashes that are none
    "ca. -49 - ca. -44": (-49, -44),
    "from -49 to -44": (-49, -44),
    "-49 - 44": (-49, 44),
    # digits left out, doubt
    "18??": (1800, 1899),
    "[18??]": (1800, 1899),
    "18[??]": (1800, 1899),
    "18..": (1800, 1899),
    "ca. 18??": (1800, 1899),
    "18xx": (1800, 1899),
    "18??-1850": (1800, 1850),
    "1842-18??": (1842, 1899),
    "[1842?]-[1843?]": (1842, 1843),
    "1842-?1844": (1842, 1844),
    "184-?": (1840, 1849),
    "18th century?": (1700, 1799),
    # a dash longer than a hyphen, and a word before, are no part of an ISO month
    "1810–12": (1810, 1812),
    "1842 – 43.": (1842, 1843),
    "ca. 1810-12": (1810, 1812),
    "Winter 1810-11": (1810, 1811),
    "184–": (1840, 1849),
    "18––": (1800, 1899),
    # short numbers
    "450/1842": (450, 1842),
    "45-1842 AD": (45, 1842),
    "12-1842 AD": (12, 1842),
    "45 BC - 1842 AD": (-45, 1842),
    "50-100": (50, 100),
    "18/19. Jh.": (1700, 1899),
    "18-19th c.": (1700, 1899),
    "2nd–3rd c. AD": (100, 299),
    "AD 69/70": (69, 70),
    "5/6 AD": (5, 6),
    "44/3 BC": (-44, -43),
    "11/1842-1/1843": (1842, 1843),
    "the 50s BC": (-59, -50),
    "50s-40s BC": (-59, -40),
    "50s AD": (50, 59),
    "180s": (180, 189),
    "403/2 BC": (-403, -402),
    "100/99 BC": (-100, -99),
    "37-4 BC": (-37, -4),
    "27 BC - 14": (-27, 14),
}
PARTS = {
    "late 19th century": (1867, 1899),
    "early-19th century": (1800, 1832),
    "mid-17th c.": (1633, 1666),
    "early 1800s": (1800, 1832),
    "the late 1840s": (1847, 1849),
    "mid1840s": (1843, 1846),
    "early 1st century": (1, 32),
    "late 1st century BC": (-33, -1),
    "early 50s BC": (-59, -57),
    "first half of the 18th century": (1700, 1749),
    "last quarter of the 19th century": (1875, 1899),
    "first decade of the 20th century": (1900, 1909),
    "19th century (second half)": (1850, 1899),
    "probably late 18th century?": (1767, 1799),
    "2. Hälfte 19. Jh.": (1850, 1899),
    "1. H. 19. Jh.": (1800, 1849),
    "1. Viertel 19. Jh.": (1800, 1824),
    "in der zweiten Hälfte des 19. Jhs.": (1850, 1899),
    "19. Jh., Anfang": (1800, 1832),
    "Ende 18. Jahrhundert": (1767, 1799),
    "um die Mitte des 19. Jahrhunderts": (1833, 1866),
    "1. Hälfte 2. Jh. v. Chr.": (-200, -151),
    "Anfang der 1840er Jahre": (1840, 1842),
    "à la fin du XIXe siècle": (1867, 1899),
    "2e moitié du XIXe": (1850, 1899),
    "1ère moitié du XIXe s.": (1800, 1849),
    "début 19e s.": (1800, 1832),
    "XVIIIe siècle, première moitié": (1700, 1749),
    "début des années 1840": (1840, 1842),
    "segunda mitad del siglo XIX": (1850, 1899),
    "2.ª mitad del s. XIX": (1850, 1899),
    "finales de la década de 1840": (1847, 1849),
    "meados do século XIX": (1833, 1866),
    "inizio del Seicento": (1600, 1632),
    "fine dell'Ottocento": (1867, 1899),
    "II metà del XIX secolo": (1850, 1899),
    "tweede helft 19e eeuw": (1850, 1899),
    "andra hälften av 1800-talet": (1850, 1899),
    # of one year, and from part to part
    "late 1842": (1842, 1842),
    "Ende Mai 1842": (1842, 1842),
    "late 18th - early 19th century": (1767, 1832),
    "late 18th-19th century": (1767, 1899),
    "Ende 18./Anfang 19. Jh.": (1767, 1832),
    "vom Ende des 18. bis zum Anfang des 19. Jahrhunderts": (1767, 1832),
    "fin XVIIIe - début XIXe siècle": (1767, 1832),
    "early to mid 19th century": (1800, 1866),
    "mid/late 19th century": (1833, 1899),
    "mid-to-late 19th century": (1833, 1899),
}
DIGITS = {
    "2017-9": (2017, 2017),
    "2016-1": (2016, 2016),
    "1909-8": (1909, 1909),
    "2017-9?": (2017, 2017),
    "2017-9 - 2018-2": (2017, 2018),
    "1914-18": (1914, 1918),
    "1842/3": (1842, 1843),
    "1842–5": (1842, 1845),
    "ca. 1842-3": (1842, 1843),
    # seasons and doubt of EDTF
    "1999-21": (1999, 1999),
    "2024-24": (2024, 2024),
    "1984~": (1984, 1984),
    "1984-06%/2004": (1984, 2004),
}
IMPOSSIBLE = [
    "",
    " ",
    "unknown",
    "s.d.",
    "n.d.",
    "February 30, 1790",
    "1790-13-01",
    "1790-02-30",
    "1790-2-30",
    "20131320015034",
    "20130920995034",
    "2000 Q5",
    "18100",
    "0002-03-40",
    "32-1-1790",
    "1812-1810",
    "9999",
    "2101",
    "44-49 BC",
    "8 January",
    "1810.5",
    "January 8, 90",
    "before 1810",
    "after 1810",
    "184?",
    "30th century",
    "-44 BC",
    "0 BC",
    "1790a",
    "x" * 1000,
    "²",
    "Ⅷ",
    "--",
    "-",
    "..",
    "?",
    # digits left out
    "18?",
    "1???",
    "1??",
    "[184?]",
    "ca. 184?",
    "January 184?",
    "18?0",
    "1?40",
    "??40",
    "?840",
    "184.",
    "18.",
    "184..",
    "...1842",
    "184.-1850",
    "May 184-",
    "Jan 8, 184-",
    "May 184.",
    "18?-1842",
    "1842-184?",
    # an open side
    "?-1842",
    "? - 1842",
    "1842-?",
    "[?]-1842",
    "<1842",
    ">1842",
    "<-1842",
    "<1842 BC",
    "1842-",
    "- 1842",
    "–1842",
    "(–1842)",
    "ca. - 1810",
    "circa-1810",
    "..1842",
    "1842..",
    "/1842",
    "1842/",
    "- Jan 1790",
    "-- Jan 1790",
    "-8 Jan 1790",
    "Jan 8 1790 -",
    "-79 AD",
    "AD -44",
    "184- BC",
    "b. c. 1780",
    "January 8, -1790",
    "1810+",
    "–44 BC",
    "vor 1810",
    "avant 1810",
    "antes de 1810",
    "hasta 1810",
    "prima del 1810",
    "efter 1810",
    "na 1810",
    "desde 1810",
    # a short number before a year
    "0/1842",
    "13/1842",
    "45/1842",
    "45-1842",
    "45 - 1842",
    "8-10 January 1790",
    "3/4 May 1842",
    "8.-10. Januar 1790",
    "from 8 to 10 January 1790",
    "31-02-1842",
    "12-1842 BC",
    "1-2-3-1842",
    "12/18",
    "1/2",
    "12/184",
    "-403/2",
    "1810–05",
    # two years in one, short decades, words
    "Feb. 1722/3",
    "January 1790-91",
    "-49 -44",
    "90s",
    "the 90s",
    "00s",
    "60er Jahre",
    "años 60",
    "les années 60",
    "90-talet",
    "40s-50s",
    "C18",
    "six",
    "si",
    "sx",
    # a month, a season or years
    "2017-0",
    "2017-00",
    "2000-00",
    "1899-00",
    "2017-13",
    "2001-21",
    "2021-22",
    "1842/5",
    "ca. 1842-5",
    "1849–2",
    "late 1810-12",
    # no such part
    "third half of the 19th century",
    "second quarter of the 1840s",
    "turn of the 19th century",
    "late 19th",
    "late",
    "late 1800-1850-1860",
    "saec. XV ex.",
    # no such time
    "1790-01-08 25:00:00",
    "10:22",
    "1790-02-30 10:22",
    "18:42",
]


@pytest.mark.parametrize(("text", "year"), ONE_YEAR.items())
def test_dates_of_one_year(text, year):
    assert parse_date(text) == Date(year, year, text)


@pytest.mark.parametrize(("text", "span"), RANGES.items())
def test_ranges(text, span):
    assert parse_date(text) == Date(*span, text)


@pytest.mark.parametrize(("text", "span"), (PARTS | DIGITS).items())
def test_parts_and_digits(text, span):
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


@given(st.datetimes(datetime.datetime(1000, 1, 1), datetime.datetime(2100, 12, 31)))
def test_dates_with_a_time_in_many_forms(time):
    for form in ("%Y-%m-%d %H:%M:%S.%f", "%a, %d %b %Y %H:%M:%S GMT", "%c", "%d/%m/%Y %I:%M %p"):
        date = parse_date(time.strftime(form))
        assert date is not None
        assert date.year == date.year_to == time.year


@given(st.integers(-9999, 2100), st.sampled_from(["", "ca. ", "c. ", "circa ", "~", "um ", "ca."]))
def test_numbers_are_their_years(year, about):
    for number in (f"{year:+05d}.0", f"{year:+05d}".lstrip("+")):
        date = parse_date(about + number)
        assert date is not None
        assert date[:2] == (year, year)


@given(st.text(max_size=30) | st.text(alphabet="0123456789-–/. ?:<>[]bcadIVXT,s", max_size=15))
def test_no_text_breaks_it_and_spans_are_ordered(text):
    date = parse_date(text)
    assert date is None or -9999 <= date.year <= date.year_to <= 2100


def test_white_space_about_a_date_changes_nothing():
    """A time zone behind a year was one only at the very end."""
    for text in ("1790 UTC", "from 1790 to 1792 UTC", "1790", "ca. 1790-91"):
        assert parse_date(f" {text} \n") == parse_date(text) is not None


@pytest.mark.parametrize(
    ("form", "text", "year"),
    [
        ("epoch", "0", None),
        ("epoch", "1467810369", 2016),
        ("epoch", "1467810369.0", 2016),
        ("epoch", " 1467810369,5 ", 2016),
        ("epoch", "1467810369000", 2016),
        ("epoch", "1467810369000000", 2016),
        ("epoch", "1467810369000000000", 2016),
        ("epoch", "-100000000", 1966),
        ("epoch", "2016", None),
        ("epoch", "20160531", None),
        ("epoch", "2016-05-31", None),
        ("epoch", "1.247457E+12", 2009),
        ("epoch", "1,24746e+09", 2009),
        ("epoch", "1.2E+99", None),
        ("excel", "42521", 2016),
        ("excel", "42521.75", 2016),
        ("excel", "1", 1899),
        ("excel", "425210", None),
        ("ymd", "16-05-31", 2016),
        ("ymd", "16/5/31 10:22", 2016),
        ("ymd", "69.01.01", 1969),
        ("ymd", "68.01.01", 2068),
        ("ymd", "16-31-05", None),
        ("ymd", "16-05/31", None),
        ("ymd", "2016-05-31", None),
        ("dmy", "31.05.16", 2016),
        ("dmy", "5/31/16", None),
        ("dmy", "12-Jan-07", 2007),
        ("dmy", "12-JAN-07 10.22.33 AM", 2007),
        ("dmy", "31-Feb-07", None),
        ("dmy", "12-Foo-07", None),
        ("dmy", "12-Jan-2007", None),
        ("ymd", "07-Jan-12", None),
        ("mdy", "5/31/16", 2016),
        ("mdy", "2/30/16", None),
    ],
)
def test_a_form_reads_its_dates_alone(form, text, year):
    date = DATE_FORMS[form].read(text)
    assert (date and date.year) == year
    if date:
        assert date[:2] == (year, year)
        assert date.text == text.strip()


@given(st.datetimes(datetime.datetime(1975, 1, 1), datetime.datetime(2100, 1, 1)))
def test_seconds_and_serial_numbers_are_those_of_the_day(moment):
    moment = moment.replace(tzinfo=datetime.UTC)
    seconds = int(moment.timestamp())
    for text in (str(seconds), str(seconds * 1000), str(seconds * 10**9)):
        assert DATE_FORMS["epoch"].read(text).year == moment.year
    days = (moment.date() - datetime.date(1900, 3, 1)).days + 61  # Excel calls 1 March 1900 day 61
    assert DATE_FORMS["excel"].read(str(days)).year == moment.year


@pytest.mark.parametrize("text", ["1467810369", "42521", "16-05-31", "5/31/16"])
def test_nothing_of_it_is_read_unasked(text):
    assert parse_date(text) is None
    assert [name for name, _ in readings(text)]


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
