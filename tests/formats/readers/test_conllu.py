"""

Layers of CoNLL-U against readings of the same files that share no code with ours.
"""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import entries, records, summary

from lexbeam.transforms.formats.readers import conllu
from lexbeam.transforms.formats.records.base import BLOCK, Record

HEAD = "# newdoc id = d1\n# meta::genre = letter\n# year = 1790\n# sent_id = 1\n"


def row(number, form, lemma="_", upos="_", misc="_"):
    return "\t".join([number, form, lemma, upos, *"______"[:5], misc]) + "\n"


def test_words_lemmas_tags_spans_and_text():
    data = (
        HEAD
        + row("1-2", "Vámonos", misc="SpaceAfter=No")
        + row("1", "Vamos", "ir", "VERB")
        + row("2", "nos", "nosotros", "PRON")
        + row("3", ",", ",", "PUNCT")
        + row("3.1", "empty", "empty", "X")
        + row("4", "pues", "pues", "ADV")
        + "\n# newpar\n"
        + row("1", "Sí", "sí", "INTJ")
    )
    (record,) = entries(data.encode(), "conllu")
    assert record.position == "1"
    assert record.fields["genre"] == "letter"
    assert record.fields["date"] == "1790"
    assert record.text == "Vámonos, pues\n\nSí"
    first, second = record.sentences
    assert first.forms == ["Vamos", "nos", ",", "pues"]
    assert first.lemmas == ["ir", "nosotros", ",", "pues"]
    assert first.upos == ["VERB", "PRON", "PUNCT", "ADV"]
    assert first.starts == [0, 0, 7, 9]
    assert first.ends == [7, 7, 8, 13]
    assert (second.starts, second.ends) == ([15], [17])


def test_documents_begin_at_newdoc():
    data = row("1", "a") + "\n# newdoc\n" + row("1", "b") + "\n# newdoc\n\n" + row("1", "c")
    found = entries(data.encode(), "conllu")
    assert [(r.position, r.text) for r in found] == [("", "a"), ("3", "b"), ("6", "c")]


def test_columns_that_are_not_given_are_none():
    (record,) = entries((row("1", "a") + "\n" + row("1", "b", "c") + row("2", "_")).encode(), "conllu")
    assert record.sentences[0].lemmas is None
    assert record.sentences[0].upos is None
    assert record.sentences[1].lemmas == ["c", "_"]


def test_a_broken_sentence_is_a_reject_of_its_own():
    good = row("1", "a")
    bad = [
        "1\ta\n",
        row("2", "a"),
        row("1-2", "ab") + row("1", "a"),
        row("1", " "),
        row("x", "a"),
        row("1-", "a"),
        row("1-2-3", "a"),
        good + row("1-2", "x") + row("2", "b"),
    ]
    for sentence in bad:
        data = "# newdoc\n" + good + "\n" + sentence + "\n" + good
        found = entries(data.encode(), "conllu")
        assert [(e.position, e.reason) for e in found[:1]] == [("4", "malformed")], sentence
        assert found[1].text == "a a"
    found = entries(good.encode() + b"\n1\t\xff\n\n", "conllu")
    assert (found[0].position, found[0].reason) == ("3", "undecodable")
    assert records(found) == (1, 1)


def test_a_long_document_comes_in_blocks_without_text():
    data = (row("1", "a") + "\n") * (BLOCK + 1)
    found = entries(data.encode(), "conllu")
    assert [(r.text, r.block, len(r.sentences)) for r in found] == [(None, 0, BLOCK), (None, 1, 1)]
    assert found[0].sentences[0].starts is None
    (whole,) = entries(((row("1", "a") + "\n") * BLOCK).encode(), "conllu")
    assert len(whole.text) == 2 * BLOCK - 1


def test_no_sentence_at_all():
    assert summary(b"# newdoc\n\n", "conllu") == [("1", "empty")]
    assert summary(b"", "conllu") == [("", "empty")]


def test_comments_behind_an_empty_line_are_still_the_documents():
    data = b"# newdoc id = a\n\n# year = 1790\n1\tA\ta" + b"\t_" * 7 + b"\n"
    (record,) = entries(data, "conllu")
    assert record.fields == {"newdoc id": "a", "year": "1790", "date": "1790"}


CELLS = st.sampled_from(
    ["a", "_", "", "Wort", "b c", "é", "e\u0301", "\u0301", "λόγος", "x\u00ad", "\u00a0", "N\tV", "\x01"]
)
LINES = st.one_of(
    st.builds(
        lambda number, form, lemma, tag, misc: row(number, form, lemma, tag, misc).encode(),
        st.sampled_from(["1", "2", "3", "1-2", "2-3", "2.1", "01", "4"]),
        CELLS,
        CELLS,
        CELLS,
        st.sampled_from(["_", "SpaceAfter=No", "A=B|SpaceAfter=No", "xSpaceAfter=No"]),
    ),
    st.sampled_from([b"\n", b" \n", b"# newdoc\n", b"# newpar\n", b"# year = 1790\n", b"1\n", b"2 \xff\n", b"3\x00\n"]),
    st.just(b"\xef\xbb\xbf" + row("1", "a").encode()),
)


@given(st.lists(LINES, max_size=12), st.sampled_from([60, 1000]), st.sampled_from(["reject", "drop"]))
def test_plain_lines_are_read_as_one_by_one(lines, limit, control):
    data = b"".join(lines)
    options = {"max_line_bytes": limit, "control": control}
    together = entries(data, "conllu", **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conllu, "_plain", lambda lines, layers: None)
        patch.setattr(conllu, "_DIGITS", frozenset())
        assert together == entries(data, "conllu", **options)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=4))
def test_plain_words_are_parsed_as_one_by_one(cells):
    data = "".join(row(str(number), *some) for number, some in enumerate(cells, 1)).encode()
    together = entries(data, "conllu")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conllu, "_plain", lambda lines, layers: None)
        assert together == entries(data, "conllu")


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
