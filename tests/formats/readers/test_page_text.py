"""What stands within the text of a page and is not of it goes, and a word around it stays one.

Where code stands in a text that no reader sees.
"""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nets import ends

from lexbeam.transforms.formats.readers.html import page_root
from lexbeam.transforms.formats.readers.page_text import may_be_unread, paragraphs, unread_in

PAGE = "printed page numbers left out"
NUMBERS = (
    "12",
    "xii",
    "[Pg 12]",
    "[p. 12]",
    "{12}",
    "|12|",
    "Page 12",
    "Seite 12",
    "S. 12",
    "[12r]",
    "12 of 20",
    "第12頁",
)
MARKS = (
    "<span epub:type='pagebreak' id='p12'>{}</span>",
    "<a role='doc-pagebreak'>{}</a>",
    "<span class='pagenum'>{}</span>",
    "<span class='x pageno'><a id='n'>{}</a></span>",
    "<span class='x-ebookmaker-pageno' title='a'>{}</span>",
    "<span><span class='pagenum ws-pagenum'>&#8203;{}</span></span>",
    "<i class='page-number'>{}</i>",
    "<span class=pageNum>{}</span>",
    "<sup class='page_num'>{}</sup>",
    "<span class='pb'>{}</span>",
    "<span class='page'>{}</span>",
    "<a name='p12'>{}</a>",
    "<a id='Page_12'>{}</a>",
    "<a name='seite0012'>{}</a>",
    "<a id='Page_xii'>{}</a>",
    "<pagenum>{}</pagenum>",
    "<span data-type='pagebreak'>{}</span>",
    "<span class='newpage'><a name='n'>{}</a></span>",
)


def read(body):
    notes = Counter()
    return "|".join(paragraphs(page_root(f"<html><body>{body}", notes))), notes


def test_a_word_around_the_number_of_a_page_stays_one():
    wrong = []
    for mark, number in itertools.product(MARKS, NUMBERS):
        body = f"<p>govern{mark.format(number)}ment and rest{mark.format(number)} of it</p>"
        by_place = "_12" in mark or "0012" in mark or "_xii" in mark
        found = read(f"<p>govern{mark.format(number)}ment</p>" if by_place else body)
        text = "government" if by_place else "government and rest of it"
        if found != (text, {PAGE: 1 if by_place else 2}):
            wrong.append((body, found))
    assert not wrong


@pytest.mark.parametrize(
    "body",
    [
        "He is <span id='age'>12</span>.",
        "see <a href='#p12'>page 12</a>",
        "see <a id='Page_12' href='b.html'>12</a> here",
        "see <a id='Page_12'>13</a> here",
        "<h2 class='pagebreak'>XII</h2>",
        "<h2 class='page-number'>12</h2>",
        "<table><tr><td class='pb'>12</td></tr></table>",
        "<p class='page-break'>XII</p>",
        "<span class='pagenum'>In 1850 they sailed.</span>",
        "<span class='pagenum'>12 men and 13 women</span>",
        "<span epub:type='pagebreak'>and so they sailed</span>",
        "the <span class='page'>12</span> men",
        "<rt>no ruby</rt>",
        "[p. 12] and [12]",
        "<span class='pg-dropcap'>I</span>n the year",
        "<span class='page-first-letter'>D</span>avid",
        "<i class='firstpage'>C</i>ivil war",
        "Louis X<small class='page'>IV</small>th",
        "X<span class='p1'>V</span>I",
        "has <span class='pages'>300</span>pp.",
        "<span class='verse' id='p3'>3</span>And",
        "as said <i class='cite'>[p. 12]</i>, so",
        "Ab<a class='page-link' href='?p=2'>2</a>c",
        "<div class='page'><p>All of a page.</p></div>",
        "<div class='pb'><p>All of a page.</p></div>",
    ],
)
def test_text_is_no_mark(body):
    text, notes = read(body)
    assert (text, notes) == (read(body.replace("class=", "x=").replace("id=", "y=").replace(":type", ""))[0], {})


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("The govern-{}ment and government", "The government and government"),
        ("The govern- {}\nment and Government", "The government and Government"),
        ("The well-{}known man", "The well-known man"),
        ("The re-{}cover, recover, re-cover, re-cover", "The re-cover, recover, re-cover, re-cover"),
        ("Ships- {} and boats", "Ships- and boats"),
        ("govern¬{}ment", "government"),
        ("Dampf⸗{}ſchiff", "Dampfſchiff"),
        ("<i>govern</i>-{}<b>ment</b> a-{}b-{}c", "govern-ment a-b-c"),
        ("a-{}b-{}c ab", "ab-c ab"),
    ],
)
def test_a_hyphen_before_the_number_of_a_page_goes_where_the_text_has_the_word_without_one(body, text):
    for mark in ("<span class='pagenum'>12</span>", "<a id='Page_12'>[12]</a>", "[Pg 12]"):
        assert read(f"<p>{body.replace('{}', mark)}</p>") == (text, {PAGE: body.count("{}")})


def test_a_mark_without_number_is_no_space():
    for mark in (
        "<span class=pagenum title=12>&nbsp;</span>",
        "<a class=pb id=Page_12></a>",
        "<span role=doc-pagebreak>",
    ):
        assert read(f"<p>govern{mark}ment</span>") == ("government", {})


@pytest.mark.parametrize(
    ("body", "text", "readings"),
    [
        ("<ruby>漢<rt>かん</rt></ruby>を", "漢を", 1),
        ("<ruby>漢<rt>かん</ruby>を", "漢を", 1),
        ("<ruby>漢<rp>(<rt>かん<rp>)</ruby>を", "漢を", 1),
        ("<ruby><rb>東<rb>京<rt>とう<rt>きょう</ruby>へ", "東京へ", 2),
        ("<ruby><rb>東<rt>とう<rb>京<rt>きょう</ruby>へ", "東京へ", 2),
        ("<ruby><rbc><rb>東</rb><rb>京</rb></rbc><rtc><rt>とう</rt></rtc></ruby>", "東京", 1),
        ("<ruby><ruby>東<rt>とう</rt></ruby><rt>East</rt></ruby>", "東", 2),
        ("<ruby>\n <rb>漢</rb>\n <rt>かん</rt>\n <rb>字</rb>\n <rt>じ</rt>\n</ruby>\nを", "漢字 を", 2),
        ("<ruby>Tom <rt>a</rt>Sawyer <rt>b</rt></ruby>sails", "Tom Sawyer sails", 2),
    ],
)
def test_readings_are_no_text(body, text, readings):
    assert read(body) == (text, {"ruby readings left out": readings})


@pytest.mark.parametrize(
    "body",
    [
        "<math><semantics><mi>x</mi><annotation>\\x</annotation></semantics></math>",
        "<math><semantics><mi>x</mi><annotation-xml><p>x</p></annotation-xml></semantics></math>",
        "<i><i class=katex-mathml><math><mi>x</mi></math></i><i class=katex-html>x</i></i>",
        "x<span class=MJX_Assistive_MathML><math><mi>x</mi></math></span>",
        "<b><mjx-math>x</mjx-math><mjx-assistive-mml><math><mi>x</mi></math></mjx-assistive-mml></b>",
    ],
)
def test_a_formula_is_read_once(body):
    assert read(f"a {body}.") == ("a x.", {"annotations of formulas left out": 1})


@pytest.mark.parametrize("drawn", ["<svg><path/></svg>", "<mjx-math><mjx-c></mjx-c></mjx-math>", ""])
def test_a_formula_that_is_drawn_is_read_where_it_is_said_again(drawn):
    assert read(f"a <b>{drawn}<i class=MJX_Assistive_MathML>x</i></b>.") == ("a x.", {})
    assert read(f"a <b>{drawn}<mjx-assistive-mml>x</mjx-assistive-mml></b>.") == ("a x.", {})


def test_code_of_templates_goes_but_where_it_is_shown():
    assert read("a {{ b }}c {% d %}<pre>{{ e }}</pre><code>{% <b>f %}</b></code>{{ g") == (
        "a c|{{ e }}|{% f %}{{ g",
        {"template code left out": 2},
    )


WORDS = st.lists(st.text("abcdé漢", min_size=1, max_size=5), min_size=1, max_size=6)
IN_WORDS = st.sampled_from(
    [
        *("<span class='pagenum'>[Pg 7]</span>", "[Pg 7]", "<a id='Page_7'>7</a>", "<pagenum>7</pagenum>"),
        *("{{ x }}", "{% x %}", "$$x^2$$", "<ruby><rt>よ</rt></ruby>", "<math><annotation>x</annotation></math>"),
        *("<a epub:type='noteref'>1</a>", "<sup><a href='#n'>1</a></sup>", "<i></i>", ""),
    ]
)


@given(WORDS, st.data())
def test_what_goes_neither_joins_nor_parts_words(words, data):
    """Marks are put within, before and behind words of letters; the words that come out are those."""
    body = []
    for word in words:
        place = data.draw(st.integers(0, len(word)))
        mark = data.draw(IN_WORDS)
        if "$$" in mark:  # beside a letter that is a word with dollars
            place, mark = len(word), f" {mark}"
        body.append(word[:place] + mark + word[place:])
    assert read(f"<p>{' '.join(body)}</p>")[0] == " ".join(words)


@pytest.mark.parametrize(
    "body",
    [
        "<ruby><rb>" * 1000 + "a",
        "<ruby>" + "<rt><rb>a" * 500,
        "<span class=pagenum>" * 1000 + "1",
        "{{" * 200_000,
        "{%" * 200_000,
        "{{a}" * 100_000,
        "{" * 400_000,
        "$$x" * 100_000,
        "$$\\" * 100_000,
        "[Pg " * 100_000,
        "a-[Pg 1]" * 20_000 + "a",
        "a-<b class=pb>1</b>" * 20_000 + "a",
        "x<b class=MJX_Assistive_MathML></b>" * 10_000,
        "<%" * 200_000,
        "|1" * 200_000,
        "{{ {a {a}" * 50_000,
        "<a class='" + "x-" * 100_000 + "page'>1</a>",
        "<b class=pagenum>" + "1 " * 100_000,
    ],
)
def test_hostile_marks_end_soon(body):
    with ends():
        read(body)


def left(text):
    done, pieces = 0, []
    for start, end, _ in unread_in(text):
        pieces.append(text[done:start])
        done = end
    return "".join([*pieces, text[done:]])


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a {{ b }} c", "a  c"),
        ('{{< ref "x" >}}{{% b %}}{{- c -}}', ""),
        ("{{{ html }}}", ""),
        ("{{ {'a': 1} }}b", "b"),
        ("{{cite|a={{b}} c}}d", "d"),
        ("{% if a %}b{%- endif -%}{# c #}", "b"),
        ("{{ a\nb }}c", "c"),
        ("{a} {b {c} {50%} %} #} }} {{", "{a} {b {c} {50%} %} #} }} {{"),
        ("{{ a {% b %} c", "{{ a  c"),
        ("$$x$$, $$E = mc^2$$; $$\n\\frac{1}{2}\n$$.", ", ; ."),
        ("$5, $$ to $$$, $$$$, A$$hole_$$, US$$1=$$", "$5, $$ to $$$, $$$$, A$$hole_$$, US$$1=$$"),
        ("The $$ sign and the $$ sign", "The $$ sign and the $$ sign"),
        ("con[Pg 13]tinued [Pg. xii] [Pg] [p. 3]", "continued  [Pg] [p. 3]"),
        ("con[p. 13]tinued ver[S. 3]loren it[p. 3] [p. 3]it x[3]y", "continued verloren it[p. 3] [p. 3]it x[3]y"),
        (
            "govern[12]ment Re{3}gie go|4|ing fo[fol. 2v]lio no[3] x[12]yz a|4|b [5]no",
            "government Regie going folio no[3] x[12]yz a|4|b [5]no",
        ),
        ("a <%= name %>b <% if %> 5 <% 6", "a b  5 <% 6"),
        ("{{a}, {b}} {{1}, {1,2}} {{ {a: {b: 1}} }}c", "{{a}, {b}} {{1}, {1,2}} c"),
        ("Pay $$ now = $$ later", "Pay $$ now = $$ later"),
        ("$$ - cheap / good; $$ - fair", "$$ - cheap / good; $$ - fair"),
        ("/tmp/x.$$ or ~/y_$$ and $$ foo_bar $$", "/tmp/x.$$ or ~/y_$$ and $$ foo_bar $$"),
        ("$$ x = y + 1 $$ $$\\text{the mean}$$ $$sin x = 0$$ $$v_{max}^2$$ .", "    ."),
    ],
)
def test_what_is_read(text, read):
    assert left(text) == read


@given(st.text("ab{}%#$ [Pg1]<>|\\^\n", max_size=30))
def test_places_are_in_order_and_foretold(text):
    found = list(unread_in(text))
    assert not found or may_be_unread(text)
    places = [place for start, end, _ in found for place in (start, end)]
    assert places == sorted(places)
    assert all(text[start:end][0] in "{$[<|" for start, end, _ in found)


@given(st.text(st.characters(exclude_characters="{$[<|"), max_size=40))
def test_text_without_their_signs_is_text(text):
    assert list(unread_in(text)) == []
