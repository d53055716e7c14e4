from concurrent.futures import ThreadPoolExecutor

import pytest
from nets import ends
from reading import entries, summary

TEI = '<TEI xmlns="http://www.tei-c.org/ns/1.0">{}<text><body>{}</body></text></TEI>'


def body(content, prologue="", **options):
    return summary((prologue + TEI.format("", content)).encode(), "tei", **options)


def header(content, text="<p>x</p>"):
    whole = TEI.format(f"<teiHeader>{content}</teiHeader>", text)
    (record,) = entries(whole.encode(), "tei")
    return record.fields


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<head>I.</head><p>One\n   two</p><p>three</p>", "I.\n\nOne two\n\nthree"),
        ("<p>a<hi>b</hi>c <hi>d</hi></p>", "abc d"),
        ("<p>a<note>no</note><fw>no</fw><del>no</del>b</p>", "ab"),
        ("<p><choice><sic>teh</sic><corr>the</corr></choice> x</p>", "the x"),
        ("<p><choice><orig>vp</orig><reg>up</reg></choice></p>", "up"),
        ("<p><choice>\n<abbr>Mr</abbr>\n<expan>Mister</expan>\n</choice> x</p>", "Mister x"),
        ("<div><choice><sic>a</sic><corr>b</corr></choice></div>", "b"),
        ("<p><sic>teh</sic></p>", "teh"),
        ("<p>a<app><lem>b</lem><rdg>c</rdg></app></p>", "ab"),
        ("<lg><l>one</l><l>two</l></lg><lg><l>three</l></lg>", "one two\n\nthree"),
        ("<p>x</p><l>one</l><l>two</l><p>y</p>", "x\n\none two\n\ny"),
        ("<p>he said <quote><l>one</l><l>two</l></quote> so</p>", "he said one two so"),
        ("<div><quote>a</quote><quote>b</quote></div>", "a\n\nb"),
        ("<p>one <!-- no --><?no no?>two</p>", "one two"),
        ("<list><item>a</item><item>b</item></list>", "a\n\nb"),
        ("<p>a<lb/>b</p>", "a b"),
        ("<p>in<pb/>dulged</p>", "indulged"),
        ('<p>Ver<lb break="no"/>bindung</p>', "Verbindung"),
        ('<p>Ver-\n<lb break="no"/>bindung</p>', "Verbindung"),
        ("<p>Ver\u00ad<lb/>bindung</p>", "Verbindung"),
        ("<p>Ver\u00ad\n bindung</p>", "Verbindung"),
        ("<p>Ver\u00ac<pb/>\n bindung Ver\u00adbund</p>", "Verbindung Verbund"),
        ("<p>Krönungs- <pb/> und Grab</p>", "Krönungs- und Grab"),
        ("<p>sun-<pb/> lit</p>", "sun-lit"),
        ("<p>four<pb break='yes'/>five</p>", "four five"),
        ("<p>eig-<lb break='yes'/>ht eight</p>", "eig- ht eight"),
        ("<p>mother-in-<lb/>law, inlaw, mother-in-law</p>", "mother-in-law, inlaw, mother-in-law"),
        ("<p>up-to-<lb/>day-men, up-today-men</p>", "up-today-men, up-today-men"),
        ("<p>sun-<lb/>lit and sunlit</p>", "sunlit and sunlit"),
        ("<p>sun-<lb/>lit, sunlit, sun-lit, sun-lit</p>", "sun-lit, sunlit, sun-lit, sun-lit"),
        ("<p>a <lb/> b <pb n='1'/><pb n='2'/> c</p>", "a b c"),
        ("<p>e\u0301 \u200bx</p>", "é x"),
        ("<p>&amp;&lt;&#233;</p>", "&<é"),
        ("<p>a&#127;b&#xFDD0;c&#xFDD1;d&#13;e</p>", "a b c d e"),  # the marks' own characters
        (
            "<p>Dampf&#xAD;&#13;&#10;  schiff ahoi&#xAD; Dampf&#x2060;er ein&#x200B;mal</p>",
            "Dampfschiff ahoi Dampfer ein mal",
        ),
        ("<p>a\u00a0<pb/>\u2003b <hi>c</hi>\u2028d</p>", "a b c d"),
        ('<p xmlns="">a</p><p>b</p>', "a\n\nb"),
        ('<p>a</p><m:p xmlns:m="other">b</m:p>c', "a\n\nb\n\nc"),
        ('<p>a<m:p xmlns:m="other">b</m:p></p>', "ab"),
        ('<p>a<m:div xmlns:m="other"><hi>b</hi><hi>c</hi></m:div></p>', "abc"),
        ("<p><choice><choice><sic>a</sic><corr>b</corr></choice><orig>c</orig></choice></p>", "b"),
        ("<p>Dampf\u00ad\n <lb/>schiff, Dampf\u00ad\n schiff</p>", "Dampfschiff, Dampfschiff"),
        ('<p>e<lb break="no"/>\u0301x, e\u00ad\u0301y, <w>e</w><w join="left">\u0301z</w></p>', "éx, éy, éz"),
    ],
)
def test_running_text(content, text):
    assert body(content) == [text]


def test_parts():
    text = b"<TEI><text><front><p>f</p></front><body><p>b</p></body><back><p>k</p><note>n</note></back></text></TEI>"
    assert summary(text, "tei") == ["b"]
    assert summary(text, "tei", tei_parts=("body", "front", "back")) == ["f\n\nb\n\nk"]
    assert summary(b"<TEI><text><front><p>f</p></front></text></TEI>", "tei") == [("", "empty")]
    inner = "<text><body><p>a</p></body></text><text><body>b</body></text>"
    group = f"<TEI><text><group>{inner}</group></text></TEI>"
    assert summary(group.encode(), "tei") == ["a\n\nb"]


def test_namespaces():
    for root in ("TEI", 'TEI xmlns="http://www.tei-c.org/ns/1.0"', 'TEI xmlns="http://mine&amp;"'):
        for text in ("text", 'text xmlns=""', 'text xmlns="http://www.tei-c.org/ns/1.0"'):
            content = "<body><p>a<note>b</note></p><p>c<lb/>d</p></body>"
            data = f"<{root}><{text}>{content}</text></TEI>".encode()
            assert summary(data, "tei") == ["a\n\nc d"]


def test_entities_count_in_text_and_in_attributes():
    declared = """<!DOCTYPE TEI [<!ENTITY v "&#xFDD2;"> <!ENTITY no "no"> <!ENTITY e "é">
        <!ENTITY d "&#127;">]>"""
    content = """<p>&e;a&e;<hi>&e;</hi>b&e;&e;c&d;d x-<lb break="&no;"/>y</p>"""
    assert body(content, declared) == ["éaéébééc d xy"]
    content = """<p><w lemma="a&v;b" pos="NOUN">x</w> <w lemma="c" pos="VERB">y</w></p>"""
    (record,) = entries((declared + TEI.format("", content)).encode(), "tei")
    assert record.sentences[0].lemmas == ["a b", "c"]
    assert record.sentences[0].upos == ["NOUN", "VERB"]


@pytest.mark.parametrize(
    "content",
    [
        "<p>abc" + "<lb/> \n" * 200_000 + "b</p>",
        "<p>" + "i-<lb/>n x " * 99 + "in an " * 300_000 + "</p>",
        "<p>" + "&e;" * 30_000 + "</p>",
        "<p>" + "up-<pb/>on " * 30_000 + "</p>",
    ],
)
def test_time_grows_with_length_alone(content):
    declared = '<!DOCTYPE TEI [<!ENTITY e "é">]>'
    with ends():
        assert len(body(content, declared)[0]) > 2


def test_deep_nesting():
    content = "<div>" * 240 + "<p>x</p>" + "</div>" * 240
    assert body(content) == ["x"]


def test_threads_do_not_disturb_each_other():
    data = TEI.format("", "<p>a<note>b</note></p>" * 5000).encode()
    with ThreadPoolExecutor(4) as pool:
        texts = list(pool.map(lambda _: summary(data, "tei"), range(12)))
    assert texts == [["\n\n".join(["a"] * 5000)]] * 12


def test_a_corpus_has_a_record_for_each_text():
    one = "<TEI><teiHeader/><text><body><p>{}</p></body></text></TEI>"
    data = f"<teiCorpus><teiHeader/>{one.format('a')}{one.format('')}{one.format('c')}</teiCorpus>"
    assert summary(data.encode(), "tei") == ["a", ("2", "empty"), "c"]


def bibl(kind, date, attributes=""):
    return f'<bibl type="{kind}"><date {attributes}>{date}</date></bibl>'


@pytest.mark.parametrize(
    ("content", "date"),
    [
        (bibl("printSource", 1959) + bibl("firstEdition", 1843), "1843"),
        (bibl("digitalSource", 2000) + bibl("other", 1870) + bibl("printSource", 1863), "1863"),
        (bibl("digitalSource", 2000) + "<bibl><date>1870</date></bibl>", "1870"),
        (bibl("digitalSource", 2000), None),
        (bibl("firstEdition", "soon") + bibl("printSource", 1863), "1863"),
        (bibl("firstEdition", "soon"), "soon"),
        (bibl("firstEdition", "MDCCC", 'when="1800-05"'), "1800-05"),
        (bibl("firstEdition", "", 'notBefore="1800" notAfter="1805"'), "1800/1805"),
        ("<biblStruct><monogr><imprint><date>1866</date></imprint></monogr></biblStruct>", "1866"),
        (f'<bibl type="digitalSource"><date>2000</date>{bibl("printSource", 1863)}</bibl>', "1863"),
    ],
)
def test_the_date_is_that_of_the_earliest_kind_of_source(content, date):
    other = "<publicationStmt><date>2019</date></publicationStmt>"
    revision = "<revisionDesc><change when='2020'><date>2020</date></change></revisionDesc>"
    whole = f"<fileDesc>{other}<sourceDesc>{content}</sourceDesc></fileDesc>{revision}"
    assert header(whole).get("date") == date


def test_the_creation_gives_the_date_if_no_source_does():
    assert header("<profileDesc><creation>in <date when='1790'/></creation></profileDesc>") == {"date": "1790"}


def test_title_author_language():
    title = "<titleStmt><title>A\n title</title><author>N. N.</author></titleStmt>"
    profile = '<profileDesc><langUsage><language ident="deu"/></langUsage></profileDesc>'
    fields = header(f"<fileDesc>{title}</fileDesc>{profile}")
    assert fields == {"title": "A title", "author": "N. N.", "language": "deu"}
    data = b'<TEI xml:lang="la"><text><body><p>x</p></body></text></TEI>'
    assert entries(data, "tei")[0].fields == {"language": "la"}


def test_words_are_annotation_with_offsets():
    content = (
        '<p><s><w lemma="the" pos="DET">The</w> <w lemma="cat" pos="NOUN">c<hi>at</hi></w>\n'
        '<w lemma="sit" pos="VERB">sat</w><pc>.</pc></s><s><w lemma="it" pos="PRON">It</w></s></p>'
        '<p><w lemma="run" pos="VERB">ran</w></p>'
    )
    (record,) = entries(TEI.format("", content).encode(), "tei")
    assert record.text == "The cat sat. It\n\nran"
    assert [s.forms for s in record.sentences] == [["The", "cat", "sat", "."], ["It"], ["ran"]]
    assert record.sentences[0].lemmas == ["the", "cat", "sit", "."]
    assert record.sentences[0].upos == ["DET", "NOUN", "VERB", "PUNCT"]
    for sentence in record.sentences:
        spans = zip(sentence.starts, sentence.ends, strict=True)
        assert [record.text[a:b] for a, b in spans] == sentence.forms


def test_what_stands_outside_words_is_not_lost():
    content = '<head>I. Don\'t</head><p>One <w lemma="two" pos="NUM">two</w>, three.</p>'
    (record,) = entries(TEI.format("", content).encode(), "tei")
    assert record.text == "I. Don't\n\nOne two, three."
    first, second = record.sentences
    assert (first.forms, first.upos) == (["I", ".", "Don't"], ["X", "PUNCT", "X"])
    assert second.forms == ["One", "two", ",", "three", "."]
    assert second.lemmas == ["One", "two", ",", "three", "."]
    assert second.upos == ["X", "NUM", "PUNCT", "X", "PUNCT"]
    spans = zip(second.starts, second.ends, strict=True)
    assert [record.text[a:b] for a, b in spans] == second.forms


def test_signs_alone_are_no_annotation():
    (record,) = entries(TEI.format("", "<p>Cats sleep<pc>.</pc></p>").encode(), "tei")
    assert (record.text, record.sentences) == ("Cats sleep.", None)


def test_words_within_a_reading_and_within_words():
    content = (
        '<p><choice><w lemma="a">A</w><w lemma="b">B</w></choice> '
        '<app><lem><w lemma="c">C</w></lem><rdg><w lemma="d">D</w></rdg></app> '
        '<w lemma="e&#xFDD2;f">E<w lemma="g">G</w></w><note><w lemma="h">H</w></note></p>'
    )
    (record,) = entries(TEI.format("", content).encode(), "tei")
    assert record.text == "A C EG"
    assert [(s.forms, s.lemmas) for s in record.sentences] == [(["A", "C", "EG"], ["a", "c", "e f"])]


def test_tags_that_are_not_universal_are_left_out():
    content = '<p><w lemma="cat" pos="NN1">cats</w> <w join="left">!</w></p>'
    (record,) = entries(TEI.format("", content).encode(), "tei")
    assert record.text == "cats!"
    assert record.sentences[0].upos is None
    assert record.sentences[0].lemmas == ["cat", "!"]
    content = '<p><w lemma="cat" msd="UPosTag=NOUN|Number=Sing">cat</w></p>'
    (record,) = entries(TEI.format("", content).encode(), "tei")
    assert record.sentences[0].upos == ["NOUN"]


DOCTYPE = "<!DOCTYPE TEI [{}]><TEI><text><body><p>{}</p></body></text></TEI>"
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    ("declared", "used", "outcome"),
    [
        ('<!ENTITY x SYSTEM "file:///etc/passwd">', "&x;", ("", "unsafe")),
        ('<!ENTITY x SYSTEM "file:///etc/passwd">', "unused", ("", "unsafe")),
        ('<!ENTITY x PUBLIC "a" "http://localhost/x">', "&x;", ("", "unsafe")),
        ('<!ENTITY % x SYSTEM "http://localhost/x.dtd"> %x;', "a", ("", "unsafe")),
        ('<!ENTITY l0 "lol">' + LAUGHS, "&l9;", ("", "unsafe")),
        ('<!ENTITY x "' + "x" * 200 + '">', "&x;" * 10, ("", "unsafe")),
        ('<!ENTITY % x " "> %x; <!ENTITY y SYSTEM "file:///etc/passwd">', "&y;", ("", "unsafe")),
        ("<!ENTITY % x \"&#60;!ENTITY y SYSTEM 'file:///x'>\"> %x;", "&y;", ("", "unsafe")),
        ('<!ENTITY % TEI.prose "INCLUDE"> <!ENTITY e "é">', "caf&e;", "café"),  # as TEI P4 has it
        ('<!ENTITY mdash "&#8212;">', "a&mdash;b<hi>c</hi>&mdash;d", "a—bc—d"),
        ("", "caf&eacute;", ("", "malformed")),
    ],
)
def test_entities_are_never_expanded_or_fetched(declared, used, outcome):
    assert summary(DOCTYPE.format(declared, used).encode(), "tei") == [outcome]
    declaration = '<?xml version="1.0" encoding="{}"?>'
    for encoding in ("UTF-16", "UTF-7"):
        data = (declaration.format(encoding) + DOCTYPE.format(declared, used)).encode(encoding)
        (found,) = summary(data, "tei")
        assert found == outcome or (encoding == "UTF-7" and found[1] in ("unsafe", "undecodable"))


def test_named_characters_of_an_external_dtd_are_known_without_it():
    data = '<!DOCTYPE TEI SYSTEM "http://localhost/x.dtd"><TEI><text><body><p>caf&eacute; {}</p></body></text></TEI>'
    assert summary(data.format("").encode(), "tei") == ["café"]
    assert summary(data.format("&what;").encode(), "tei") == [("", "malformed")]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<TEI><text><body><p>cut", "malformed"),
        (b"<html/>", "malformed"),
        (b"", "empty"),
        (b"<TEI><text><body><p>\xff</p></body></text></TEI>", "undecodable"),
        (b"<TEI><text><body><p>\x00</p></body></text></TEI>", "control"),
        (b"<TEI>" + b"<a>" * 5000 + b"</a>" * 5000 + b"</TEI>", "too_large"),
        (b"<TEI><text><body><p>" + b"x" * 11_000_000 + b"</p></body></text></TEI>", "too_large"),
        (b"<?xml version='1.0' encoding='nope'?><TEI/>", "undecodable"),
    ],
)
def test_broken_documents_are_one_reject(data, reason):
    assert summary(data, "tei") == [("", reason)]


def test_declared_encodings_are_followed():
    data = "<?xml version='1.0' encoding='{}'?><TEI><text><body><p>café</p></body></text></TEI>"
    for encoding in ("ISO-8859-1", "windows-1252", "UTF-16"):
        assert summary(data.format(encoding).encode(encoding), "tei") == ["café"]


def test_thousands_of_cut_words_are_no_thousand_searches():
    number = 40_000
    body = "".join(f"{word}-<lb/>gabe {word}gabe " for word in map("w{}x".format, range(number)))
    with ends():
        (record,) = entries(f"<TEI><text><body><p>{body}</p></body></text></TEI>".encode(), "tei")
    assert record.text == "".join(f"w{n}xgabe w{n}xgabe " for n in range(number)).strip()


def test_sentences_without_words_leave_no_marks():
    body = "<p><s>One two.</s> <s>Three.</s></p>"
    assert summary(f"<TEI><text><body>{body}</body></text></TEI>".encode(), "tei") == ["One two. Three."]


def test_all_kinds_of_spaces_are_one_space():
    body = "<p>a\u2000b\u00a0\u2003 c\u3000d</p>"
    assert summary(f"<TEI><text><body>{body}</body></text></TEI>".encode(), "tei") == ["a b c d"]
