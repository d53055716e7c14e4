"""Parts of a century or decade: `late 19th century`, `2. Hälfte 19. Jh.`, `début des années 1840`.

A part is one of so many equal ones. Early, mid and late (the beginning, middle and end) are thirds. Of a hundred
years these have 33, 34 and 33, of ten 3, 4 and 3:

    >>> parted("late 19th century"), parted("19. jh., 2. hälfte")
    ((DatePart(number=3, of=3), '19th century'), (DatePart(number=2, of=2), '19. jh.'))
    >>> part_of((1800, 1899), DatePart(3, 3)), part_of((-100, -1), DatePart(1, 4))
    ((1867, 1899), (-100, -76))

Words are those of English, German, French, Spanish, Italian, Portuguese, Dutch and Swedish.
"""

import re
from typing import NamedTuple


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
_LAST = (
    "last latter final letzte letzten letztes dernier dernière último última ultimo ultima ultima laatste sista senare"
)
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
_BEFORE = (
    r"(?:(?:the|in|at|by|during|towards?|der|die|das|dem|den|im|zu|zum|vom|am|gegen|à|au|aux|la|le|les|dans|en|vers|a|el|"
    r"los|las|hacia|il|lo|gli|nel|nella|alla|agli|ai|verso|het|de|op|aan|i|på) |l['’])*"
)
_BETWEEN = (
    r"(?:(?:of|in|the|des|der|den|du|de|la|les|del|della|dello|degli|dei|los|van|het|av|do|da) |(?:dell|l|d)['’])*"
)
_AT_HEAD = re.compile(rf"{_BEFORE}{_PART}\.?(?:[ -] ?|(?=\d)|$){_BETWEEN}(?P<rest>.*)")
_AT_END = re.compile(rf"(?P<rest>.*[^\s,;:])[\s,;:]+{_BEFORE}{_PART}\.?")


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
