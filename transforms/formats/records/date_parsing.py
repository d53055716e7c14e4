"""Dates as sources write them, read as years.

Years before our era are negative: 49 BC is -49, and `-0049.0` is the number -49. There is no
astronomical shift; year 0 is whatever a source calls so (LatinISE writes the turn of the era as
`0000`) and counts as of our era. A date is the years it may lie in, first and last:

    >>> parse_date("January 8, 1790")
    Date(year=1790, year_to=1790, text='January 8, 1790')
    >>> [parse_date(text)[:2] for text in ("ca. 1810-12-31", "[1842/43?]", "s. I a. C.")]
    [(1810, 1810), (1842, 1843), (-100, -1)]
    >>> parse_date("February 30, 1790") is None
    True
    >>> [parse_date(text)[0] for text in ("MDCCCXL", "1840年5月31日")]
    [1840, 1840]

Decades and centuries are those of the leading digits: the 1840s are 1840 to 1849, the 18th century (and the 1700s)
1700 to 1799, the first 1 to 99, the 1st century BC -100 to -1. `1810-12` is December 1810, and `1810-9` September;
`1810-13`, `1810/12`, `ca. 1810-12` and, with a longer dash, `1810–12` are ranges. `1999-21` to `1999-24` are the
seasons of EDTF.

A date that may mean two things is refused: `184?` (a decade or a year), `45/1842`, the `90s`, `–1842` with
a longer dash, `2001-21` (a season or 20 years), `1842/5` (May or three years); so is a date with an open side, a date
that does not exist, and a year after 2100.

Dates as machines write them, numbers, and years of two digits, a rule for dates must name to have them read:

>>> DATE_FORMS["epoch"].read("1467810369").year, DATE_FORMS["excel"].read("42521").year
(2016, 2016)

For nothing else tells a number of seconds from any other number.

A part of a century or decade (`late 19th century`, `2. Hälfte 19. Jh.`, `début des années 1840`) is one of so many
equal ones. Early, mid and late (the beginning, middle and end) are thirds. Of a hundred years these have 33, 34 and
33, of ten 3, 4 and 3:

    >>> parted("late 19th century"), parted("19. jh., 2. hälfte")
    ((DatePart(number=3, of=3), '19th century'), (DatePart(number=2, of=2), '19. jh.'))
    >>> part_of((1800, 1899), DatePart(3, 3)), part_of((-100, -1), DatePart(1, 4))
    ((1867, 1899), (-100, -76))

Words are those of English, German, French, Spanish, Italian, Portuguese, Dutch and Swedish.
"""

import datetime
import decimal
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lexbeam.transforms.common.code.registry import Entry, Registry


class DatePart(NamedTuple):
    """The part with a `number`, from 1, `of` so many equal ones."""

    number: int
    of: int


_THIRDS = (
    "early earlier beginning start anfang anfangs beginn frühe früher frühes frühen début debut commencement principio "
    "principios comienzo comienzos inicio inicios início inícios inizio inizi begin vroeg vroege början tidigt tidiga",
    "mid middle mitte milieu mediados meados metà midden mitten",
    "late later end close ende ausgang späte später spätes späten fin final finales fins fines fine eind einde slutet "
    "sent sena",
)
_ORDINALS = (
    "first erste ersten erster erstes premier première primer primera primo prima primeiro primeira eerste första i",
    "second zweite zweiten zweiter zweites deuxième second seconde segundo segunda secondo seconda tweede andra ii",
    "third dritte dritten drittes troisième tercer tercera terceiro terceira terzo terza derde tredje iii",
    "fourth vierte vierten viertes quatrième cuarto cuarta quarto quarta vierde fjärde iv",
)
_LAST = "last latter final letzte letzten letztes dernier dernière último última ultimo ultima laatste sista senare"
_UNITS = {
    2: "half hälfte hä h moitié mitad metade metà helft hälften",
    3: "third drittel tiers tercio terzo tredjedelen",
    4: "quarter viertel v quart cuarto quarto kwart fjärdedelen",
    10: "decade jahrzehnt décennie década decennio decennium årtiondet",
}
_THIRD_OF = {word: number for number, words in enumerate(_THIRDS, 1) for word in words.split()}
_ORDINAL_OF = {word: number for number, words in enumerate(_ORDINALS, 1) for word in words.split()}
_UNIT_OF = {word: unit for unit, words in _UNITS.items() for word in words.split()}


def _any_of(*words: str) -> str:
    return "|".join(sorted(" ".join(words).split(), key=len, reverse=True))


_PART = (
    rf"(?:(?P<third>{_any_of(*_THIRDS)})|"
    rf"(?:(?P<ordinal>{_any_of(*_ORDINALS)})|(?P<digit>[1-4])(?:\.?[ªº°]|:a|[a-zè]{{1,3}})?\.?|(?P<last>{_any_of(_LAST)}))"
    rf"[ -]?(?P<unit>{_any_of(*_UNITS.values())}))(?![^\W\d])"
)
_BEFORE_PART = (
    r"(?:(?:the|in|at|by|during|towards?|der|die|das|dem|den|im|zu|zum|vom|am|gegen|à|au|aux|la|le|les|dans|en|vers|a|el|"
    r"los|las|hacia|il|lo|gli|nel|nella|alla|agli|ai|verso|het|de|op|aan|i|på) |l['’])*"
)
_BETWEEN = (
    r"(?:(?:of|in|the|des|der|den|du|de|la|les|del|della|dello|degli|dei|los|van|het|av|do|da) |(?:dell|l|d)['’])*"
)
_AT_HEAD = re.compile(rf"{_BEFORE_PART}{_PART}\.?(?:[ -] ?|(?=\d)|$){_BETWEEN}(?P<rest>.*)")
_AT_END = re.compile(rf"(?P<rest>.*[^\s,;:])[\s,;:]+{_BEFORE_PART}{_PART}\.?")


def parted(text: str) -> tuple[DatePart, str] | None:
    """Return the part that a date in lower case names, at its head or end, and what it is a part of.

    The latter is empty if there is the part alone; None if there is no part.
    """
    match = _AT_HEAD.fullmatch(text) or _AT_END.fullmatch(text)
    if match is None:
        return None
    if match["third"]:
        return DatePart(_THIRD_OF[match["third"]], 3), match["rest"]
    of = _UNIT_OF[match["unit"]]
    number = of if match["last"] else int(match["digit"] or 0) or _ORDINAL_OF[match["ordinal"]]
    return (DatePart(number, of), match["rest"]) if number <= of else None


def part_of(span: tuple[int, int], part: DatePart) -> tuple[int, int] | None:
    """Return a part of the years of a century or decade; of one year it is that year.

    None if it has no such part: a decade no quarters, and other spans none.
    """
    first, last = span
    if first == last:
        return span
    start = first - (span == (1, 99))  # the first century, which lacks a year
    years = last - start + 1
    if years not in (10, 100) or (part.of != 3 and years % part.of) or years == part.of:
        return None
    borders = [start + round(years * number / part.of) for number in (part.number - 1, part.number)]
    return max(first, borders[0]), borders[1] - 1


LAST_YEAR = 2100


class Date(NamedTuple):
    """The first and last year that a date may lie in, and the date as found."""

    year: int
    year_to: int
    text: str


Span = tuple[int, int]

_MONTHS = (
    "jan januari janvier januar january enero ene gennaio ianuarius",
    "feb febr februari février februar february febrero febbraio fév",
    "mar märz march marzo mars maart mrz",
    "apr april avril abril aprile abr avr",
    "may mai mayo maj mei maggio",
    "jun june juin juni junio giugno",
    "jul july juillet juli julio luglio juil",
    "aug august août augusti augustus agosto ago",
    "sep sept september septembre septiembre settembre setiembre",
    "oct october oktober octobre octubre ottobre okt",
    "nov november novembre noviembre",
    "dec december dezember décembre diciembre dicembre dez dic déc",
)
MONTH = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}

_BEFORE = re.compile(
    r"(?<![^\W\d])(b\.? ?c\.? ?e?\.?|v\. ?chr\.?|v\. ?u\. ?z\.?|a\. ?c\. ?n\.?|a\. ?c\.?|"
    r"av\. ?j\.? ?-?c\.?|f\. ?kr\.?|a\. ?de ?c\.?)(?!\w)"
)
_AFTER = re.compile(
    r"(?<![^\W\d])(a\. ?d\.?|ad|c\. ?e\.|ce|n\. ?chr\.?|n\. ?u\. ?z\.?|d\. ?c\.?|"
    r"ap\. ?j\.? ?-?c\.?|e\. ?kr\.?)(?!\w)"
)
_ABOUT = re.compile(  # a dash after it is the year's sign
    r"^(?:(?:circa|around|about|approximately|probably|possibly|ca|cca|um|etwa|ungefähr|hacia|"
    r"alrededor de|vers|environ|omkring)(?: +|(?=\d))|"
    r"(?:c|ca|cca)\. *|c(?=\d{3})|[~≈] *)"
)
_BORN = re.compile(r"\W*[abd]\. c\. ?\d")  # born, died, before about: no era
_WEEKDAY = re.compile(r"^(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?[.,]? +|^(on|in|the|im|am|en|el|le) +")
_NUMERAL = re.compile(r"\d|\b[ivx]+(?:e|ème)?\b")
_JOINT = re.compile(r"(-|/|to |bis |until |hasta ) *")
_SEASON = re.compile(r"^(spring|summer|autumn|fall|winter|michaelmas|easter|christmas)[ ,]+")
_ZONE = r"(?:[ap]\.?m|uhr|z|utc|gmt|[a-z](?:e|e?[sd])t)\b|[+-](?:0\d|1[0-4])(?::?\d\d)?(?![\d-])"
_TIME = (
    r"(?:(?<=\d)t(?=\d\d)|(?:^|[ ,]+(?:at )?)(?=\d\d?:\d\d(?!\d)))"
    r"(?:[01]?\d|2[0-4])(?::?[0-5]\d(?::?[0-6]\d(?:[.,]\d+)?)?)?"
    rf"(?!\d)(?: ?(?:{_ZONE}))*|(?<=\d{{4}}) utc$"
)
_NUMBER = re.compile(r"([+-]?)(\d{1,4})(?:(?<=\d{4})\.|\.0+)?$")
_ISO = re.compile(r"([+-]?)(\d{4})-(\d{2})(?:-(\d{2}))?$")
_MONTH_DIGIT = re.compile(r"(\d{4})-(\d)$")
_SEASON_CODE = re.compile(r"(\d{2}(\d{2}))-(2[1-4])$")
_UNPADDED = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})$")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:(?:[01]\d|2[0-3])[0-5]\d[0-5]\d)?$")
_QUARTER = re.compile(r"(\d{4})[ -]?q[1-4]$|q[1-4][ -]?(\d{4})$")
_YEAR_FIRST = re.compile(r"(\d{4})[./](\d{1,2})[./](\d{1,2})\.?$")
_CHINESE = re.compile(r"(\d{4}) ?年(?: ?(\d{1,2}) ?月(?: ?(\d{1,2}) ?日)?)?$")
_ROMAN_YEAR = re.compile(r"(?!mix$)m{1,2}(?=..)(?:cm|cd|d?c{0,4})(?:xc|xl|l?x{0,4})(?:ix|iv|v?i{0,4})$")
_YEAR_LAST = re.compile(r"(?:(\d{1,2})[./-] ?)?(\d{1,2}) ?[./-] ?(\d{4})$")
_SHORT = re.compile(r"(\d{4}) ?[-/] ?(\d{1,2})$")
_RANGE = re.compile(
    r"(?:from|between|von|zwischen|entre|de|desde) (?P<a>.+?) (?:to|and|bis|und|y|et|à|a|hasta) "
    r"(?P<b>.+)$|(?P<c>.+?)[ -](?:to|bis|until|till)[ -](?P<d>.+)$"
)
_DECADE = re.compile(
    r"(?:the |die |años |década de |decade of |années )?"
    r"(\d{2,3})0(?:['’]?s|er(?: jahren?)?|-tal(?:et)?)$"
)
_DECADE_NAMED = re.compile(r"(?:los años|años|(?:la )?década de|les années|années) (\d{2,3})0$")
_OPEN_DIGITS = re.compile(r"(\d{3})[-xu]$|(\d{2})(?:--|xx|uu)$")
_CENTURY_WORD = r"(?:century|centuries|cent\.?|c\.?|jahrhunderts?|jhdt\.?|jhd\.?|jhs?\.?|siècle|eeuw|s\.|(?<=e )s)"
_CENTURY = re.compile(
    rf"(?:the )?(\d{{1,2}})(?:st|nd|rd|th|\.|e|er|ème|de)? ?{_CENTURY_WORD}$|"
    r"(?:(?:s|sec|saec)(?:\. ?| )|(?:siglo|secolo|saeculum|século) )([ivx]+)$|"
    r"([ivx]+)(?:(?:e|er|ème)? ?(?:siècle|secolo|sec\.?|s\.)|(?:e|er|ème) s)$"
)
_CENTURY_BEHIND = re.compile(rf" ?{_CENTURY_WORD}$")
_CENTURY_NUMBER = re.compile(r"\d{1,2}(st|nd|rd|th|\.|e|de)?")
_CENTURY_LEFT_OUT = re.compile(r"(?:\d{1,2}|[ivx]+)(?:e|ème)")  # `fin du XIXe`
_ITALIAN = {
    f"{name}cento": number
    for number, name in enumerate(("due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove"), 13)
}
_SWEDISH = re.compile(r"(\d{1,2})00-talet$")
_MONTH_NAME = re.compile(r"[^\W\d]+")
_NO_DAY = re.compile(  # a side or a digit left open, two years, what no date has
    r"^[-/.]|[-/]$|\s[-/.]\d|\d[-/]\s|(?<!\d)\d{3}[.?]|\?\d|\d{3} ?[-/] ?\d|[^\w\s.,/?-]"
)
_DASH = "\u2012-\u2015"
_CLEANED = (
    # A long dash may separate two dates and is never a sign; a minus or hyphen at the head may be.
    (rf"\b(\d{{3}})(\d) ?[{_DASH}] ?(?=\d(?![\w.?{_DASH}-]))", r"\1\2/\1"),
    (rf"(?<=\d{{4}}) ?[{_DASH}] ?(?=\d\d?\b(?!\.?\d|[-{_DASH}]))", "/"),
    (rf"(?<=[^\s\[({{<\"“])( ?)[{_DASH}]", r"\1-"),
    ("[\u2010\u2011\u2212]", "-"),
    (r"<([^<>]*)>", r"\1"),  # one alone is `before` or `after`
    (r"[\[\](){}\"“”]", ""),
    (_TIME, " "),
    (r"^[\s,;:]+|[\s,;:]+$", ""),
    (r"\s+", " "),
    (r"(\d{4}(?:-\d\d){0,2})[~%](?=/|$)", r"\1"),  # EDTF
    # Doubt and the point at the end go, where they cannot stand for digits.
    (r"(?<![\d.?])(\d\d)(?:\?\?|\.\.)(?![\d?.])", r"\1xx"),
    (r"(?<!\d)[?¿]+ ?(?=\d{4})", ""),
    (r"(\d{4}(?:[-/]\d\d?){0,2}|[^\W\d]\.?|\d--?) ?(?:\?+\.?$|\?+(?!\d)|\.$)", r"\1"),
)
# A number that the era shows to be a year, no day, month or decade of our days.
_LONE_YEAR = re.compile(r"(?<!\d)\d{1,2}(?= ?[-/] ?\d{4}$|/\d\d?$)|(?<!\d)\d0(?=['’]?s\b|er\b)")


def parse_date(text: str) -> Date | None:
    """Return the years of a date, or None if it cannot be read or does not exist.

    Understood are ISO dates and intervals (`2009-8-5` and `20130920015034`, too), quarters (`2000 Q1`), numbers with
    sign (`-0049.0`), dates with month names in
    English, German, Dutch, Spanish, French, Italian and Swedish, numeric dates, Chinese and Japanese ones
    (`1840年5月`), Roman numerals of three letters or more (`MDCCCXL`), all with a time of day or
    without, ranges, decades, centuries, all of these with an era (`BC`, `v. Chr.`, `a. C.`), in brackets,
    doubted (`?`) or about (`ca.`), and parts of decades and centuries. Dates without a first or last year
    (`before 1810`) are None.
    """
    if len(text) > 200 or _BORN.match(text):
        return None
    span = _span(_plain(text))
    if span is None or not -9999 <= span[0] <= span[1] <= LAST_YEAR:
        return None
    return Date(*span, text.strip())


def _plain(text: str) -> str:
    text = text.strip().lower()
    for pattern, instead in _CLEANED:
        text = re.sub(pattern, instead, text)
    return text


def _span(text: str) -> Span | None:
    for pattern, before in ((_BEFORE, True), (_AFTER, False)):
        for match in pattern.finditer(text):
            head, tail = text[: match.start()].strip(" ,"), text[match.end() :].strip(" ,")
            if not _NUMERAL.search(head + " " + tail):
                continue
            if joint := _JOINT.match(tail):  # an era on each side of a range
                first, last = _span(text[: match.end()]), _span(tail[joint.end() :])
                return (first[0], last[1]) if first and last else None
            rest = _LONE_YEAR.sub(lambda year: year[0].zfill(4), f"{head} {tail}".strip())
            if rest.endswith("-"):
                return None
            return _before_our_era(rest) if before else _of_our_era(rest)
    return _any(text)


def _of_our_era(text: str) -> Span | None:
    span = _any(text)
    return span if span and span[0] >= 0 else None


def _any(text: str) -> Span | None:
    text = _bare(text)
    return _single(text) or _range(text)


def _bare(text: str) -> str:
    bare = text
    while (short := _SEASON.sub("", _WEEKDAY.sub("", _ABOUT.sub("", bare)))) != bare:
        bare = short
    # `ca. 1810-12` and `Winter 1810-11` are years: no month has such words.
    if bare == text:
        return text
    return re.sub(r"^(\d{2})(\d{2})-(?=\d\d$)", r"\1\2/\1", re.sub(r"^(\d{4})-(?=\d$)", r"\1/", bare))


def _single(text: str) -> Span | None:
    return _in_part(text, _whole)


def _in_part(text: str, read: Callable[[str], Span | None]) -> Span | None:
    """Return what `read` makes of a date, or of what a date names a part of."""
    if (span := read(text)) is not None or (found := parted(text)) is None:
        return span
    part, rest = found
    if _SHORT.match(rest):
        return None  # late 1810-12: years or a month?
    whole = read(f"{rest} siècle" if _CENTURY_LEFT_OUT.fullmatch(rest) else _bare(rest))
    return part_of(whole, part) if whole else None


def _whole(text: str) -> Span | None:
    return next(filter(None, (form(text) for form in _FORMS)), None)


def _before_our_era(text: str) -> Span | None:
    """Return the span of a date whose era is stripped: it runs down to 1, centuries from n00."""
    text = _bare(text)
    for cut in re.finditer(r"(?<=[\w.]) ?(?:-|/| to | bis | and | und ) ?", text):
        left, right = text[: cut.start()], text[cut.end() :]
        if "/" in cut[0] and left.isdecimal() and right.isdecimal():  # 403/2: 403 to 402
            full = left[: -len(right)] + right
            right = full if int(full) <= int(left) else right
        first, last = _mirrored(left), _mirrored(right)
        if first and last and first[0] <= last[1]:
            return first[0], last[1]
    return _mirrored(text)


def _mirrored(text: str) -> Span | None:
    return _in_part(text, _whole_before)


def _whole_before(text: str) -> Span | None:
    span = _whole(re.sub(r"(?<= )\d{1,2}$", lambda match: match[0].zfill(4), text))
    if span is None or span[0] < 0 or span == (0, 0):
        return None
    if _CENTURY.match(text) or _SWEDISH.match(text):
        century = span[1] // 100 + 1
        return -100 * century, -100 * (century - 1) - 1
    return -span[1], -span[0]


def _number(text: str) -> Span | None:
    if _ROMAN_YEAR.match(text):
        year = _roman(text)
        return year, year
    match = _NUMBER.match(text)
    if not match:
        return None
    year = int(match[2]) * (-1 if match[1] == "-" else 1)
    return year, year


def _iso(text: str) -> Span | None:
    if (match := _SEASON_CODE.match(text)) and match[2] >= match[3]:
        return int(match[1]), int(match[1])
    if match := _ISO.match(text):
        sign = -1 if match[1] == "-" else 1
        return _day(int(match[2]), int(match[3]), int(match[4] or 1), sign)
    if (match := _MONTH_DIGIT.match(text)) and match[2] != "0":
        return int(match[1]), int(match[1])
    if match := _QUARTER.match(text):
        year = int(match[1] or match[2])
        return year, year
    match = _COMPACT.match(text) or _UNPADDED.match(text) or _YEAR_FIRST.match(text) or _CHINESE.match(text)
    return _day(int(match[1]), int(match[2] or 1), int(match[3] or 1)) if match else None


def _day(year: int, month: int, day: int, sign: int = 1) -> Span | None:
    try:
        # Every fourth year had a 29 February until the reform, which came when it came.
        datetime.date(2001 if year % 4 else 2000, month, day)
    except ValueError:
        return None
    return sign * year, sign * year


def _year_last(text: str) -> Span | None:
    match = _YEAR_LAST.match(text)
    if not match:
        return None
    first, second, year = int(match[1] or 1), int(match[2]), int(match[3])
    return _day(year, second, first) or (_day(year, first, second) if match[1] else None)


def _month_name(text: str) -> Span | None:
    if _NO_DAY.search(text):
        return None
    month = 0
    rest = re.sub(r"(?<=\d)(st|nd|rd|th|er|º|ª)\b", "", text)
    for name in _MONTH_NAME.findall(rest):
        if name in ("of", "de", "del", "den", "the"):
            continue
        if month or name not in MONTH:
            return None
        month = MONTH[name]
    if not month:
        return None
    numbers = re.findall(r"\d+", rest)
    if len(numbers) == 1:
        return _day(int(numbers[0]), month, 1) if len(numbers[0]) in (3, 4) else None
    if len(numbers) != 2:
        return None
    day, year = sorted(numbers, key=len)
    return _day(int(year), month, int(day)) if len(day) <= 2 and len(year) in (3, 4) else None


def _range(text: str) -> Span | None:
    if re.fullmatch(r"[+-]?\d+-\d+-\d+", text):
        return None  # a day that does not exist
    if match := _SHORT.match(text):
        return _shortened(match[1], match[2], month="-" in text)
    if match := _RANGE.match(text):
        return _between(match["a"] or match["c"], match["b"] or match["d"])
    if re.fullmatch(r"\d\d? ?/ ?\d{1,3}|.*/ ?\d\d?", text):
        return None  # a month and what?
    parts = text.split("/")
    if len(parts) == 2:
        return _between(*parts)
    for cut in re.finditer(r"(?<=[\w.]) ?- ?", text):
        # The dash that parts two dates, not one within either: try each.
        if cut[0] == " -" and text.startswith("-"):
            return None  # -49 -44: a dash or a sign?
        if span := _between(text[: cut.start()], text[cut.end() :]):
            return span
    return None


def _shortened(first: str, digits: str, *, month: bool) -> Span | None:
    """Return the years of `1842/43`; None if the digits may be a `month` or season, or, as in `1842/5`, either."""
    last = int(first[: 4 - len(digits)] + digits)
    if last < int(first) or (month and digits in ("0", "00", "21", "22", "23", "24")):
        return None
    if len(digits) == 1 and last != int(first) + 1:
        return None
    return int(first), last


def _between(first: str, last: str) -> Span | None:
    first, last = _bare(first.strip()), _bare(last.strip())
    part, rest = parted(first) or (None, first)
    if part and not rest and (whole := parted(last)):  # early to mid 19th century
        first = f"{first} {whole[1]}"
    elif (century := _CENTURY_BEHIND.search(last)) and _CENTURY_NUMBER.fullmatch(rest):
        first += century[0]
    if re.match("[1-4](?!\\d)", first) and last[:1].isdigit() and parted(last):
        return None  # 1.-3. Viertel 19. Jh.: no century, and no part alone
    if re.fullmatch(r"\d\d?\.?", first) and not re.fullmatch(r"\d{1,3}", last):
        return None  # a day or month before a date
    a, b = _single(first), _single(last)
    return (a[0], b[1]) if a and b and a[0] <= b[1] else None


def _decade(text: str) -> Span | None:
    match = _DECADE.match(text) or _DECADE_NAMED.match(text)
    if match:
        first = int(match[1]) * 10
        return first, first + (99 if first % 100 == 0 and first else 9)
    if match := _OPEN_DIGITS.match(text):
        first, years = (int(match[1]) * 10, 10) if match[1] else (int(match[2]) * 100, 100)
        return first, first + years - 1
    return None


def _century(text: str) -> Span | None:
    if match := _SWEDISH.match(text):
        number = int(match[1]) + 1
    elif text in _ITALIAN:
        number = _ITALIAN[text]
    elif match := _CENTURY.match(text):
        number = int(match[1]) if match[1] else _roman(match[2] or match[3])
    else:
        return None
    if not 1 <= number <= 21:
        return None
    return max(1, 100 * (number - 1)), 100 * number - 1


def _roman(text: str) -> int:
    values = [_ROMAN[c] for c in text]
    return sum(-v if v < w else v for v, w in zip(values, [*values[1:], 0], strict=True))


_FORMS: tuple[Callable[[str], Span | None], ...] = (_number, _iso, _year_last, _month_name, _century, _decade)


# Digits of seconds, and of thousandths and so on, from 1973 to 2286.
_DIGITS = {range(9, 11): 1, range(12, 14): 1000, range(15, 17): 10**6, range(18, 20): 10**9}
_ANY_NUMBER = re.compile(r"([+-]?\d+)(?:[.,]\d*)?")
_SHORTENED = re.compile(r"[+-]?\d(?:[.,]\d+)?[Ee]\+?\d{1,2}")  # as Excel shows long numbers: 1.247457E+12
_SERIAL = re.compile(r"\d{1,5}")
_FIRST_DAY = datetime.date(1899, 12, 30)  # of the serial number 0, with the 29 February 1900 that Excel believes in
_SHORT_FORM = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{1,2})(?:[ T].*)?")
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
    match = _ANY_NUMBER.fullmatch(number)
    if match is None:
        return None
    digits = len(match[1].lstrip("+-"))
    parts = next((parts for lengths, parts in _DIGITS.items() if digits in lengths), None)
    if parts is None:
        return None
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=int(match[1]) // parts)
    return _of_year(moment.year, text)


def _excel(text: str) -> Date | None:
    match = _ANY_NUMBER.fullmatch(text.strip())
    if match is None or not _SERIAL.fullmatch(match[1]):
        return None
    return _of_year((_FIRST_DAY + datetime.timedelta(days=int(match[1]))).year, text)


def _short(order: str) -> Callable[[str], Date | None]:
    def read(text: str) -> Date | None:
        match = _SHORT_FORM.fullmatch(text.strip())
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


_EARLIEST, _LATEST = 1940, 2100  # of dates that are not long past


def readings(text: str) -> Iterator[tuple[str, Date]]:
    """Yield the forms that can read a text as a date that is not long past, each with that date.

    >>> list(readings("16-05-31"))
    [('ymd', Date(year=2016, year_to=2016, text='16-05-31')), ('dmy', Date(year=2031, year_to=2031, text='16-05-31'))]
    """
    for name, form in DATE_FORMS.items():
        date = form.read(text)
        if date is not None and _EARLIEST <= date.year <= _LATEST:
            yield name, date
