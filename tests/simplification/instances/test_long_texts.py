"""Long texts: their words are found piece by piece, and are those of the whole."""

import tracemalloc
from collections import Counter
from types import SimpleNamespace

import pyarrow as pa
import pytest

from lexbeam.transforms.annotation.engines import engine
from lexbeam.transforms.annotation.engines.engine import Engine
from lexbeam.transforms.common.store.batches import Sentence
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.intake.settling import TextAnnotationOptions
from lexbeam.transforms.simplification.instances import found_instances
from lexbeam.transforms.simplification.instances.content_words import AnnotatedText
from lexbeam.transforms.simplification.instances.found_instances import (
    DOCUMENTS,
    FindInTexts,
    annotated_pieces,
    words_found,
)
from lexbeam.transforms.simplification.instances.hard_words import WordChoice

OPTIONS = FindInTexts(choice=WordChoice(), annotate=TextAnnotationOptions(engine="", fingerprint=""), language="en")


def annotate(paragraphs, map_form=None):
    """Return each paragraph as a sentence in which `ship` and `sea` are nouns."""
    sentences = []
    for paragraph in paragraphs:
        if "broken" in paragraph:
            raise ValueError("an engine fails")
        starts, end, forms = [], 0, paragraph.split(" ")
        for form in forms:
            starts.append(end)
            end += len(form) + 1
        ends = [start + len(form) for start, form in zip(starts, forms, strict=True)]
        sentences.append(
            [Sentence(forms, forms, ["NOUN" if form in ("ship", "sea") else "X" for form in forms], starts, ends)]
        )
    return sentences


ENGINE = Engine(name="", language="en", fingerprint="", has_upos=True, has_lemmas=True, annotate=annotate)


def text_of(sentences):
    return "\n\n".join(
        f"the old ship sailed over a wide sea to its far harbour for {number}" for number in range(sentences)
    )


def found(text, options=OPTIONS, whole=False):
    tables = annotated_pieces(text, ENGINE, options)
    if whole:
        tables = [pa.concat_tables(tables)]
    texts = (AnnotatedText("a", "", "en", None, text, table, piece > 0) for piece, table in enumerate(tables))
    return words_found(texts, options.choice, SimpleNamespace(tally=Counter()), DOCUMENTS)


def rows_of(pieces):
    return [(position, row) for piece in pieces for position, rows in piece.sentences for row in rows]


def test_pieces_give_the_words_of_the_whole():
    text = text_of(4500)
    pieces = list(found(text))
    assert len(pieces) > 2
    assert [piece.text.further for piece in pieces] == [False] + [True] * (len(pieces) - 1)
    assert sum(piece.text.sentences.num_rows for piece in pieces) == 4500
    rows = rows_of(pieces)
    assert rows == rows_of(found(text, whole=True))
    assert rows[-1][0] == "4499"
    assert sum(piece.words for piece in pieces) == len(rows)
    assert [piece.words for piece in found("")] == [0]


def test_a_share_of_all_words_needs_the_whole():
    options = FindInTexts(
        choice=WordChoice(share=0.5), annotate=TextAnnotationOptions(engine="", fingerprint=""), language="en"
    )
    assert [table.num_rows for table in annotated_pieces(text_of(4500), ENGINE, options)] == [4500]


def test_nothing_is_found_in_a_text_on_which_the_engine_fails_at_its_end():
    with pytest.raises(BadRecord, match="ValueError in tests"):
        next(annotated_pieces(text_of(4500) + "\n\nbroken", ENGINE, OPTIONS))


def test_memory_does_not_grow_with_the_text(monkeypatch):
    """What is held of a sentence that was passed is its paragraph, some 12 bytes a character."""
    monkeypatch.setattr(engine, "MAX_BATCH", 20_000)  # as much is held at a time, of longer texts
    monkeypatch.setattr(found_instances, "_SENTENCES", 400)
    assert rows_of(found(text_of(9)))  # loads what is loaded once
    peaks = []
    for sentences in (500, 1000):
        text = text_of(sentences)
        tracemalloc.start()
        try:
            assert sum(piece.words for piece in found(text)) == 2 * sentences
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[1] - peaks[0] < 30 * (len(text_of(1000)) - len(text_of(500))), peaks
