"""Where code stands in a text that no reader sees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.formats.readers.page_text import may_be_unread, unread_in


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
