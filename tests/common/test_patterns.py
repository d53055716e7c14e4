"""No pattern takes time that grows with the square of what a person wrote."""

import pytest
from nets import ends
from pattern_scan import Found, Hostile, found_patterns, hostile, made_in_functions, seconds

# At eight times the length a linear pattern takes eight times as long, a quadratic one 64 times.
LENGTH, TIMES, MOST = 512, 8, 24
LEAST = 1e-3  # seconds at the greater length, below which the clock decides
WITHIN = {
    "transforms/formats/readers/tei_text.py _WORD_BEHIND": "looks at 400 bytes before a break",
    "transforms/formats/readers/tei_text.py _VALUES": "marks.xsl puts four values behind each mark",
    "transforms/formats/spans/markup.py _MARKUP": "the reader has parsed the document before: its markup is whole",
}
MADE = {
    "lexbeam/_given.py told": "paths as they are, in a message",
    "transforms/annotation/engines/normalise.py _pattern": "texts that are replaced, side by side",
    "transforms/common/texts/characters.py _pattern": "two classes of marks, one behind the other",
    "transforms/common/options/yaml_files.py explained_yaml": "what a parser says, a line",
    "transforms/common/patterns.py compiled": "what RE2 says, a line",
    "transforms/formats/readers/delimited.py __init__": "a delimiter and the character behind it",
    "transforms/formats/readers/delimited.py _open_cell": "a delimiter and a quote, and cells as they are written",
    "transforms/formats/records/date_parsing.py _plain": "dates of at most 200 characters",
    "transforms/formats/records/scripts.py _stretches": "a class of characters, over and over",
    "transforms/formats/spans/origin.py code_blocks": "the name of a tag as it is, each looked for once",
    "transforms/inflection/paradigms.py edit_of": "the beginning and the middle of a word as they are",
    "transforms/learning/models/lightgbm_text.py _check_tree": "numbers, tried at one place",
    "transforms/learning/models/lightgbm_text.py _number": "numbers, tried at one place",
    "transforms/lexicon/compiled/resource_kind.py number": "numbers, tried at one place",
    "transforms/lexicon/encoders/running_encoders.py __init__": "texts side by side",
    "transforms/people/answers.py _located": "a quote as it is, word by word",
}


def grows(found: Found, hostile: Hostile) -> float:
    """How many times as long a pattern takes with a text of eight times the length; 0: too little to say."""
    short, long = (hostile.text(length, found.pattern.pattern) for length in (LENGTH, LENGTH * TIMES))
    if seconds(found, short, 1) * TIMES * TIMES < LEAST or seconds(found, long, 1) < LEAST:
        return 0
    return min(seconds(found, long) / max(seconds(found, short), 1e-6) for _ in range(2))


def slowest(found: Found) -> Hostile | None:
    """The first text with which a pattern's time grows with the square."""
    return next((text for text in hostile(found.pattern) if grows(found, text) > MOST), None)


@pytest.mark.soak
def test_no_pattern_takes_time_that_grows_with_the_square():
    patterns = found_patterns()
    assert len(patterns) > 200
    with ends(1000):
        found = {each.where: text for each in patterns if (text := slowest(each)) is not None}
    assert {where: text for where, text in found.items() if where not in WITHIN} == {}
    assert found.keys() >= WITHIN.keys(), "no longer slow: take it out of the list"


def test_each_pattern_that_a_function_makes_is_known_to_be_harmless():
    assert sorted(MADE) == sorted(made_in_functions())
