import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.annotation.engines.engine import (
    Engine,
    annotate_sentences,
    annotate_texts,
    plain_tokens,
    tokens_of,
)
from lexbeam.transforms.annotation.engines.known_engines import load_engine
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.records import Sentence

TEXTS = ["One day. Two days!", "", "The  cats sat", "It is no. 5.\n\nEnd", "Überall Häuser."]


@given(st.text(max_size=40))
def test_plain_tokens_cover_all_but_white_space(text):
    found = plain_tokens(text)
    assert [text[a:b] for a, b in zip(found.starts, found.ends, strict=True)] == found.forms
    assert "".join(found.forms) == "".join(text.split())


@pytest.mark.slow
def test_an_engine_leaves_each_text_one_sentence():
    engine = load_engine("builtin:en")
    texts = [text for text in TEXTS if text]
    together = annotate_sentences(texts, engine)
    assert together == [annotate_sentences([text], engine)[0] for text in texts]
    assert together[0].forms == ["One", "day", ".", "Two", "days", "!"]
    assert together[0].lemmas[4] == "day"
    for text, found in zip(texts, together, strict=True):
        assert [text[a:b] for a, b in zip(found.starts, found.ends, strict=True)] == found.forms
        assert len(found.upos) == len(found.forms)


def failing(raised):
    def annotate(paragraphs, map_form=None):
        if any("bad" in paragraph for paragraph in paragraphs):
            raise raised
        return [[Sentence([p], ["lemma"], None, [0], [len(p)])] for p in paragraphs]

    return Engine(name="x", language=None, fingerprint="x", has_upos=False, has_lemmas=True, annotate=annotate)


def test_what_an_engine_fails_on_has_plain_tokens_and_spoils_no_other():
    good, bad, other = annotate_sentences(["good", "so bad", "other"], failing(ValueError("no")))
    assert (good.lemmas, other.lemmas) == (["lemma"], ["lemma"])
    assert (bad.forms, bad.lemmas) == (["so", "bad"], None)
    with pytest.raises(LexbeamError):
        annotate_sentences(["bad"], failing(LexbeamError("no model")))


def test_texts_have_their_own_sentences_with_offsets_of_their_own():
    good, bad, empty = annotate_texts(["good\n\none", "so bad\n\nx", ""], failing(ValueError()))
    assert [(one.lemmas, one.starts, one.ends) for one in good] == [(["lemma"], [0], [4]), (["lemma"], [6], [9])]
    assert [(one.forms, one.lemmas, one.starts) for one in bad] == [(["so", "bad"], None, [0, 3]), (["x"], None, [8])]
    assert empty == []
    assert annotate_texts(["so bad\n\nx"], None) == [bad]


def test_layers_of_the_sentences_of_a_text_are_put_together():
    def annotate(paragraphs, map_form=None):
        return [
            [
                Sentence([c], None, None, [at], [at + 1], (["F=" + c], None if c == "b" else [1]))
                for at, c in enumerate(paragraph)
            ]
            for paragraph in paragraphs
        ]

    engine = Engine(name="x", language=None, fingerprint="x", has_upos=False, has_lemmas=False, annotate=annotate)
    both, one = annotate_sentences(["ab", "ac"], engine)
    assert both.layers == (["F=a", "F=b"], None)
    assert one.layers == (["F=a", "F=c"], [1, 1])


@given(st.text(alphabet="ab -", max_size=12), st.integers(0, 12), st.integers(1, 5))
def test_tokens_of_a_target_are_those_that_share_a_character(text, start, length):
    sentence = plain_tokens(text)
    span = set(range(start, start + length))
    places = [
        at for at, (a, b) in enumerate(zip(sentence.starts, sentence.ends, strict=True)) if span & set(range(a, b))
    ]
    found = tokens_of(sentence, start, start + length)
    assert found == ((places[0], len(places)) if places else (None, None))
    assert tokens_of(sentence, None, None) == (None, None)
