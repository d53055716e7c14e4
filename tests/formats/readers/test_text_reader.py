import itertools

import pytest
from reading import entries, records, summary

from lexbeam.transforms.formats.records.base import BLOCK


def test_each_line_is_a_sentence_of_lemmas():
    (record,) = entries(b"ab Ioue .\n\n  magnus\tdeduco \r\n", "lines")
    assert record.position == ""
    assert record.text is None
    assert [s.lemmas for s in record.sentences] == [["ab", "Ioue", "."], ["magnus", "deduco"]]
    assert all(s == (None, s.lemmas, None, None, None, ()) for s in record.sentences)


def test_tokens_can_be_forms_or_lines_text():
    (record,) = entries(b"One two", "lines", lines_hold="forms")
    assert record.sentences[0].forms == ["One", "two"]
    assert record.sentences[0].lemmas is None
    assert summary(b"One two.\n\n Three.", "lines", lines_hold="text") == ["One two.\n\nThree."]


@pytest.mark.parametrize("blank", [0, 3])
def test_blocks_are_cut_by_lines_of_the_file_and_numbered_in_their_order(blank):
    lines = [b""] * (blank * BLOCK) + [b"w%d" % n for n in range(2 * BLOCK + 1)]
    found = entries(b"\n".join(lines), "lines")
    assert [r.block for r in found] == [0, 1 + blank, 2 + blank]
    assert [len(r.sentences) for r in found] == [BLOCK, BLOCK, 1]
    words = itertools.chain(*(s.lemmas for r in found for s in r.sentences))
    assert list(words) == [f"w{n}" for n in range(2 * BLOCK + 1)]


def test_a_bad_line_is_a_reject_of_its_own_and_the_rest_is_kept():
    data = b"good\nb\xe9d\nlong long\nn\x00l\nfine"
    found = entries(data, "lines", max_line_bytes=6)
    assert [(e.position, e.reason) for e in found[:3]] == [("2", "undecodable"), ("3", "too_large"), ("4", "control")]
    assert [s.lemmas for s in found[3].sentences] == [["good"], ["fine"]]
    assert records(found) == (1, 3)


def test_only_bad_lines_make_no_document():
    assert summary(b"\xff\n\xff", "lines") == [("1", "undecodable"), ("2", "undecodable")]
    assert summary(b"\n \n", "lines") == [("", "empty")]


def test_lines_in_utf_16():
    (record,) = entries("één twee\ndrie".encode("utf-16"), "lines", encoding="utf-16")
    assert [s.lemmas for s in record.sentences] == [["één", "twee"], ["drie"]]
