"""Pages of the web: what is read of them, the same whenever and after whatever they are read.

What is a tag in a page, and what is text: as browsers have it, by two parsers that are not ours.
"""

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from lxml import etree
from lxml.html import HTMLParser
from nets import ends
from reading import entries, summary
from selectolax.lexbor import LexborHTMLParser

from lexbeam.pipelines.commands.corpus.plan import CorpusOptions, plan_corpus
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.formats.ingest.ingestion import Ingest, IngestOptions
from lexbeam.transforms.formats.readers import html
from lexbeam.transforms.formats.readers.html import tags_of, text_between_tags, without_scripts
from lexbeam.transforms.formats.readers.page_text import paragraphs
from lexbeam.transforms.formats.readers.registry import detect
from lexbeam.transforms.formats.records.base import ReaderOptions, Record

SENTENCE = "The {} dog barks all day at the postman, who brings the letters, and nobody minds it. "
ARTICLE = "".join(f"<p>{SENTENCE.format(n) * 3}</p>" for n in ("old", "young", "black"))
PAGE = f"""<!DOCTYPE html>
<html lang="en-GB"><head><meta charset="utf-8"><title>Dogs - The Site</title>
<meta property="og:title" content="Dogs"><meta name="Author" content="A. B.">
<meta name="author" content="C. D."><meta property="article:author" content="https://a.b/c">
<meta property="article:published_time" content="2019-05-04T10:00:00+02:00">
<style>p {{ color: red }}</style></head>
<body><nav><ul><li><a href="/">Home</a></li><li><a href="/more">Subscribe now</a></li></ul></nav>
<article><h1>Dogs</h1>{ARTICLE}<p>Two&nbsp;<br>lines &amp; a <b>w</b>ord.</p></article>
<script>document.write("<p>no</p>")</script><!-- <p>nor this</p> -->
<footer>All rights reserved</footer></body></html>"""
BODY = [(SENTENCE.format(n) * 3).strip() for n in ("old", "young", "black")]


def page(text, **options):
    (found,) = entries(text if isinstance(text, bytes) else text.encode(), "html", **options)
    return found


def test_the_main_text_is_the_article_and_its_fields_are_what_the_page_says():
    found = page(PAGE)
    assert found.text.split("\n\n") == ["Dogs", *BODY, "Two\nlines & a word."]
    assert found.fields == {
        "title": "Dogs",
        "author": "A. B.; C. D.",
        "date": "2019-05-04T10:00:00+02:00",
        "language": "en-GB",
    }


def test_all_is_what_a_reader_sees():
    found = page(PAGE, html="all").text.split("\n\n")
    assert found[:2] == ["Home", "Subscribe now"]
    assert found[3:-2] == BODY
    assert found[-1] == "All rights reserved"


def test_the_option_says_what_becomes_of_pages():
    data = PAGE.encode()
    assert detect("a.HTM", b"") == detect("a.xhtml.gz", b"") == detect("a", data) == "html"
    assert summary(data, name="a.txt") == summary(b"One.", name="a.html") == [("", "html")]
    (main,) = summary(data, name="a.txt", html="main")
    assert main == page(PAGE).text
    assert page(PAGE, html="reject").text == main
    with pytest.raises(UsageError, match="did you mean 'main'"):
        ReaderOptions(html="mian")


@pytest.mark.parametrize(
    ("head", "encoding", "options"),
    [
        ("<meta charset=iso-8859-1>", "cp1252", {}),
        ("<meta charset='Windows-1251'>", "cp1251", {}),
        ("<meta http-equiv=a content='text/html; charset=euc-jp'>", "euc-jp", {}),
        ("<meta charset=gb2312>", "gb18030", {}),
        ("<meta charset=utf-16>", "utf-8", {}),
        ("", "utf-8-sig", {}),
        ("<meta charset=latin1>", "utf-16", {}),
        ("", "utf-32", {}),
        ("", "utf-8", {}),
        ("", "koi8-r", {"encoding": "koi8-r"}),
        ("<meta charset=utf-8>", "koi8-r", {"encoding": "koi8-r"}),
        ("<meta charset=nobodys>", "utf-8", {}),
        ("<meta charset=hex>", "utf-8", {}),
    ],
)
def test_the_encoding_is_the_mark_then_the_pages_then_the_option(head, encoding, options):
    words = {"cp1252": "“naïve”", "euc-jp": "犬が吠える", "gb18030": "狗在叫"}.get(encoding, "собака")
    data = f"<html><head>{head}</head><body><p>{words} 1".encode(encoding)
    assert page(data, html="all", **options).text == f"{words} 1"


def test_what_is_of_no_encoding_is_undecodable():
    for head in ("", "<meta charset=utf-8>"):
        data = f"<html>{head}<p>caf\xe9".encode("latin-1")
        assert page(data)[1] == "undecodable"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("One<p>Two<div>Three</div>Four", ["One", "Two", "Three", "Four"]),
        ("<ul><li>One<li>Two</ul>", ["One", "Two"]),
        ("<table><tr><td>a<td>b<tr><th>c</table>", ["a b", "c"]),
        ("a<span>b</span>c <i>d</i>", ["abc d"]),
        ("a<br>b<br/><br>c", ["a\nb\nc"]),
        ("<pre>\na\n  <b>b\nc</b></pre>\nd\ne", ["a\nb\nc", "d e"]),
        ("<pre>a\n \n\nb<i>c</i>\n</pre>", ["a", "bc"]),
        (
            "<p>a<span role=doc-noteref>1</span> b<sup>[<a epub:type='noteref x'>2</a>]</sup>, c<sup>th</sup>",
            ["a b, cth"],
        ),
        ("a<!-- b -->c<!-->d<!--->e", ["acde"]),
        ("a<script>b</script>c<style>d</style>e<noscript>f</noscript>", ["ace"]),
        ("a<script>'</scr' + '<p>'</SCRIPT >b", ["ab"]),
        ("a<script>b", ["a"]),
        ("a<!-- b", ["a"]),
        ("<textarea><!-- a</textarea>b", ["<!-- a", "b"]),
        ("<title><script></title>a", ["a"]),
        ("<p hidden>a<b>b</b></p>c<p style='DISPLAY : none'>d</p>", ["c"]),
        ("a<b style='Visibility:hidden'>b<i style='visibility: visible'>c</i>d</b>e", ["ace"]),
        ("<b style='display:none; display:block'>a</b><i style='backface-visibility: hidden'>b</i>", ["ab"]),
        ("&amp;lt; &lt;p&gt; &eacute;&#233;&nbsp;x&nosuch;", ["&lt; <p> éé x&nosuch;"]),
        ("<p title='<script>'>a</p><p title=\"-->\">b", ["a", "b"]),
        ("<unknown>a</unknown><x:y>b</x:y>", ["ab"]),
        ("a < b <3 c", ["a < b <3 c"]),
        ("Dampf&shy;schiff&#8203;", ["Dampfschiff"]),
    ],
)
def test_paragraphs_are_as_a_browser_shows_them(body, expected):
    found = page(f"<html><body>{body}", html="all")
    assert found.text.split("\n\n") == expected


@pytest.mark.parametrize(
    ("head", "name", "value"),
    [
        ("<title>A &amp;\n B</title>", "title", "A & B"),
        ("<title>T</title><meta name=citation_title content=C>", "title", "C"),
        ("<meta name=DC.creator content=A><meta name=author content=B>", "author", "A"),
        ("<meta name=date content=soon><meta name=dc.date content=1850>", "date", "1850"),
        ("<meta name=date content=soon>", "date", "soon"),
        ('<script type="application/ld+json">{"datePublished": "2001-02-03"}</script>', "date", "2001-02-03"),
        ("</head><time datetime=2000-01-01>", "date", None),
        ("</head><time pubdate datetime=2000-01-01>", "date", "2000-01-01"),
        ("<meta http-equiv=content-language content=de>", "language", "de"),
        ("<title> </title><meta name=author content=' '>", "title", None),
        ("</head><p>12 May 1999, by A. B.", "date", None),
    ],
)
def test_fields_are_what_a_page_states_and_no_guesses(head, name, value):
    found = page(f"<html><head>{head}</head><p>One.", html="all")
    assert found.fields.get(name) == value


def test_pages_without_text_are_empty():
    for text in ("<html></html>", "<!DOCTYPE html>", "<html><body> &nbsp; <script>x</script>"):
        for way in ("main", "all"):
            assert page(text, html=way)[1] == "empty"


HOSTILE = {
    "deep": "<div>" * 100_000 + "x",
    "unclosed": "<b>x" * 50_000,
    "attributes": "<p " + " ".join(f"a{n}" for n in range(60_000)) + ">x",
    "quoted": "<p " + " ".join(f"a{n}='>'" for n in range(60_000)) + ">x",
    "slashes": "<p" + "/a" * 60_000 + ">x",
    "gap": "<p" + "/ " * 200_000 + ">x",
    "cut tag": "<p " + "a=b " * 60_000,
    "linked data": "<script type=application/ld+json>" + '"@type": [' * 50_000 + "</script>x",
    "scripts": "<script>" * 100_000,
    "comments": "<!-- a --" * 100_000,
    "entities": "<!DOCTYPE html [<!ENTITY a 'b'>" + "<!ENTITY c '&a;&a;'>" * 9 + "]><p>&c;x",
    "references": "&#0;&#1;&#xd800;&#x110000;&#99999999999999;x" * 1000,
    "brackets": "<" * 200_000,
    "names": "".join(f"<meta name=author content=a{n}>" for n in range(20_000)) + "x",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_pages_end_soon_as_a_document_or_a_reject(kind):
    for way in ("main", "all"):
        with ends():
            found = page("<html>" + HOSTILE[kind], html=way)
        if isinstance(found, Record):
            found.text.encode()
            assert "\x00" not in found.text
        else:
            assert found.reason in ("too_large", "empty", "malformed", "control")


def test_a_page_of_many_tags_is_for_all_alone():
    text = "<html><body>" + "<p>One." * 60_000
    assert page(text)[1:] == ("too_large", "a page of over 50000 tags; see --html all")
    assert page(text, html="all").text.count("One.") == 60_000


MARKUP = st.lists(
    st.sampled_from(["<p>", "</p>", "<div a='b'>", "<b>", "<script>", "</script>", "<!--", "-->", "<br>", "<td>"])
    | st.text(alphabet="ab <>&;'\"=/!-\n\xe9", max_size=8)
).map("".join)


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(MARKUP)
def test_scripts_and_comments_go_and_nothing_else(text):
    """Without them a page is what it was; libxml2, which parses them, reads the same of both."""
    gone = without_scripts(text).page
    if not any(mark in text.lower() for mark in ("<!--", "<script")):
        assert gone == text
    before, after = (html.parsed("<html><body>x" + page) for page in (text, gone))
    assert paragraphs(after) == paragraphs(before)


PROGRAM = """
import io, sys, time
sys.path[:0] = sys.argv[1:5]
import test_html as t
pages = [t.PAGE, t.PAGE.replace("dog", "cat"), t.PAGE, t.PAGE.replace("<p>", "<div>")]
if sys.argv[5] == "back":
    pages.reverse()
    now = time.time  # as if it were another year
    time.time = lambda: now() - 1e9
found = [repr((t.page(p).text, t.page(p).fields, t.page(p, html="all").text)) for p in pages]
sys.stdout.buffer.write("\\n".join(found if sys.argv[5] != "back" else found[::-1]).encode())
"""


@pytest.mark.slow
def test_neither_time_nor_order_nor_hashes_change_what_is_read():
    folders = [str(folder) for folder in Path(__file__).parents[:4]]  # up to the root of the repository
    found = set()
    for way, seed in (("forth", "1"), ("back", "2")):
        words = [sys.executable, "-c", PROGRAM, *folders, way]
        env = {**os.environ, "PYTHONHASHSEED": seed, "TZ": "Asia/Tokyo" if seed == "2" else "UTC"}
        found.add(subprocess.run(words, capture_output=True, check=True, env=env).stdout)
    assert len(found) == 1
    assert b"dog barks" in found.pop()


def test_a_missing_package_is_told_before_anything_is_read(tmp_path, monkeypatch):
    (tmp_path / "a.html").write_text(PAGE)
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    for format, way in (("html", "reject"), ("auto", "main"), ("html", "main")):
        options = CorpusOptions(
            inputs=(str(tmp_path),),
            out=str(tmp_path / "out"),
            format=format,
            reader=ReaderOptions(html=way),
            engine="builtin:en",
        )
        with pytest.raises(UsageError, match=r"trafilatura: .*\bhtml\b"):
            plan_corpus(options)
    for format, way in (("auto", "reject"), ("html", "all"), ("text", "main")):
        options = CorpusOptions(
            inputs=(str(tmp_path),),
            out=str(tmp_path / "out"),
            format=format,
            reader=ReaderOptions(html=way),
            engine="builtin:en",
        )
        plan_corpus(options)


def test_the_package_counts_only_where_pages_are_read():
    def readers(**options):
        chosen = Ingest(IngestOptions(**options)).chosen(None)
        return chosen["lexbeam.transforms.formats.readers.registry:READERS"]

    assert "html" not in readers()
    assert "html" in readers(reader=ReaderOptions(html="main"))
    assert readers(format="html") == ("html",)


@pytest.mark.parametrize("declared", ["punycode", "idna", "unicode_escape"])
def test_what_is_no_encoding_of_files_is_not_taken_for_one(declared):
    page = f"<html><head><meta charset={declared}></head><body><p>Größe \\n one.</p></body></html>"
    assert summary(page.encode(), "html", html="all") == ["Größe \\n one."]


WORD = re.compile(r"w\d+")
EMPTY = re.compile(r"<\w[^>]*/>")  # is empty to libxml2, as XHTML has it, whatever its name
UNSEEN = ("script", "style", "iframe", "noembed", "noframes")
INTEGRATION = {"svg": ("desc", "title", "foreignObject"), "math": ("mi", "mtext")}
RAW = (*UNSEEN, "title", "textarea", "xmp", "plaintext")


def ours(page):
    """Return the words of a page that are text, in the order of their numbers, which is that of the page."""
    return [word for start, end, *_ in text_between_tags(page) for word in WORD.findall(page[start:end])]


def in_order(texts):
    return sorted(WORD.findall(" ".join(texts)), key=lambda word: int(word[1:]))


def of_lexbor(page):
    root = LexborHTMLParser(page).root
    return in_order(
        node.text_content for node in root.traverse(include_text=True) if node.tag == "-text" and _is_seen(node)
    )


def _is_seen(node):
    """Whether a text is none of a script or the like; drawings and formulas have elements of the same names."""
    above = node.parent
    if above is None or above.tag not in UNSEEN:
        return True
    names = []
    while above is not None:
        names.append(above.tag)
        above = above.parent
    of = ""
    for name in reversed(names[1:]):
        if of and name in INTEGRATION[of]:
            of = ""
        elif not of and name in INTEGRATION:
            of = name
    return bool(of)


def of_libxml2(page):
    """Return what is text to libxml2, which has no drawings and formulas."""
    root = etree.fromstring(page.encode(), HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True))
    return in_order(root.xpath("//text()[not(" + " or ".join(f"parent::{name}" for name in UNSEEN) + ")]"))


# What decides the states of the tokenizer, and a word `{}` in each of them.
PIECES = [
    *("{} ", "<p>{}</p>", "< {} >", "<3 {}>", "a<b {}>", "<p {}", ">", "'", '"', "&lt;{}", "=", "/>", " {}"),
    *("<!-- {} -->", "<!-->{}", "<!--->{}", "<!-- {} --!>", "<!--{}", "-->", "--!>", "<!-- -- "),
    *("<!--!>{}", "<!---!>{}", "<!----!>{}", "<!--->-->{}", "<!-- <!-- {} -->"),
    *("<!DOCTYPE {}>", "<!{}>", "<?{}>", "</ {}>", "</>{}", "<![CDATA[ {} > {} ]]>", "</{}>", "<", "</"),
    *("<a b={}>", "<a b='{}>'>", '<a b="{}>">', "<a b=x{}/>", '<a {}=">"c>', "<a b= >{}", "<a ='{}'>", "<a b\n=\n{}>"),
    *("<a\fb={}>", "<a\x0bb>{}", "<a\xa0b='>{}'>", "<a/{}/>", "<A HREF={}>", "<a '{}>", "<b\r{}>"),
    *(f"<{name}>{{}}" for name in RAW[:-1]),
    *(f"</{name}>{{}}" for name in RAW),
    *("<script {}>", "<SCRIPT>{}</ScRiPt>", "</script {}='>'>", "</script\n>{}", "</scripts>{}", "<script", "</script"),
    *("<script/>{}", "<\u017fcript>{}", "<style\xa0>{}", "</style\x0b>{}", "</style/{}>", "</title x='{}>'>", "</xmp"),
]
FOREIGN = [
    *("<svg>{}", "</svg>{}", "<math>{}", "</math>{}", "<svg/>{}", "<desc>{}</desc>", "<mi>{}</mi>", "<g/>"),
    *("<svg><![CDATA[ {} > </svg> ]]>{}</svg>", "<foreignObject><p>{}</p></foreignObject>", "<svg><p>{}", "<style/>{}"),
    *("<title>{}</title>", "<mtext><title>{}</title></mtext>", "<![CDATA[{}]]>", "<font>{}", "<font color=x>{}"),
]
CASES = [
    ("<script>w1 <!-- <script> w2 </script> w3 --></script>w4", ["w4"]),
    ("<script>w1 <!-- <script> w2 </script> w3 </script>w4", ["w4"]),
    ("<script>w1 <!-- <script> w2 --> w3 </script>w4", ["w4"]),
    ("<script>w1 <!--> <script> </script>w4", ["w4"]),
    ("<script>w1 <!-- </script>w4", ["w4"]),
    ("<script>w1 <!-- <script> </script>w4", []),
    ("<script>w1 <!-- <scripts> </script>w4", ["w4"]),
    ("<script>w1 <!-- <script/w2> </script/> w3 </script w4>w5", ["w5"]),
    ("<script>w1 <!-- <script> --!> </script> w4", []),
    ("<style>w1 <!-- </style>w2 -->", ["w2"]),
    ("<title>w1 <b>w2</title>w3", ["w1", "w2", "w3"]),
    ("<textarea><script>w1</textarea>w2", ["w1", "w2"]),
    ("<plaintext>w1</plaintext>w2<!-- w3", ["w1", "w2", "w3"]),
    ("<!-->w1<!--->w2<!-- --!>w3<!--->--->w4<!-- w5", ["w1", "w2", "w3", "w4"]),
    ('<a b=c>w1<a b="w2>w3">w4<a b=w5/>w6<a b\'=>w7', ["w1", "w4", "w6", "w7"]),
    ("<svg><![CDATA[w1 > </svg>]]>w2</svg><![CDATA[ w3 > w4", ["w1", "w2", "w4"]),
    ("<svg><style/>w1<title/>w2</svg>w3<svg><p>w4<title><b>w5</title>", ["w1", "w2", "w3", "w4", "w5"]),
]


def numbered(pieces):
    """Return a page of pieces, with a word of its own for each place of one."""
    numbers = itertools.count(1)
    return re.sub(r"\{\}", lambda _: f"w{next(numbers)} ", "".join(pieces))


@pytest.mark.parametrize(("page", "words"), CASES)
def test_text_is_what_browsers_take_for_text(page, words):
    assert ours(page) == words


def test_parsers_that_are_not_ours_say_the_same():
    wrong = [(page, words, of_lexbor(page)) for page, words in CASES if of_lexbor(page) != words]
    assert not wrong
    plain = [case for case in CASES if "<svg" not in case[0]]
    wrong = [(page, words, of_libxml2(page)) for page, words in plain if of_libxml2(page) != words]
    assert not wrong


def test_a_reader_sees_what_is_text():
    for page, words in (
        ("<p>a<script>b;<!-- <script> c </script> d --></script>e", "ae"),
        ("<p>a<style>b</style x='>'>c", "ac"),
        ("<p>a<svg><style/>b<title/></svg>c<svg><![CDATA[ > </svg>d]]></svg>e", "ace"),
        ("<p>a<script>b</script\n>c<\u017fcript>d", "ac<\u017fcript>d"),
        ("<?xml version='1.0'?><html><head><title/><script src='x'/></head><p>a<textarea/>b", "ab"),
    ):
        assert summary(page.encode(), name="a.html", html="all") == [words], page


PAGES = st.lists(st.sampled_from(PIECES), max_size=14)
FOREIGN_PAGES = st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(FOREIGN)), max_size=14)
FEW = settings(suppress_health_check=[HealthCheck.too_slow])


@FEW
@given(PAGES)
def test_any_page_has_the_text_that_parsers_find(pieces):
    page = "<body>" + numbered(pieces)
    assert ours(page) == of_lexbor(page)
    assert EMPTY.search(page) or ours(page) == of_libxml2(page)


@pytest.mark.soak
@settings(FEW, max_examples=20_000)
@given(PAGES)
def test_any_page_has_the_text_that_parsers_find_in_20000(pieces):
    page = "<body>" + numbered(pieces)
    assert ours(page) == of_lexbor(page)
    assert EMPTY.search(page) or ours(page) == of_libxml2(page)


# Sections in places of drawings where a page goes on are sections only before its first element: nobody writes such.
SECTION_THERE = re.compile(r"<(?:desc|title|foreignObject|mi|mtext)>.*<!\[CDATA", re.DOTALL)


@FEW
@given(FOREIGN_PAGES)
def test_drawings_and_formulas_have_the_text_that_a_parser_finds(pieces):
    page = "<body>" + numbered(pieces)
    assume(not SECTION_THERE.search(page))
    assert ours(page) == of_lexbor(page)


@FEW
@given(FOREIGN_PAGES)
def test_markup_follows_each_other_and_covers_what_is_no_text(pieces):
    page = numbered(pieces)
    place = 0
    for tag in tags_of(page):
        assert place <= tag.start < tag.end <= len(page)
        place = tag.end
