import pytest
from reading import entries, summary

from lexbeam.transforms.formats.readers.registry import detect

TREETAGGER = b"The\tDT\tthe\nships\tNNS\tship\nsail\tVBP\tsail\n.\tSENT\t.\n"
KORP = """<!-- #vrt positional-attributes: word ref lemma pos msd -->
<corpus name="c">
<text title="A &quot;ship&quot;" datefrom="18500101" dateto="18511231" lang="fi">
<paragraph id="1">
<sentence id="1">
Laiva\t1\tlaiva\tNOUN\tNUM_Sg
&lt;\t2\t&lt;\tSYM\t_
<g/>
3\t3\t_\tNUM\t_
</sentence>
</paragraph>
<paragraph id="2">
<sentence id="2">
AT&amp;T\t1\tAT&amp;T\tPROPN\t_
</sentence>
</paragraph>
</text>
</corpus>
"""


def words(record):
    return [list(zip(s.forms, s.lemmas or s.forms, s.upos or s.forms, strict=True)) for s in record.sentences]


def test_output_of_treetagger_is_one_document_whose_sentences_end_with_sent():
    (record,) = entries(TREETAGGER * 2, "auto", "a.txt")
    assert (
        words(record)
        == [[("The", "the", "DET"), ("ships", "ship", "NOUN"), ("sail", "sail", "VERB"), (".", ".", "PUNCT")]] * 2
    )
    assert record.text == "The ships sail . The ships sail ."
    assert (record.position, record.fields) == ("", {})


def test_structures_are_documents_fields_paragraphs_and_sentences():
    (record,) = entries(KORP.encode(), "auto", "a.vrt")
    assert record.text == "Laiva <3\n\nAT&T"
    assert record.position == "3"
    expected = {"title": 'A "ship"', "language": "fi", "date": "18500101/18511231"}
    assert {name: record.fields[name] for name in expected} == expected
    assert words(record) == [
        [("Laiva", "laiva", "NOUN"), ("<", "<", "SYM"), ("3", "3", "NUM")],
        [("AT&T", "AT&T", "PROPN")],
    ]
    first, _ = record.sentences
    assert [record.text[a:b] for a, b in zip(first.starts, first.ends, strict=True)] == first.forms


def test_texts_in_a_doc_inherit_its_attributes_and_no_other_doc_has_them():
    data = b"""<doc id="x" year=1850>
<text title='one'>
The
ship
<g/>
.
It
</text>
<text title="two" id="t2">
<meta author="A">
One
</text>
</doc>
<doc id="y">
<text>
Two
"""
    found = entries(data, "vertical")
    assert [record.text for record in found] == ["The ship. It", "One", "Two"]
    assert found[0].fields == {"id": "x", "year": "1850", "date": "1850", "title": "one"}
    assert found[1].fields == {"id": "t2", "year": "1850", "date": "1850", "title": "two", "author": "A"}
    assert found[2].fields == {"id": "y"}
    assert [len(sentence.forms) for sentence in found[0].sentences] == [3, 1]
    assert found[0].sentences[0].lemmas is None


@pytest.mark.parametrize(
    ("lemma", "read"),
    [
        ("<unknown>", "Ships"),
        ("@card@", "Ships"),
        ("__UNDEF__", "Ships"),
        ("", "Ships"),
        ("ship|shipping", "ship"),
        ("|ship|shipping|", "ship"),
        ("|ship|", "ship"),
        ("|", "|"),
        ("-", "Ships"),
    ],
)
def test_lemmas(lemma, read):
    data = f"The\tDT\tthe\nShips\tNNS\t{lemma}\n".encode()
    (record,) = entries(data, "vertical")
    assert record.sentences[0].lemmas == ["the", read]


def test_lempos_loses_its_letter():
    (record,) = entries(b"Ships\tNNS\tship-n\n-\t:\t--x\n", "vertical", columns=("word", "tag", "lempos"))
    assert record.sentences[0].lemmas == ["ship", "-"]


@pytest.mark.parametrize(
    ("rows", "tags"),
    [
        ("Das\tART\tdie\nSchiff\tNN\tSchiff\n.\t$.\t.\n", ["DET", "NOUN", "PUNCT"]),
        ("Le\tDET:ART\tle\nbateau\tNOM\tbateau\nva\tVER:pres\taller\n", ["DET", "NOUN", "VERB"]),
        ("La\tDET:def\til\nnave\tNOM\tnave\nva\tVER:pres\tandare\ne\tCON\te\n", ["DET", "NOUN", "VERB", "CCONJ"]),
        ("La\tART\tel\nnave\tNC\tnave\nva\tVLfin\tir\n", ["DET", "NOUN", "VERB"]),
        ("is\tVBZ\tbe\nhad\tVHD\thave\nsailed\tVVN\tsail\n", ["AUX", "AUX", "VERB"]),
        ("is\tVBZ\tbe\nsailed\tVBN\tsail\n", ["VERB", "VERB"]),
        ("ship\tship\tNN\nthe\tthe\tDT\n", ["NOUN", "DET"]),  # word, lemma, tag
        ("ship\tNN\nthe\tDT\n", ["NOUN", "DET"]),
    ],
)
def test_tags_of_taggers_tell_their_set_and_column(rows, tags):
    (record,) = entries(rows.encode(), "vertical")
    assert record.sentences[0].upos == tags


def test_what_nothing_names_is_refused_and_columns_name_it():
    data = b"ship\tNcfsn\tlod\nsails\tVmip3s\tplout\n"
    ((position, reason),) = summary(data, "vertical")
    assert (position, reason) == ("", "malformed")
    assert "--columns word,pos,lemma" in entries(data, "vertical")[0].detail
    (record,) = entries(data, "vertical", columns=("word", "pos", "lemma"), layers=("xpos",))
    (sentence,) = record.sentences
    assert (sentence.lemmas, sentence.upos, sentence.layers) == (["lod", "plout"], None, (["Ncfsn", "Vmip3s"],))
    assert summary(data, "vertical", columns=("word", "pos")) == [("", "malformed")]


def test_what_is_broken_is_a_reject_of_its_own_and_mixes_nothing():
    data = b"""<text id="a">
<s>
The\tDT\tthe
</s>
<s>
ship\tNN
</s>
<text id="b"
One\tCD\tone
</text>
<text id="\xff">
Two\tCD\ttwo
</text>
"""
    found = entries(data, "vertical")
    assert [(entry.position, getattr(entry, "reason", "")) for entry in found] == [
        ("6", "malformed"),
        ("1", ""),
        ("8", "malformed"),
        ("9", ""),
        ("11", "undecodable"),
        ("12", ""),
    ]
    assert [dict(entry.fields) for entry in found if hasattr(entry, "fields")] == [{"id": "a"}, {}, {}]


def test_no_reject_quotes_a_line_that_may_be_forgotten():
    data = b"""The\tDT\tthe
ship\tSECRET

<doc id="SECRET
</doc><doc id="SECRET"><doc id="SECRET">
sail\tVBP\tsail
"""
    rejects = [entry for entry in entries(data, "vertical") if hasattr(entry, "reason")]
    assert [(reject.position, reject.reason) for reject in rejects] == [
        ("2", "malformed"),
        *[(n, "malformed") for n in "45"],
    ]
    assert not [reject for reject in rejects if "SECRET" in reject.detail]


@pytest.mark.parametrize(
    ("name", "head", "format"),
    [
        ("a.txt", TREETAGGER, "vertical"),
        ("a.tt", TREETAGGER, "vertical"),
        ("a", TREETAGGER, "vertical"),
        ("a.xml", b"<?xml version='1.0'?>\n<text>\n<s>\n" + TREETAGGER, "vertical"),
        ("a.txt", TREETAGGER.replace(b"\n", b"\r"), "vertical"),
        ("a.txt", TREETAGGER.decode().encode("utf-16"), "vertical"),
        ("a.txt", b"<s>\nThe\nship\n<g/>\n.\n</s>\n", "vertical"),
        ("a.txt", b"<p>\n<s>\nThe\tx\ty\nship\tz\ta\n</s>\n", "vertical"),
        ("a.txt", b"1\tThe\tthe\tDET" + b"\t_" * 6 + b"\n2\tship\tship\tNOUN" + b"\t_" * 6 + b"\n", "conllu"),
        ("a.txt", b"One\nTwo\nThree\n", "text"),
        ("a.txt", b"Chapter one\t12\nChapter two\t34\n", "text"),
        ("a.txt", b"name\tage\nAnn\t12\n", "text"),
        ("a.txt", b"The\tDT\tthe\nships\tNNS\tship", "vertical"),
        ("a.txt", "The\tDT\tthe\na\u2028b\tNNS\ta\n".encode(), "vertical"),
        ("a.txt", b"De\tdet__art\tde\nschepen\tnounpl\tschip\n.\t$.\t.\n", "vertical"),
        ("a.txt", "Корабль\tNcmsnn\nидет\tVmip3s\n.\tSENT\n".encode(), "vertical"),
        ("a.txt", TREETAGGER * 3 + b"New York\tNP\n", "vertical"),
        ("a.txt", b"<s>\nThe DT the\nships NNS ship\n</s>\n", "vertical"),
        ("a.txt", b"The\tDT the 1.000\nship\tNN ship 0.9\tNP Ship 0.1\n", "vertical"),
        ("a.txt", b"ship\tSchiff\nsea\tMeer\n", "text"),
        ("a.txt", b"1850\tA\tThe ships sail.\n1851\tB\tThe gulls cry.\n", "text"),
        ("a.txt", b"<p>\nThe ship\n</p>\n", "text"),
        ("a.tsv", TREETAGGER, "csv"),
        ("a.xml", b"<TEI><text><p>\nThe ship\n</p></text></TEI>", "tei"),
        ("a.vrt", b"The\tx\ty\n", "vertical"),
    ],
)
def test_content_tells_vertical_text_under_names_of_text(name, head, format):
    assert detect(name, head) == format


def test_a_file_without_a_token_is_empty():
    assert summary(b"<!-- a -->\n\n", "vertical") == [("", "empty")]
    assert summary(b"<text>\n</text>\n", "vertical") == [("1", "empty")]


def test_spaces_between_columns_are_refused_and_are_no_words():
    (reject,) = entries(b"<doc>\nThe DT the\nships NNS ship\nsail VBP sail\n</doc>\n", "auto", "a.vert")
    assert reject.detail == "vertical text with spaces between its columns; put tabs there"
    (record,) = entries(b"<doc>\nNew York\nSan Juan\nsail\n</doc>\n", "auto", "a.vert")
    assert record.sentences[0].forms == ["New York", "San Juan", "sail"]


def test_a_first_row_may_name_the_columns():
    (record,) = entries(b"Token\tLemma\tPOS\n" + b"ships\tship\tNNS\n" * 2, "auto", "a.txt")
    assert words(record) == [[("ships", "ship", "NOUN")] * 2]
    (record,) = entries(b"word\tpos\tbase\nships\tNNS\tship\n", "vertical", columns=("word", "pos", "lemma"))
    assert words(record) == [[("ships", "ship", "NOUN")]]
    assert summary(b"word\tpos\tlemma\n", "vertical") == [("", "malformed")]
    (record,) = entries(b"<doc>\nword\tlemma\nships\tship\nword\tlemma\n</doc>\n", "auto", "a.vert")
    assert [(s.forms, s.lemmas) for s in record.sentences] == [(["ships", "word"], ["ship", "lemma"])]


def test_unnamed_lemmas_that_all_end_in_a_letter_of_the_part_of_speech_lose_it():
    data = b"The\tDT\tthe-x\nships\tNNS\tship-n\n.\tSENT\t.-x\n"
    assert entries(data, "vertical")[0].sentences[0].lemmas == ["the", "ship", "."]
    data = data.replace(b"the-x", b"the")
    assert entries(data, "vertical")[0].sentences[0].lemmas == ["the", "ship-n", ".-x"]
