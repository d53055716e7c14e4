"""Web pages: words are replaced between tags and entities, which stay byte for byte."""

import html

from fuzz_making_html import make_html
from hypothesis import strategies as st
from spanning import CODED, SOME_OR_MANY, WORDS, Case, Word, coded, drawn_edits, escaped, generated, holds, made_by

from lexbeam.transforms.formats.spans.spanned import TextEdit, spanned

# What stands between two words, with white space somewhere, so that they are two.
GAPS = st.sampled_from(
    [
        *(
            " ",
            "\r\n   ",
            "\t",
            "&nbsp;",
            "&#32;",
            " <!-- a < b --> ",
            "<br>",
            "<br/>\n",
            " &shy; ",
            "&zwnj; ",
            "&shy; &rlm;",
        ),
        *(
            "</p><p class='a > b'>",
            "</p>\n<p hidden>gone &amp; gone</p><p>",
            "</p><pre></pre><p>",
            "</p><script>let p = '<p>x';</script><p>",
        ),
        *("<b> ", ' <i title="x &amp; y">', "</b> ", "</i>\n", "<td>", " <textarea>\n</textarea>"),
        *("<style>p {}</style> ", " <sup><a href='#n1'>[1]</a></sup> ", "</div><div>", "<li>", "<h1 \r\n id=x>"),
        *(" {{ gone }}", "{% gone %} ", " $$gone^2$$ ", "[Pg 12] ", " <ruby><rt>gone</rt></ruby>"),
        *("<span class=pagenum>[12]</span> ", " <math><annotation>gone</annotation></math>"),
    ]
)
_ODD = [Word("caf&eacute;", "café"), Word("R&amp;D", "R&D"), Word("a&#8209;b", "a\u2011b"), Word("&#x1F600;", "😀")]
_ODD += [Word("e&#769;t", "ét"), Word("&lt;b&gt;", "<b>"), Word("fi&shy;ne", "fine"), Word("&notin;x", "∉x")]
PAGE_WORDS = st.one_of(WORDS, st.sampled_from(_ODD))
HEADS = ("", "<!DOCTYPE html>\r\n<html><head><title>T &amp; T</title></head><body>", "<html lang=es><body class=x>")


@st.composite
def cases(draw):
    encoding, mark = draw(st.sampled_from(CODED))
    words = [word for word in draw(st.lists(PAGE_WORDS, max_size=8)) if coded(word.source, encoding)]
    declared = "" if mark or encoding == "utf-8" else f'<meta charset="{encoding}">'
    pieces = [draw(st.sampled_from(HEADS)) + declared + "<p>"]
    for word in words:
        pieces += (word, draw(GAPS))
    encoding = encoding.replace("latin-1", "cp1252")  # which browsers take for it
    return Case([*pieces, "</p>\r\n"], encoding, mark), draw(drawn_edits(len(words)))


def check(drawn):
    case, new = drawn
    holds(case, new, name="a.html", written=escaped)


test_only_the_words_change, test_only_the_words_change_in_2000 = generated(cases(), check)


@SOME_OR_MANY
def test_whatever_page_there_is(documents):
    made_by(make_html, "a.html", documents)


def test_an_edit_within_an_entity_or_over_markup_is_refused():
    source = spanned(b"<p>a&ngE;b <b>so</b>me x&#233;y &lt;i", "a.html")
    assert source.text == "a≧\u0338b some xéy <i"
    refused = {
        (1, 2): "ends within what is one sign",
        (2, 3): "begins within what is one sign",
        (5, 9): "markup stands between",
        (0, 4): None,
        (10, 13): None,
        (11, 12): None,
        (5, 7): None,
    }
    for (start, end), reason in refused.items():
        found = source.refusal(TextEdit(0, start, end, "z"))
        assert (found is None) if reason is None else reason in found, (start, end, found)


def test_new_text_never_becomes_markup():
    source = spanned(b"<p>AT&T a <1 &amp &x", "a.html")
    assert source.text == "AT&T a <1 & &x"
    for start, end in ((3, 4), (8, 9), (13, 14)):
        assert "read as markup" in source.refusal(TextEdit(0, start, end, "lt"))
    found = source.replaced([TextEdit(0, 5, 6, "<b>&amp;")])
    assert found == b"<p>AT&T &lt;b&gt;&amp;amp; <1 &amp &x"
    assert html.unescape("&lt;b&gt;&amp;amp;") == "<b>&amp;"


def test_what_an_encoding_lacks_is_written_as_a_reference():
    page = "<meta charset=iso-8859-1><p>El coche rápido".encode("latin-1")
    source = spanned(page, "a.html")
    assert source.replaced([TextEdit(0, 3, 8, "日本œ")]) == page.replace(b"coche", b"&#26085;&#26412;\x9c")
    assert source.replaced([TextEdit(0, 9, 15, "ágil")]) == page.replace(b"r\xe1pido", b"\xe1gil")


def test_code_is_fixed():
    page = (
        "<p>a <code class=x>b <i>c</i> &amp;</code> d <KBD>e</KBD><p>f<textarea>g</textarea>h "
        "<pre>i\n<code>j</code> k</pre>l</code> m <!-- <code> --> n <codex>o</codex> <code>p"
    )
    source = spanned(page.encode(), "a.html")
    held = "".join(source.text[start:end] for start, end in zip(*source.fixed, strict=True))
    assert "".join(held.split()) == "bc&egijkp"
    for letter in "abcdefghijklmnop":
        block, text = next((number, found.text) for number, found in enumerate(source.blocks) if letter in found.text)
        place = text.index(letter)
        refusal = source.refusal(TextEdit(block, place, place + 1, "x"))
        assert (refusal is not None and "code" in refusal) == (letter in "bcegijkp"), letter
