"""Which tokens are words to simplify, and which are left alone."""

import re

import pyarrow as pa
import pytest
from nets import steps

from lexbeam.transforms.simplification.generation.target_forms import read_words
from lexbeam.transforms.simplification.instances.content_words import (
    AnnotatedText,
    FixedPlaces,
    ProtectedTerms,
    content_words,
    is_word,
)


def annotated(text, tokens, language="en"):
    """Return a text of one sentence, of pairs of form and part of speech, each found in it after the one before."""
    starts, ends, end = [], [], 0
    for form, _ in tokens:
        start = text.index(form, end)
        end = start + len(form)
        starts.append(start)
        ends.append(end)
    sentence = {
        "sentence": 0,
        "forms": [form for form, _ in tokens],
        "lemmas": [form.lower() for form, _ in tokens],
        "upos": [tag for _, tag in tokens],
        "starts": starts,
        "ends": ends,
    }
    return AnnotatedText("a.txt", "", language, None, text, pa.Table.from_pylist([sentence]))


def targets(text, tokens, terms=(), language="en"):
    return content_words([annotated(text, tokens, language)], ProtectedTerms(terms))


@pytest.mark.parametrize(
    ("text", "tokens", "expected"),
    [
        ("Old seas ran fast.", "Old/ADJ seas/NOUN ran/VERB fast/ADV ./PUNCT", ["Old", "seas", "ran", "fast"]),
        ("He saw the Commission.", "He/PRON saw/VERB the/DET Commission/NOUN ./PUNCT", ["saw"]),
        ("SHIPS SAIL.", "SHIPS/NOUN SAIL/VERB ./PUNCT", ["SHIPS", "SAIL"]),
        ("a well-known man", "a/DET well/ADV -/PUNCT known/ADJ man/NOUN", ["man"]),
        ("a well-known man", "a/DET well-known/ADJ man/NOUN", ["well-known", "man"]),
        (f"old {1001 * 'a'} and {1000 * 'b'}", f"old/ADJ {1001 * 'a'}/NOUN {1000 * 'b'}/NOUN", ["old", 1000 * "b"]),
        ("10km of CO2 and e.g. dogs", "10/NUM km/NOUN CO2/NOUN e.g./ADV dogs/NOUN", ["dogs"]),
        ("the dog's tail", "the/DET dog/NOUN 's/PART tail/NOUN", ["dog", "tail"]),
        ("(ship)", "(/PUNCT ship/NOUN )/PUNCT", ["ship"]),
        ("- ship -", "-/PUNCT ship/NOUN -/PUNCT", ["ship"]),
    ],
)
def test_words_of_a_sentence(text, tokens, expected):
    found = targets(text, [tuple(token.rsplit("/", 1)) for token in tokens.split()])
    assert found.targets == expected
    line = found.lines[0]
    assert [line.text[line.starts[at] : line.ends[at]] for at in found.place.tolist()] == expected


@pytest.mark.parametrize(
    ("text", "expected", "left"),
    [
        ("hard #hard work", ["hard", "work"], {"address": 1}),
        ("hard @ann.hard's #1 work", ["hard", "work"], {"address": 1}),
        ("hard C# and hard work", ["hard", "hard", "work"], {}),
        ("see https://a.org/hard(work) work", ["see", "work"], {"address": 2}),
        ("www.hard.org/work work", ["work"], {"address": 2}),
        ("hard.work@a.org and a.org/hard and hard work", ["hard", "work"], {"address": 3}),
        ("hard/work and/or work", ["hard", "work", "work"], {}),
        ("hard &amp; work &#38; ag&eacute; old", ["hard", "work", "old"], {"code": 3}),
        ("see #old&amp;hard work", ["see", "work"], {"address": 1, "code": 2}),
        ("hard ...svn+ssh://hard/work work", ["hard", "work"], {"address": 2}),
        ("R&D hard; AT&hard", ["hard", "hard"], {}),
        ("old <b class='hard work'>hard</b> 3 < hard", ["old", "hard", "hard"], {"code": 2}),
    ],
)
def test_words_of_addresses_and_markup_are_left_out(text, expected, left):
    words = re.findall("hard|work|amp|ag|eacute|old|see", text)
    found = targets(text, [(word, "ADJ") for word in words])
    assert found.targets == expected
    assert found.left == left


def test_work_is_linear_in_the_addresses_and_the_capitals_of_a_sentence():
    for text, words in (("see #hard work", ["see", "work"]), ("HARD WORK", ["HARD", "WORK"])):
        counts = []
        for times in (100, 200):
            tokens = [(word, "NOUN") for word in re.findall(r"\w+", text)] * times
            one = annotated(" ".join([text] * times), tokens)
            assert content_words([one], ProtectedTerms(())).targets == words * times
            counts.append(steps(lambda one=one: content_words([one], ProtectedTerms(()))))
        assert counts[1] < 2.1 * counts[0]


def test_words_in_code_of_a_format_are_left_out():
    text = "old hard work"
    one = annotated(text, [("old", "ADJ"), ("hard", "ADJ"), ("work", "NOUN")])
    for starts, ends, expected in (
        ((4,), (8,), ["old", "work"]),
        ((0, 9), (3, 13), ["hard"]),
        ((6,), (7,), ["old", "work"]),
        ((3, 8), (4, 9), ["old", "hard", "work"]),
        ((0, 3, 9), (1, 4, 13), ["hard"]),
    ):
        found = content_words([one._replace(fixed=FixedPlaces(starts, ends))], ProtectedTerms(()))
        assert found.targets == expected
        assert found.left.get("code", 0) == 3 - len(expected)


def test_german_nouns_are_no_names():
    tokens = [("Der", "DET"), ("Rat", "NOUN"), ("tagt", "VERB")]
    assert targets("Der Rat tagt", tokens, language="de").targets == ["Rat", "tagt"]
    assert targets("Der Rat tagt", tokens, language="en").targets == ["tagt"]


def test_terms_are_protected_by_form_by_lemma_and_as_phrases():
    tokens = [("dark", "ADJ"), ("\n matter", "NOUN"), ("of", "ADP"), ("matter", "NOUN")]
    text = "dark\n matter of matter"
    tokens[1] = ("matter", "NOUN")
    found = targets(text, tokens, ["dark matter"])
    assert found.place.tolist() == [3]
    assert found.left == {"word": 2}
    assert targets(text, tokens, ["matter"]).targets == ["dark"]
    assert targets("Matters", [("Matters", "NOUN")], ["matters"]).targets == []
    assert targets("darkmatter", [("darkmatter", "NOUN")], ["dark matter"]).targets == ["darkmatter"]


def test_tokens_that_share_letters_are_none():
    text = annotated("dárselo hoy", [("dárselo", "VERB"), ("hoy", "ADV")])
    row = text.sentences.to_pylist()[0]
    row |= {"forms": ["dar", "se", "lo", "hoy"], "upos": ["VERB", "PRON", "PRON", "ADV"], "lemmas": None}
    row |= {"starts": [0, 0, 0, 8], "ends": [7, 7, 7, 11]}
    schema = pa.schema([(name, pa.list_(pa.string())) for name in ("forms", "lemmas", "upos")])
    lists = {name: pa.array([row[name]], schema.field(name).type) for name in schema.names}
    places = {name: pa.array([row[name]], pa.list_(pa.int32())) for name in ("starts", "ends")}
    shared = text._replace(sentences=pa.table({"sentence": [0], **lists, **places}))
    found = content_words([shared], ProtectedTerms(()))
    assert (found.targets, found.lemmas) == (["hoy"], [None])


def test_words_have_letters_alone():
    assert [is_word(text) for text in ("niño", "nin\u0303o", "re-", "'tis", "", "a1", "हिन्दी")] == [
        *(True, True, False, False, False, False, True)
    ]


def test_protected_terms_have_any_apostrophe(tmp_path):
    path = tmp_path / "protect.txt"
    path.write_text("o’clock\nKing's\n", "utf-8")
    terms = ProtectedTerms(read_words(str(path), "protect"))
    assert [terms.holds(form, None) for form in ("O'clock", "o’clock", "king’s", "kings")] == [True, True, True, False]
