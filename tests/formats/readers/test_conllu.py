import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import entries, records, summary

from lexbeam.transforms.formats.readers import conllu
from lexbeam.transforms.formats.records.base import BLOCK

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
