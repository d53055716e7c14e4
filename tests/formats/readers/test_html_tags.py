"""What is a tag in a page, and what is text: as browsers have it, by two parsers that are not ours."""

import itertools
import re

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from lxml import etree
from lxml.html import HTMLParser
from reading import summary
from selectolax.lexbor import LexborHTMLParser

from lexbeam.transforms.formats.readers.html import tags_of, text_between_tags

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
