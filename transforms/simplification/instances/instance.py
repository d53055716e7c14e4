"""Instances: their ids, and their sentence and place as they are stored.

The id is a hash of content. It begins with the hash of the sentence and continues with that of the
target, so that the targets of a sentence stand together in the table, and a pair of sentence and
target can be found by the first 20 digits.

>>> instance_id("A cat sat.", "cat", 2)[:20] == pair_key("A  cat sat. ", "cat")
True
"""

from collections.abc import Iterator

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.formats.records.text_cleaning import clean_field
from lexbeam.transforms.simplification.instances.layouts import BenchmarkInstance, in_flag_order

LONGEST_TARGET = 1000  # code points: no word and no phrase is longer
OCCURRENCES = ("first", "all", "reject")
_SENTENCE, _TARGET, _REST = 12, 8, 12
PAIR_DIGITS = _SENTENCE + _TARGET


def pair_key(sentence: str, target: str) -> str:
    """Return the first 20 digits of the ids of a target in a sentence; runs of space count as one.

    Args:
        sentence: the sentence.
        target: the target as it stands there.
    """
    first = digest(["sentence", clean_field(sentence)])[:_SENTENCE]
    return first + digest(["target", clean_field(target)])[:_TARGET]


def instance_id(sentence: str, target: str, start: int) -> str:
    """Return the id of an instance, 32 hexadecimal digits.

    Args:
        sentence: in NFC, stripped.
        target: as it stands there.
        start: where it starts, in code points.
    """
    return pair_key(sentence, target) + digest([sentence, target, start])[:_REST]


def placed(row: BenchmarkInstance, occurrences: str) -> Iterator[tuple[str, str, int, int, tuple[str, ...]]]:
    """Yield the instances of a row: sentence, target as it stands, start, end, flags.

    Args:
        row: its sentence and target cleaned; the sentence may have white space around it.
        occurrences: which of several places count: `first`, `all`, or none of them (`reject`).

    Raises:
        BadRecord: `not_in_sentence`, `several`, `too_large`.
    """
    shown = repr(row.target[:60])
    if len(row.target) > LONGEST_TARGET:
        raise BadRecord("too_large", f"a target of {len(row.target)} characters")
    if not row.places:
        raise BadRecord("not_in_sentence", f"{shown} does not stand in the sentence")
    if len(row.places) > 1 and occurrences == "reject":
        raise BadRecord("several", f"{shown} stands there {len(row.places)} times")
    sentence = row.sentence.strip()
    before = len(row.sentence) - len(row.sentence.lstrip())
    for start, end in row.places if occurrences == "all" else row.places[:1]:
        begin, after = start - before, end - before
        yield sentence, sentence[begin:after], begin, after, in_flag_order(row.flags)
