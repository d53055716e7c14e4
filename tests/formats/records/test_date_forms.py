import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.formats.records.date_parsing import DATE_FORMS, parse_date, readings


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
