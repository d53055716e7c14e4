import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whitespace_engine import words

from lexbeam.transforms.annotation.engines import engine as paragraphs_module
from lexbeam.transforms.annotation.engines.engine import Engine, annotate_text, split_paragraphs
from lexbeam.transforms.annotation.engines.normalise import parse_rules

TEXTS = st.text(alphabet="aB.é \n\t\r\u00a0\u2028\U0001f600,", max_size=80)


def engine(annotate=words):
    return Engine(name="toy", language=None, fingerprint="1", has_upos=False, has_lemmas=True, annotate=annotate)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n \n", []),
        ("one", [(0, "one")]),
        ("one\ntwo", [(0, "one\ntwo")]),
        ("one\n\ntwo", [(0, "one"), (5, "two")]),
        ("one\r\n\r\ntwo", [(0, "one"), (7, "two")]),
        ("one\n \t \n\n  two \n", [(0, "one"), (11, "two")]),
    ],
)
def test_paragraphs_end_at_lines_of_whitespace(text, expected):
    assert split_paragraphs(text) == expected


@given(TEXTS)
def test_paragraphs_hold_all_but_whitespace_in_place(text):
    paragraphs = split_paragraphs(text)
    assert all(text[offset : offset + len(part)] == part for offset, part in paragraphs)
    assert "".join("".join(part.split()) for _, part in paragraphs) == "".join(text.split())
    assert not any(part != part.strip() or "\n\n" in part for _, part in paragraphs)


@given(TEXTS, st.integers(4, 30))
@settings(deadline=None)
def test_offsets_point_to_the_form_whatever_the_whitespace_and_the_cuts(text, limit):
    limits = paragraphs_module.MAX_PARAGRAPH, paragraphs_module.MAX_BATCH
    paragraphs_module.MAX_PARAGRAPH, paragraphs_module.MAX_BATCH = limit, 2 * limit
    try:
        sentences = annotate_text(text, engine())
    finally:
        paragraphs_module.MAX_PARAGRAPH, paragraphs_module.MAX_BATCH = limits
    forms = [form for sentence in sentences for form in sentence.forms]
    places = [place for sentence in sentences for place in zip(sentence.starts, sentence.ends, strict=True)]
    assert [text[start:end] for start, end in places] == forms
    assert "".join(forms) == "".join(text.split())
    assert places == sorted(places)


def test_an_engine_sees_each_run_of_whitespace_as_one_space():
    seen = []

    def spy(paragraphs, map_form=None):
        seen.extend(paragraphs)
        return words(paragraphs)

    annotate_text("a\nb \t c\u00a0d\n\n e", engine(spy))
    assert seen == ["a b c d", "e"]


def test_long_paragraphs_are_cut_after_a_sentence_else_a_word_else_anywhere(monkeypatch):
    seen = []

    def spy(paragraphs, map_form=None):
        seen.extend(paragraphs)
        return words(paragraphs)

    monkeypatch.setattr(paragraphs_module, "MAX_PARAGRAPH", 20)
    annotate_text("Aa bb. Cc dd.” Ee ff gg hh\n\nii jj kk ll mm nn ooo\n\n" + "x" * 45, engine(spy))
    assert seen == ["Aa bb. Cc dd.”", "Ee ff gg hh", "ii jj kk ll mm nn", "ooo", "x" * 20, "x" * 20, "x" * 5]


def test_long_paragraphs_are_cut_after_sentences_of_any_script(monkeypatch):
    monkeypatch.setattr(paragraphs_module, "MAX_PARAGRAPH", 12)
    for final in "؟۔।॥։።។":
        sentences = annotate_text(f"ab{final} cd ef gh ij", engine())
        assert sentences[0].forms == [f"ab{final}"], final


def test_batches_are_bounded_and_in_order(monkeypatch):
    sizes = []

    def spy(paragraphs, map_form=None):
        sizes.append([len(paragraph) for paragraph in paragraphs])
        return words(paragraphs)

    monkeypatch.setattr(paragraphs_module, "MAX_BATCH", 10)
    sentences = annotate_text("\n\n".join(["aaaa", "bbbb", "cccc", "d" * 12, "e"]), engine(spy))
    assert sizes == [[4, 4], [4], [12], [1]]
    assert [sentence.forms[0][0] for sentence in sentences] == list("abcde")


def test_rules_map_forms_before_and_lemmas_after_the_engine():
    rules = parse_rules("form-char\tſ\ts\nlemma\tsaid\tsay\nform\tvpon\tupon")
    text = "ſaid\n vpon it"
    (sentence,) = annotate_text(text, engine(), normalise=rules)
    assert sentence.forms == ["said", "upon", "it"]
    assert sentence.lemmas == ["say", "upon", "it"]
    spans = zip(sentence.starts, sentence.ends, strict=True)
    assert [text[start:end] for start, end in spans] == ["ſaid", "vpon", "it"]


def test_marks_without_a_space_are_cut_and_nothing_is_lost():
    """Once spaCy took hours for a megabyte of `!?`, as its time grew with the square."""
    for unit in ("!?", "'s", "\U0001f600", "_", "=("):
        text = f"One word. {unit * 2000} and words"
        found = annotate_text(text, engine())
        forms = [form for sentence in found for form in sentence.forms]
        assert "".join(forms) == text.replace(" ", "")
        assert max(map(len, forms)) <= paragraphs_module.LONGEST_RUN
        assert forms[-2:] == ["and", "words"]
        for sentence in found:
            for form, start, end in zip(sentence.forms, sentence.starts, sentence.ends, strict=True):
                assert text[start:end] == form


@pytest.mark.parametrize(
    "word", ["日本語、" * 300, "ก็" * 900, "a%20" * 300, "!?" * 199, "x" * 5000, "http://abc.de/fgh" * 90]
)
def test_long_words_and_scripts_without_spaces_stay_whole(word):
    (sentence,) = annotate_text(f"a {word} b", engine())
    assert sentence.forms == ["a", word, "b"]
