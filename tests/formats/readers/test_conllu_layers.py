"""Layers of CoNLL-U against readings of the same files that share no code with ours."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import entries

from lexbeam.transforms.formats.records.base import Record

LAYERS = ("xpos", "feats", "heads", "deprels", "entities")


def line(name, form, *, xpos="_", feats="_", head="_", deprel="_", misc="_"):
    return "\t".join([name, form, "_", "_", xpos, feats, head, deprel, "_", misc]) + "\n"


def layers_of(data, layers=LAYERS):
    found = entries(data.encode(), "conllu", layers=layers)
    return [s.layers for entry in found if isinstance(entry, Record) for s in entry.sentences]


def test_columns_are_taken_as_they_stand():
    data = (
        line("1-2", "Vámonos")
        + line("1", "Vamos", xpos="V", feats="Mood=Imp|Number=Plur", head="0", deprel="root")
        + line("2", "nos", xpos="P", head="1", deprel="obj")
        + line("2.1", "void", xpos="V", head="_", deprel="_")
        + line("3", "Ana", feats="Gender=Fem", head="1", deprel="vocative:x", misc="NER=B-PER")
    )
    assert layers_of(data) == [
        (
            ["V", "P", None],
            ["Mood=Imp|Number=Plur", None, "Gender=Fem"],
            [0, 1, 1],
            ["root", "obj", "vocative:x"],
            ["O", "O", "B-PER"],
        )
    ]
    assert layers_of(data, ("heads",)) == [([0, 1, 1],)]
    assert layers_of(data, ()) == [()]


def test_what_a_sentence_has_nothing_of_is_null():
    assert layers_of(line("1", "a") + line("2", "b", deprel="det")) == [(None, None, None, [None, "det"], None)]


@pytest.mark.parametrize("head", ["3", "-1", "1.1", "x", "²", "", "9" * 5000])
def test_a_head_that_is_no_word_is_null_and_the_sentence_stays(head):
    data = line("1", "a", head="0") + line("1.1", "e") + line("2", "b", head=head)
    assert layers_of(data, ("heads",)) == [([0, None],)]


@st.composite
def sentences(draw):
    """Draw words with distinct forms, the form of each word's head, and lines of them."""
    size = draw(st.integers(1, 8))
    forms = [f"w{place}" for place in range(size)]
    heads = draw(st.lists(st.integers(0, size), min_size=size, max_size=size))
    lines, until, empty = "", 0, count(1)
    for place in range(1, size + 1):
        if place > until and place < size and draw(st.booleans()):
            until = draw(st.integers(place + 1, size))
            lines += line(f"{place}-{until}", "surface", xpos="no", head="_")
        lines += line(str(place), forms[place - 1], head=str(heads[place - 1]))
        for _ in range(draw(st.integers(0, 2))):
            lines += line(f"{place}.{next(empty)}", "void", head=str(draw(st.integers(0, 9))))
    return lines, forms, heads


@given(st.lists(sentences(), min_size=1, max_size=3))
def test_every_head_points_to_the_same_word_after_reading(drawn):
    data = "\n".join(lines for lines, _, _ in drawn)
    (record,) = entries(data.encode(), "conllu", layers=("heads",))
    for sentence, (_, forms, heads) in zip(record.sentences, drawn, strict=True):
        named = {str(place): form for place, form in enumerate(forms, 1)} | {"0": "the root"}
        found = ["the root", *sentence.forms]
        assert sentence.forms == forms
        assert [found[head] for head in sentence.layers[0]] == [named[str(h)] for h in heads]


def cut(path):
    """Cut a file by blank lines and tabs: of each sentence its layers."""
    for block in path.read_text("utf-8").split("\n\n"):
        rows = [row.split("\t") for row in block.split("\n") if row and not row.startswith("#")]
        words = [row for row in rows if row[0].isdigit()]
        if words:
            columns = [[None if row[place] == "_" else row[place] for row in words] for place in (4, 5, 6, 7)]
            columns[2] = [int(head) for head in columns[2]]
            yield tuple(c if any(v is not None for v in c) else None for c in columns)


@pytest.mark.data
@pytest.mark.parametrize("name", ["de_gsd", "en_ewt", "en_gum", "es_gsd", "la_ittb", "la_proiel", "sv_talbanken"])
def test_layers_of_treebanks_are_those_that_tabs_cut(data, name):
    path = data / "ud" / f"{name}-ud-dev.conllu"
    expected = list(cut(path))
    found = layers_of(path.read_text("utf-8"), ("xpos", "feats", "heads", "deprels"))
    assert len(found) > 500
    assert found == expected
