"""Dates as machines write them: numbers, and years of two digits, that a rule for dates must name to have them read.

>>> DATE_FORMS["epoch"].read("1467810369").year, DATE_FORMS["excel"].read("42521").year
(2016, 2016)

Nothing but a rule tells a number of seconds from any other number, so nothing is read in these forms unasked.
"""

import datetime
import decimal
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.formats.records.date_parsing import MONTH, Date

# Digits of seconds, and of thousandths and so on, from 1973 to 2286.
_DIGITS = {range(9, 11): 1, range(12, 14): 1000, range(15, 17): 10**6, range(18, 20): 10**9}
_NUMBER = re.compile(r"([+-]?\d+)(?:[.,]\d*)?")
_SHORTENED = re.compile(r"[+-]?\d(?:[.,]\d+)?[Ee]\+?\d{1,2}")  # as Excel shows long numbers: 1.247457E+12
_SERIAL = re.compile(r"\d{1,5}")
_FIRST_DAY = datetime.date(1899, 12, 30)  # of the serial number 0, with the 29 February 1900 that Excel believes in
_SHORT = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{1,2})(?:[ T].*)?")
_NAMED = re.compile(r"(\d{1,2})([-/. ])([^\W\d]+)\.?\2(\d{1,2})(?:[ T].*)?")
_TURN = 69  # two digits from here on are of the 20th century, as in POSIX


@dataclass(frozen=True)
class DateForm(Entry):
    """A form of dates.

    Attributes:
        read: the function from a text to its date; None if it is in another form.
    """

    read: Callable[[str], Date | None]


def _epoch(text: str) -> Date | None:
    number = text.strip()
    if _SHORTENED.fullmatch(number):
        number = f"{decimal.Decimal(number.replace(',', '.')):.0f}"
    match = _NUMBER.fullmatch(number)
    if match is None:
        return None
    digits = len(match[1].lstrip("+-"))
    parts = next((parts for lengths, parts in _DIGITS.items() if digits in lengths), None)
    if parts is None:
        return None
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=int(match[1]) // parts)
    return _of_year(moment.year, text)


def _excel(text: str) -> Date | None:
    match = _NUMBER.fullmatch(text.strip())
    if match is None or not _SERIAL.fullmatch(match[1]):
        return None
    return _of_year((_FIRST_DAY + datetime.timedelta(days=int(match[1]))).year, text)


def _short(order: str) -> Callable[[str], Date | None]:
    def read(text: str) -> Date | None:
        match = _SHORT.fullmatch(text.strip())
        if match is None and order == "dmy":
            match = _NAMED.fullmatch(text.strip())
        if match is None:
            return None
        parts = dict(zip(order, (match[1], match[3], match[4]), strict=True))
        if not parts["m"].isdigit():
            parts["m"] = str(MONTH.get(parts["m"].lower(), 0))
        if len(parts["y"]) != 2:
            return None
        year = int(parts["y"]) + (1900 if int(parts["y"]) >= _TURN else 2000)
        try:
            return _of_year(datetime.date(year, int(parts["m"]), int(parts["d"])).year, text)
        except ValueError:
            return None

    return read


def _of_year(year: int, text: str) -> Date:
    return Date(year, year, text.strip())


DATE_FORMS: Registry[DateForm] = Registry(
    {
        "epoch": DateForm(_epoch, doc="seconds since 1970, or thousandths, millionths, billionths of them"),
        "excel": DateForm(_excel, doc="days as Excel counts them, from 1900"),
        "ymd": DateForm(_short("ymd"), doc="year of two digits, month, day: 16-05-31; 69 is 1969, 68 is 2068"),
        "dmy": DateForm(_short("dmy"), doc="day, month, year of two digits: 31.05.16 or 31-May-16"),
        "mdy": DateForm(_short("mdy"), doc="month, day, year of two digits: 5/31/16"),
    },
    what="form of dates",
)


def readings(text: str) -> Iterator[tuple[str, Date]]:
    """Yield the forms that can read a text as a date that is not long past, each with that date.

    >>> list(readings("16-05-31"))
    [('ymd', Date(year=2016, year_to=2016, text='16-05-31')), ('dmy', Date(year=2031, year_to=2031, text='16-05-31'))]
    """
    for name, form in DATE_FORMS.items():
        date = form.read(text)
        if date is not None and _EARLIEST <= date.year <= _LATEST:
            yield name, date


_EARLIEST, _LATEST = 1940, 2100
