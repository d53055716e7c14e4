"""Plain text: words are replaced, and every other byte stays."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spanning import CODED, FEW, WORDS, Case, coded, drawn_edits, generated, holds

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions
from lexbeam.transforms.formats.spans.spanned import TextEdit, spanned

GAPS = st.sampled_from(
    [
        *(" ", "  ", "\n", "\r\n", "\r", "\t", " \r\n ", "\n\n", "\r\n\r\n", "\n \n\t\n", "\u3000", "\x0c", "\u2028"),
        *("\u2029", " \u200b ", "\u00a0", "\x1c"),
    ]
)


@st.composite
def cases(draw):
    encoding, mark = draw(st.sampled_from(CODED))
    words = [word for word in draw(st.lists(WORDS, max_size=8)) if coded(word.source, encoding)]
    gaps = st.one_of(GAPS.filter(lambda gap: coded(gap, encoding)), st.just(" "))
    pieces = [draw(st.sampled_from(["", " ", "\r\n"]))]
    for word in words:
        pieces += (word, draw(gaps))
    return Case(pieces, encoding, mark), draw(drawn_edits(len(words)))


def check(drawn):
    case, new = drawn
    plain = {"utf-8": "utf-8", "utf-16-le": "utf-8", "utf-16-be": "utf-8"}.get(case.encoding, case.encoding)
    holds(
        case, new, name="a.txt", written=lambda text, encoding: text if coded(text, encoding) else None, encoding=plain
    )


test_only_the_words_change, test_only_the_words_change_in_2000 = generated(cases(), check)


@FEW
@given(st.text(max_size=30), st.data())
def test_any_edit_is_refused_or_read_as_it_was_meant(text, data):
    """Of any text, with any edit."""
    raw = text.encode("utf-8", "surrogatepass")
    try:
        source = spanned(raw, "a", format="text")
    except BadRecord:
        return
    block = data.draw(st.integers(0, len(source.blocks) - 1))
    length = len(source.blocks[block].text)
    start = data.draw(st.integers(0, length))
    edit = TextEdit(block, start, data.draw(st.integers(start, length)), data.draw(st.text(max_size=3)))
    if source.refusal(edit) is not None:
        with pytest.raises(LexbeamError, match="cannot be made"):
            source.replaced([edit])
        return
    found = source.replaced([edit])
    before, after = source.blocks[block].text[:start], source.blocks[block].text[edit.end :]
    expected = [b.text for b in source.blocks]
    expected[block] = before + edit.text + after
    assert [b.text for b in spanned(found, "a", format="text").blocks] == expected
    if source.text.encode() == raw:
        place = source.blocks[block].start + start
        assert found == (source.text[:place] + edit.text + source.text[place + edit.end - start :]).encode()


def refusal(text, start, end, new, **options):
    source = spanned(text.encode(), "a.txt", options=ReaderOptions(**options))
    return source.refusal(TextEdit(0, start, end, new))


def test_what_is_refused_and_why():
    assert refusal("one two", 0, 3, "three") is None
    # Marks in another order than that of NFC: two characters that are one sign in the source.
    assert "begins within what is one sign" in refusal("q\u0307\u0323r", 1, 3, "x")
    assert "ends within what is one sign" in refusal("q\u0307\u0323r", 0, 1, "x")
    assert "has no '日'" in spanned(
        "é".encode("latin-1"), "a.txt", options=ReaderOptions(encoding=("latin-1",))
    ).refusal(TextEdit(0, 0, 1, "日"))
    for new, reason in (
        ("x\ny", "white space other than spaces"),
        ("x ", "two spaces in a row"),
        ("x\u0301", None),
        ("x\u200by", "not seen"),
        ("e\u0301", "not in NFC"),
        ("\u0301x", "become one character"),
        ("x" + 40 * "\u0301", "combining marks"),
        ("x\x00", "NUL"),
    ):
        found = refusal("one two", 0, 3, new)
        assert (found is None) if reason is None else reason in found, (new, found)
    assert "a joiner at its border" in refusal("می\u200cروم", 3, 6, "")
    assert "a joiner at its border" in refusal("می\u200cروم", 0, 2, "x!")
    assert refusal("می\u200cروم کتاب\u200cها", 0, 6, "نمی\u200cروم") is None
    assert "begin or end in white space" in refusal("one two", 0, 3, "")
    assert "nothing of the block" in refusal("one", 0, 3, "")
    assert refusal("one two", 0, 4, "") is None
    assert "become one character" in refusal("ae", 1, 2, "\u0301")


def test_edits_that_overlap_are_an_error_and_such_as_touch_are_not():
    source = spanned("l'hôtel du port".encode(), "a.txt")
    assert source.replaced([TextEdit(0, 2, 7, "maison"), TextEdit(0, 0, 2, "la ")]) == b"la maison du port"
    with pytest.raises(LexbeamError, match=r"characters 0 to 3 of block 0 and .* 2 to 7 of block 0 overlap"):
        source.replaced([TextEdit(0, 2, 7, "maison"), TextEdit(0, 0, 3, "la ")])
    with pytest.raises(ValueError, match="no block 1 among 1"):
        source.refusal(TextEdit(1, 0, 0, ""))
    with pytest.raises(ValueError, match="has 15 characters, not 10 to 16"):
        source.refusal(TextEdit(0, 10, 16, ""))


def test_sources_that_cannot_be_edited_say_why():
    with pytest.raises(UsageError, match=r"no format that can be edited is called 'csv' .*there are: text"):
        spanned(b"a,b\n", "a.csv")
    with pytest.raises(UsageError, match="'jsonl'"):
        spanned(b"a", "a", format="jsonl")
    for data, options, reason in (
        (b"\x1f\x8b\x08", {}, "decompress"),
        (b"a\xff", {}, "not utf-8"),
        (b"", {}, "no bytes"),
        ("日本".encode("iso2022_jp"), {"encoding": ("iso2022_jp",)}, "byte for byte"),
        (b"x" + 40 * "\u0301".encode(), {"marks": "break"}, "combining marks"),
    ):
        with pytest.raises(BadRecord, match=reason):
            spanned(data, "a.txt", options=ReaderOptions(**options))


def test_an_edit_after_which_the_encoding_would_be_another_is_an_error():
    """Of encodings that are tried in turn the first one fits, once the byte is gone that it does not take."""
    ascii_only = spanned(b"ni\xf1o a", "a.txt", options=ReaderOptions(encoding=("utf-8", "cp1252")))
    assert ascii_only.replaced([TextEdit(0, 0, 4, "boy")]) == b"boy a"
    two = spanned(b"ni\xf1o \xc3\x9f", "a.txt", options=ReaderOptions(encoding=("utf-8", "cp1252")))
    with pytest.raises(LexbeamError, match=r"a\.txt: without .* it would be read as utf-8, not as cp1252"):
        two.replaced([TextEdit(0, 0, 4, "boy")])


def test_white_space_is_kept_where_the_reader_evens_it():
    data = "  Uno\u00a0dos \r\n tres.\r\n \r\n\r\n\tCuatro  cinco\u2028seis ".encode()
    source = spanned(data, "a.txt")
    assert [block.text for block in source.blocks] == ["Uno\u00a0dos \n tres.", "\tCuatro  cinco\nseis"]
    edits = [TextEdit(0, 10, 14, "tria"), TextEdit(1, 1, 7, "IV")]
    assert source.replaced(edits) == data.replace(b"tres", b"tria").replace(b"Cuatro", b"IV")
    # A line end of two characters is one of the text: it is replaced as a whole, or not at all.
    assert source.replaced([TextEdit(0, 4, 14, "y tres")]) == data.replace(b"dos \r\n tres", b"y tres")


def test_an_edit_copies_nothing_of_a_long_block():
    source = spanned(b"ab cd\n" * 20_000, "a.txt")
    assert len(source.blocks) == 1
    tracemalloc.start()
    try:
        assert source.refusal(TextEdit(0, 60_000, 60_002, "ef")) is None
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000
