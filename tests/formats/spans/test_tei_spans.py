"""TEI: words of the text are replaced between tags and entities, which stay byte for byte."""

from fuzz_making import make_tei
from hypothesis import strategies as st
from spanning import CODED, SOME_OR_MANY, WORDS, Case, Word, coded, drawn_edits, escaped, generated, holds, made_by

from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.formats.spans.spanned import TextEdit, spanned

# What stands between two words, with white space somewhere, so that they are two.
GAPS = st.sampled_from(
    [
        *(" ", "\r\n   ", "\t", "&#160;", "&#32;", " <!-- a < b --> ", "<lb/>\n", " <pb n='1'/>", " &#173; "),
        *("</p>\n<p rend='a > b'>", "</p><fw>no &amp; no</fw><p>", '<note place="foot">no</note> ', "<?no x > y?> "),
        *(" <choice><orig>no</orig><reg/></choice>", " <app><lem/><rdg>no</rdg></app>", "<![CDATA[ ]]>"),
        "<del>no</del>\n",
    ]
)
AROUND = st.sampled_from([("", ""), ("", ""), ("<hi>", "</hi>"), ("<w>", "</w>"), ("<s>", "</s>"), ("<x:a>", "</x:a>")])
_ODD = [Word("caf&#xe9;", "café"), Word("R&amp;D", "R&D"), Word("a&#8209;b", "a\u2011b"), Word("m&ue;de", "muede")]
_ODD += [Word("e&#769;t", "ét"), Word("&lt;b&gt;", "<b>"), Word("fi&#173;ne", "fine"), Word("&#x1F600;", "😀")]
TEI_WORDS = st.one_of(WORDS, st.sampled_from(_ODD))
NAMES = {"latin-1": "ISO-8859-1", "cp1252": "windows-1252", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}
HEAD = (
    '<!DOCTYPE TEI [<!ENTITY ue "ue"><!-- it\'s > ] -->\r\n]>\r\n<TEI xmlns="http://www.tei-c.org/ns/1.0" xmlns:x="y">'
    "<teiHeader><fileDesc><titleStmt><title>no</title></titleStmt></fileDesc></teiHeader><text><front>no</front><body>"
)


@st.composite
def cases(draw):
    encoding, mark = draw(st.sampled_from([pair for pair in CODED if pair[0] != "shift_jis"]))
    words = [word for word in draw(st.lists(TEI_WORDS, max_size=8)) if coded(word.source, encoding)]
    declared = f'<?xml version="1.0" encoding="{NAMES.get(encoding, encoding)}"?>'
    pieces = [declared + HEAD + "<p>"]
    for word in words:
        before, behind = draw(AROUND)
        pieces += (before, word, behind, draw(GAPS))
    return Case([*pieces, "</p></body></text></TEI>\r\n"], encoding, mark), draw(drawn_edits(len(words)))


def check(drawn):
    case, new = drawn
    holds(case, new, name="a.xml", written=escaped)


test_only_the_words_change, test_only_the_words_change_in_2000 = generated(cases(), check)


@SOME_OR_MANY
def test_whatever_document_there_is(documents):
    made_by(make_tei, "a.xml", documents)


DOCUMENT = """<TEI><text><body><p>M&ue;de Kar-<lb/>ten, Karten; well-<lb/>known <![CDATA[a < b]]></p>
<p><choice><orig>alt</orig><reg>neu</reg></choice> l'<hi>eau</hi></p></body><back><p>back</p></back></text></TEI>
<!-- end -->"""


def test_what_is_read_in_another_way_than_it_stands():
    """Words that breaks cut, hyphens that go with the break or stay, entities of a document, CDATA."""
    data = ('<!DOCTYPE TEI [<!ENTITY ue "ue">]>' + DOCUMENT).encode()
    source = spanned(data, "a.xml")
    assert [block.text for block in source.blocks] == ["Muede Karten, Karten; well-known a < b", "neu l'eau"]
    refused = {
        (0, 5): None,  # Muede
        (1, 2): "ends within what is one sign",
        (6, 12): "markup stands between",  # the first Karten
        (6, 9): None,
        (14, 20): None,
        (22, 32): "markup stands between",
        (22, 27): None,
        (33, 34): "no words are replaced",
    }
    for (start, end), reason in refused.items():
        found = source.refusal(TextEdit(0, start, end, "x"))
        assert (found is None) if reason is None else reason in found, (start, end, found)
    edits = [TextEdit(0, 0, 5, "Matt"), TextEdit(1, 4, 6, "la "), TextEdit(1, 6, 9, "mer"), TextEdit(1, 0, 3, "<neu>")]
    expected = data
    for old, new in ((b"M&ue;de", b"Matt"), (b"l'", b"la "), (b"eau", b"mer"), (b"<reg>neu", b"<reg>&lt;neu&gt;")):
        expected = expected.replace(old, new)
    assert source.replaced(edits) == expected


def test_a_corpus_is_one_source_and_parts_are_those_of_the_options():
    data = f"<teiCorpus>{DOCUMENT}{DOCUMENT}</teiCorpus>".replace("&ue;", "&#252;").encode()
    source = spanned(data, "a.xml")
    assert [block.text[:3] for block in source.blocks] == ["Müd", "neu", "Müd", "neu"]
    assert source.replaced([TextEdit(2, 0, 4, "Matt")]) == b"Matt".join(data.rsplit(b"M&#252;de", 1))
    parts = spanned(data, "a.xml", options=ReaderOptions(tei_parts=("back",)))
    assert [block.text for block in parts.blocks] == ["back", "back"]
