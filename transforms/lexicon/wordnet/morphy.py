"""Base forms of words: Princeton's Morphy, as morphy(7WN) describes it, for whole arrays.

A form is tried in lower case, with `_` for spaces. In this order:

1. The form itself, if WordNet has it.
2. The base forms in the list of exceptions. A form on the list is not tried further.
3. The rules of detachment below: the first that leads to a word of WordNet. Adverbs have none;
   nouns that end in -ss or have at most two letters are left alone, and in nouns in -ful the part
   before it is detached.
4. For collocations (parts separated by `_` or `-`): every part replaced by its base form; for verbs
   with a preposition (`asked for`) only the verb, and if there are more words, also the last as
   a noun.

All are base forms only if WordNet has them in that part of speech. nltk's `morphy` also has a rule
from -ves to -f, takes the results of all rules instead of the first, and the last of two lines of
the list for one form; it does without lower case, collocations, -ful, and the exceptions for -ss and
short nouns.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.lexicon.compiled.word_keys import find_all
from lexbeam.transforms.lexicon.wordnet.ragged import runs

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

# Endings and their replacements, by part of speech.
DETACHMENT: dict[str, tuple[tuple[str, str], ...]] = {
    "n": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}

_PREPOSITIONS = (
    "to",
    "at",
    "of",
    "on",
    "off",
    "in",
    "out",
    "up",
    "down",
    "from",
    "with",
    "into",
    "for",
    "about",
    "between",
)
_WITH_PREPOSITION = rf"_({'|'.join(_PREPOSITIONS)})(_|$)"
_PARTED = "[-_]"
_BORDER = "\0"

# The place of each base form's form in the array of forms, and the base forms.
_Bases = tuple[Ints, pa.Array]


class Exceptions(NamedTuple):
    """A list of exceptions, in the order of the forms' keys."""

    keys: npt.NDArray[np.uint64]
    forms: pa.Array
    bases: pa.Array


class MorphyPart(NamedTuple):
    """What base forms of a part of speech depend on.

    Attributes:
        letter: the part of speech.
        has: which of several words WordNet has in this part of speech.
        exceptions: its list of exceptions.
        rules: those of `DETACHMENT`, or none for languages that have others.
        noun: the nouns of the same language, for verbs.
    """

    letter: str
    has: Callable[[pa.Array], Bools]
    exceptions: Exceptions
    rules: tuple[tuple[str, str], ...]
    noun: "MorphyPart | None" = None


def bases(part: MorphyPart, forms: pa.Array, *, only_first: bool = False) -> _Bases:
    """Return the base forms of forms.

    Args:
        forms: `normalised`, without nulls.
        only_first: whether only the first base form is wanted.

    Returns the places of forms, ascending, and a base form for each; those of one form are in order.
    """
    steps = list(_steps(part, forms, only_first))
    places = np.concatenate([at for at, _ in steps])
    texts = pa.concat_arrays([text.cast(pa.large_string()) for _, text in steps])
    order = np.argsort(places, kind="stable")
    if only_first:
        order = order[np.unique(places[order], return_index=True)[1]]
    return places[order], texts.take(pa.array(order))


def _steps(part: MorphyPart, forms: pa.Array, only_first: bool) -> Iterator[_Bases]:
    listed = part.has(forms)
    places = np.flatnonzero(listed)
    yield places, forms.take(pa.array(places))
    left = np.flatnonzero(~listed) if only_first else np.arange(len(forms))
    tried = forms.take(pa.array(left))

    starts, ends = find_all(part.exceptions.keys, part.exceptions.forms, tried)
    rows = runs(starts, ends)
    texts = part.exceptions.bases.take(pa.array(rows.values))
    owners = rows.owners()
    real = part.has(texts) & _differ(texts, tried.take(pa.array(owners)))
    yield left[owners[real]], texts.filter(pa.array(real))

    regular = starts < 0
    left, tried = left[regular], tried.filter(pa.array(regular))
    detached = _detached(part, tried)
    hit = np.flatnonzero(detached.is_valid().to_numpy(zero_copy_only=False))
    texts = detached.take(pa.array(hit))
    real = part.has(texts)
    yield left[hit[real]], texts.filter(pa.array(real))

    several = _true(pc.match_substring_regex(tried, _PARTED))
    several &= ~_true(pc.match_substring(tried, _BORDER))
    several[hit[real]] = False
    left, tried = left[several], tried.filter(pa.array(several))
    for places, texts in _collocations(part, tried):
        real = part.has(texts) & _differ(texts, tried.take(pa.array(places)))
        hit = np.flatnonzero(real)
        hit = hit[np.unique(places[hit], return_index=True)[1]]
        yield left[places[hit]], texts.take(pa.array(hit))


def _true(mask: pa.Array) -> Bools:
    return np.array(mask.fill_null(False).to_numpy(zero_copy_only=False), bool)


def _large(text: str) -> pa.Scalar:
    return pa.scalar(text, pa.large_string())


def _joined_to(texts: pa.Array, ends: pa.Array | str) -> pa.Array:
    ends = _large(ends) if isinstance(ends, str) else ends
    return pc.binary_join_element_wise(texts, ends, _large(""))


def _differ(texts: pa.Array, others: pa.Array) -> Bools:
    large = pa.large_string()
    return _true(pc.not_equal(texts.cast(large), others.cast(large)))


def _detached(part: MorphyPart, words: pa.Array) -> pa.Array:
    """Return the result of the first rule that leads to a word of WordNet, or null."""
    words = words.cast(pa.large_string())
    stems, allowed = words, np.ones(len(words), bool)
    if part.letter == "n":
        full = pc.and_(pc.ends_with(words, "ful"), pc.greater(pc.utf8_length(words), 3))
        stems = pc.if_else(full, pc.utf8_slice_codeunits(words, 0, -3), words)
        short = pc.or_(pc.ends_with(words, "ss"), pc.less_equal(pc.utf8_length(words), 2))
        allowed = _true(pc.or_(full, pc.invert(short)))
    lengths = pc.utf8_length(stems).to_numpy(zero_copy_only=False)
    places = [np.empty(0, np.int64)]
    tried = [pa.array([], pa.large_string())]
    for ending, instead in part.rules:
        ending_so = np.flatnonzero(allowed & _true(pc.ends_with(stems, ending)) & (lengths > len(ending)))
        cut = pc.utf8_slice_codeunits(stems.take(pa.array(ending_so)), 0, -len(ending))
        places.append(ending_so)
        tried.append(_joined_to(cut, instead))
    at, made = np.concatenate(places), pa.concat_arrays(tried)
    # Looked up at once, since one look-up of many is faster than many; the first rule counts.
    real = np.flatnonzero(part.has(made))[::-1]
    chosen = np.full(len(words), -1, np.int64)
    chosen[at[real]] = real
    made = made.take(pa.array(chosen, mask=chosen < 0))
    if part.letter == "n":
        made = pc.if_else(full, _joined_to(made, "ful"), made)
    return made


def _morphed(part: MorphyPart, words: pa.Array) -> pa.Array:
    """Return the first base form of words by exceptions or rules, else the words themselves.

    Unlike `bases`, it also changes words that WordNet has, and does not check whether WordNet has
    what the list of exceptions says: the whole is looked up, not its parts.
    """
    starts, _ = find_all(part.exceptions.keys, part.exceptions.forms, words)
    listed = part.exceptions.bases.take(pa.array(starts, mask=starts < 0))
    listed = listed.cast(pa.large_string())
    regular = pc.if_else(pc.is_valid(listed), listed, _detached(part, words))
    return pc.coalesce(regular, words.cast(pa.large_string()))


def _collocations(part: MorphyPart, forms: pa.Array) -> Iterator[_Bases]:
    """Yield candidates for forms of several parts, each form's in order."""
    verbal = np.zeros(len(forms), bool)
    if part.letter == "v":
        verbal = _true(pc.match_substring_regex(forms, _WITH_PREPOSITION))
    places = np.flatnonzero(~verbal)
    if len(places):
        yield places, _joined(part, forms.take(pa.array(places)))
    places = np.flatnonzero(verbal)
    if part.noun and len(places):
        yield from _verbs_with_prepositions(part, part.noun, places, forms.take(pa.array(places)))


def _joined(part: MorphyPart, forms: pa.Array) -> pa.Array:
    """Return forms with each of their parts replaced by its base form."""
    marked = pc.replace_substring_regex(forms, f"({_PARTED})", rf"\1{_BORDER}")
    pieces = pc.split_pattern(marked.cast(pa.large_string()), _BORDER)
    flat = pieces.flatten()
    words = pc.utf8_rtrim(flat, "-_")
    borders = pc.utf8_slice_codeunits(flat, -1)
    borders = pc.if_else(pc.match_substring_regex(borders, _PARTED), borders, _large(""))
    distinct = words.dictionary_encode()
    made = _morphed(part, distinct.dictionary).take(distinct.indices)
    made = _joined_to(made, borders)
    lengths = pc.list_value_length(pieces).to_numpy(zero_copy_only=False)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    lists = pa.LargeListArray.from_arrays(pa.array(offsets), made)
    return pc.binary_join(lists, _large(""))


def _verbs_with_prepositions(part: MorphyPart, noun: MorphyPart, places: Ints, forms: pa.Array) -> Iterator[_Bases]:
    """Yield forms with the verb's possible base forms, the first of which that WordNet has counts."""
    texts = forms.to_pylist()
    verbs = pa.array([text.partition("_")[0] for text in texts], pa.large_string())
    rests = [text[text.index("_") :] for text in texts]
    lasts = _morphed(noun, pa.array([text.rpartition("_")[2] for text in texts])).to_pylist()
    starts, _ = find_all(part.exceptions.keys, part.exceptions.forms, verbs)
    listed = part.exceptions.bases.take(pa.array(starts, mask=starts < 0)).to_pylist()
    at, made = [], []
    for place, verb, rest, last, other in zip(places.tolist(), verbs.to_pylist(), rests, lasts, listed, strict=True):
        tried = [other] if other and other != verb else []
        tried += [
            verb.removesuffix(ending) + instead
            for ending, instead in part.rules
            if verb.endswith(ending) and len(verb) > len(ending)
        ]
        head = rest.rpartition("_")[0] + "_"
        ends = [rest, head + last] if head != "_" else [rest]
        candidates = [base + end for base in tried for end in ends] if verb.isalnum() else []
        at += [place] * len(candidates)
        made += candidates
    yield np.array(at, np.int64), pa.array(made, pa.large_string())
