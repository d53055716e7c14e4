"""Pages of the web: what is read of them, the same whenever and after whatever they are read."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nets import ends
from reading import entries, summary

from lexbeam.pipelines.commands.corpus.plan import CorpusOptions, plan_corpus
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.formats.ingest.ingestion import INGEST, IngestOptions
from lexbeam.transforms.formats.readers import html
from lexbeam.transforms.formats.readers.html_tree import without_scripts
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
        chosen = INGEST.chosen(None, IngestOptions(**options))
        return chosen["lexbeam.transforms.formats.readers.registry:READERS"]

    assert "html" not in readers()
    assert "html" in readers(reader=ReaderOptions(html="main"))
    assert readers(format="html") == ("html",)


@pytest.mark.parametrize("declared", ["punycode", "idna", "unicode_escape"])
def test_what_is_no_encoding_of_files_is_not_taken_for_one(declared):
    page = f"<html><head><meta charset={declared}></head><body><p>Größe \\n one.</p></body></html>"
    assert summary(page.encode(), "html", html="all") == ["Größe \\n one."]
