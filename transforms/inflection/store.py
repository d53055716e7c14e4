"""A form dictionary as arrays: words in the order of their bytes, rows by lemma and by form.

>>> from collections import Counter
>>> from lexbeam.transforms.inflection.dictionaries import FormEntry
>>> arrays = forms_as_arrays(Counter([FormEntry("voz", "NOUN Number=Plur", "voces")]))
>>> FormTable(arrays).of_form("voces")
[FormRow(lemma='voz', inflection='NOUN Number=Plur', form='voces', times=1)]
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lexbeam.transforms.common.code.fingerprints import canonical_json
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.inflection.dictionaries import FormEntry
from lexbeam.transforms.inflection.rules import Edit, Rule
from lexbeam.transforms.learning.models.formats import pack_texts, unpack_texts
from lexbeam.transforms.learning.models.model import Refused

Array = npt.NDArray[Any]
Arrays = Mapping[str, Array]
Rules = Mapping[str, Mapping[str, Sequence[Rule]]]


class FormRow(NamedTuple):
    """A form of a lemma, and how often it occurs in the dictionaries."""

    lemma: str
    inflection: str
    form: str
    times: int


class _Words:
    """Words sorted by their UTF-8 bytes, found by binary search, without a Python object for each."""

    def __init__(self, offsets: npt.NDArray[np.int64], text: npt.NDArray[np.uint8]) -> None:
        self._offsets = offsets
        self._text = text.tobytes()

    def __getitem__(self, place: int) -> str:
        return self._bytes(place).decode()

    def _bytes(self, place: int) -> bytes:
        return self._text[self._offsets[place] : self._offsets[place + 1]]

    def find(self, word: str) -> int | None:
        wanted = word.encode()
        low, high = 0, len(self._offsets) - 1
        while low < high:
            middle = (low + high) // 2
            if self._bytes(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self._offsets) - 1 and self._bytes(low) == wanted else None


def forms_as_arrays(entries: Mapping[FormEntry, int]) -> dict[str, Array]:
    """Return a dictionary as arrays by name, the same whatever the order of its entries."""
    words = sorted({word for entry in entries for word in (entry.lemma, entry.form)}, key=str.encode)
    names = sorted({entry.inflection for entry in entries})
    word_ids = {word: number for number, word in enumerate(words)}
    name_ids = {name: number for number, name in enumerate(names)}
    rows = np.array(
        sorted(
            (word_ids[entry.lemma], name_ids[entry.inflection], word_ids[entry.form], count)
            for entry, count in entries.items()
        ),
        np.int64,
    ).reshape(-1, 4)
    encoded = [word.encode() for word in words]
    offsets = np.concatenate([[0], np.cumsum([len(word) for word in encoded], dtype=np.int64)])
    return {
        "words.offsets": offsets.astype(np.int64),
        "words.text": np.frombuffer(b"".join(encoded), np.uint8),
        "inflections": pack_texts(names),
        "rows.lemma": rows[:, 0].astype(np.int32),
        "rows.inflection": rows[:, 1].astype(np.int32),
        "rows.form": rows[:, 2].astype(np.int32),
        "rows.count": np.minimum(rows[:, 3], np.iinfo(np.int32).max).astype(np.int32),
    }


class FormTable:
    """A dictionary that returns the rows of a lemma or of a form.

    Raises:
        LexbeamError: the arrays are not those of a dictionary.
    """

    def __init__(self, arrays: Arrays) -> None:
        try:
            self._names = unpack_texts(arrays["inflections"])
            self._words = _Words(arrays["words.offsets"], arrays["words.text"])
            self._rows = [arrays[f"rows.{name}"] for name in ("lemma", "inflection", "form", "count")]
            _check(self._rows, arrays, len(self._names))
        except (KeyError, Refused, ValueError) as error:
            raise LexbeamError("the arrays are not of a form dictionary: train the inflector anew") from error
        self._by_form = np.argsort(self._rows[2], kind="stable")
        self._forms = self._rows[2][self._by_form]

    def __len__(self) -> int:
        return len(self._forms)

    def of_lemma(self, lemma: str) -> list[FormRow]:
        """Return the forms of a lemma, in the order of inflections and forms."""
        number = self._words.find(lemma)
        if number is None:
            return []
        low, high = _run(self._rows[0], number)
        return self._taken(np.arange(low, high))

    def of_form(self, form: str) -> list[FormRow]:
        """Return what a form may be, in the order of lemmas and inflections."""
        number = self._words.find(form)
        if number is None:
            return []
        low, high = _run(self._forms, number)
        return self._taken(self._by_form[low:high])

    def _taken(self, places: npt.NDArray[np.int64]) -> list[FormRow]:
        columns = [column[places].tolist() for column in self._rows]
        words = {number: self._words[number] for number in {*columns[0], *columns[2]}}
        return [
            FormRow(words[lemma], self._names[name], words[form], count)
            for lemma, name, form, count in zip(*columns, strict=True)
        ]


def _run(column: Array, number: int) -> tuple[int, int]:
    """Return where a number begins and ends in a sorted column."""
    # With a number of another type the whole column would be converted.
    low, high = np.searchsorted(column, np.array([number, number + 1], column.dtype))
    return int(low), int(high)


def _check(rows: Sequence[Array], arrays: Arrays, names: int) -> None:
    offsets, words = arrays["words.offsets"], len(arrays["words.offsets"]) - 1
    lemma, name, form, count = rows
    sound = (
        len({len(column) for column in rows}) == 1
        and all(column.ndim == 1 and column.dtype.kind == "i" for column in (*rows, offsets))
        and words >= 0
        and offsets[0] == 0
        and offsets[-1] == len(arrays["words.text"])
        and (np.diff(offsets) >= 0).all()
        and (np.diff(lemma) >= 0).all()
        and all(((ids >= 0) & (ids < n)).all() for ids, n in ((lemma, words), (form, words)))
        and ((name >= 0) & (name < names)).all()
        and (count >= 0).all()
    )
    if not sound:
        raise ValueError("rows")
    bytes(arrays["words.text"]).decode()


def pack_plain(value: object) -> npt.NDArray[np.uint8]:
    """Return plain values as an array of bytes: canonical JSON."""
    return np.frombuffer(canonical_json(value), np.uint8)


def unpack_plain(array: Array) -> Any:
    """Return the values that `pack_plain` packed.

    Raises:
        LexbeamError: the array holds something else.
    """
    try:
        return json.loads(np.asarray(array, np.uint8).tobytes())
    except (ValueError, RecursionError) as error:
        raise LexbeamError("an array does not hold rules: train the inflector anew") from error


def rules_plain(rules: Rules) -> dict[str, dict[str, list[list[object]]]]:
    """Return rules as plain values, for JSON."""
    return {
        name: {
            suffix: [[list(rule.edit), rule.times, rule.total] for rule in suffix_rules]
            for suffix, suffix_rules in by_suffix.items()
        }
        for name, by_suffix in rules.items()
    }


def rules_of(plain: Any) -> dict[str, dict[str, tuple[Rule, ...]]]:
    """Return the rules of `rules_plain`.

    Raises:
        LexbeamError: the values are something else.
    """
    try:
        return {
            str(name): {
                str(suffix): tuple(
                    Rule(Edit(*map(str, edit)), int(count), int(total)) for edit, count, total in suffix_rules
                )
                for suffix, suffix_rules in by_suffix.items()
            }
            for name, by_suffix in plain.items()
        }
    except (AttributeError, TypeError, ValueError) as error:
        raise LexbeamError("a model's rules are none: train the inflector anew") from error
