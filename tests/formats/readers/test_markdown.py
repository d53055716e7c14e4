"""What is read of a Markdown document."""

import io
from collections import Counter

import pytest
from nets import ends
from reading import entries, summary

from lexbeam.transforms.formats.readers.registry import read_file


def test_what_is_text_and_what_is_not():
    page = b"""---
title: "A: title"
author: [One, Two]
date: 1850-01-02
lang: en
tags: {no: no}
---
Title *of*
===

One &amp; [two](no "no") ![no](no) `code` <b>bold</b><!-- no -->
goes on\\
here  \nand here<br>there. ~~Struck~~ note[^1], <http://x.y> [name]

    no = 1

- item

  more of it
- [ ] task

> quote
> goes on

| a | b |
|---|---|
| c |   |

```
no
```

<div>
no
</div>

[^1]: A note.

[name]: http://no 'no'
"""
    (record,) = entries(page, name="a.md")
    assert record.text.split("\n\n") == [
        "Title of",
        "One & two code bold goes on\nhere\nand here\nthere. Struck note, http://x.y name",
        *("item", "more of it", "task"),
        *("quote goes on", "a b", "c", "A note."),
    ]
    assert record.fields == {"title": "A: title", "author": "One; Two", "date": "1850-01-02", "language": "en"}


def test_encodings_and_what_is_left_out():
    assert summary("Été".encode("utf-16"), name="a.md") == ["Été"]
    assert summary("Été".encode("cp1252"), name="a.markdown", encoding="cp1252") == ["Été"]
    assert summary(b"\xff", name="a.md") == [("", "undecodable")]
    assert summary(b"a\x00b", name="a.md") == [("", "control")]
    assert summary(b"a\x00b", name="a.md", control="drop") == ["ab"]
    assert summary(b"```\ncode\n```\n", name="a.md") == [("", "empty")]
    assert summary(b"---\ntitle: [\n---\nText.", name="a.md") == ["Text."]
    # A document may begin with HTML, whatever its name says of pages.
    assert summary(b"<!DOCTYPE html>\n<p align=center><b>x</b></p>\n\n# Text", name="a.md") == ["Text"]
    assert summary(b"%PDF-1.4\n1 0 obj\n<<", name="a.md") == [("", "pdf")]


def test_front_matter_is_no_text_and_gives_fields():
    fronts = {
        "yaml": b"---\ntitle: T\ndate: 1850-01-02\n---\n",
        "toml": b"+++\r\ntitle = 'T'\r\n\r\ndate = 1850-01-02\r\n[params]\r\nx = 'no'\r\n+++\r\n",
        "json": b'{"title": "T",\n\n "date": "1850-01-02", "x": {"y": "no"}}\n',
    }
    for end in (b"\r", b"\r\n"):
        fronts |= {f"{kind} {end!r}": front.replace(b"\n", end) for kind, front in fronts.items() if " " not in kind}
    for kind, front in fronts.items():
        for body in (b"Text.", b"\n\nText.\n\n---\n\nMore.\n"):
            (record,) = entries(front + body, name="a.md")
            assert record.text == ("Text.\n\nMore." if b"More" in body else "Text."), kind
            assert record.fields == {"title": "T", "date": "1850-01-02"}, kind


def test_what_only_looks_like_front_matter_is_text():
    assert summary(b"---\n\nOne.\n\n---\n\nTwo.\n", name="a.md") == ["One.\n\nTwo."]
    assert summary(b"One.\n\n+++\na = 1\n+++\n\n---\nb: c\n---\n", name="a.md") == ["One.\n\n+++ a = 1 +++\n\nb: c"]
    assert summary(b"+++\nOne.\n", name="a.md") == ["+++ One."]
    assert summary(b"{one} word\n", name="a.md") == ["{one} word"]
    assert summary(b'{"one": 1} word\n', name="a.md") == ['{"one": 1} word']
    assert summary(b"+++\nnot TOML\n+++\nOne.\n", name="a.md") == ["One."]
    assert summary(b"+++\na = 1\n+++\n\tcode\n\nOne.", name="a.QMD") == ["One."]


def read(text):
    notes = Counter()
    ((_, record),) = read_file("a.md", "a.md", open=lambda: io.BytesIO(text.encode()), notes=notes)
    return record.text, notes


@pytest.mark.parametrize(
    ("text", "found", "note"),
    [
        ("<ruby>漢<rt>かん</rt></ruby>を", "漢を", "ruby readings left out"),
        ("<ruby>漢<rp>(</rp><rt>*かん*<rp>)</ruby>を", "漢を", "ruby readings left out"),
        ("go<span class='pagenum'>[Pg 3]</span>vern", "govern", "printed page numbers left out"),
        ("go[Pg 3]vern", "govern", "printed page numbers left out"),
        ("<math>x<annotation>no</annotation></math>", "x", "annotations of formulas left out"),
        ("a<sup><a href='#n'>1</a></sup> b", "a b", ""),
        ('a {{< b "*c*" >}}d', "a d", "template code left out"),
        ("a {{ `b` }}d `{{ c }}`", "a d {{ c }}", "template code left out"),
        ("a &#123;{ b }} {{c}}d", "a {{ b }} d", "template code left out"),
        ("$$\nx_1 + *y*\n$$\n\na", "a", "formulas in TeX left out"),
        ("a \\{{ b }} {c} $$ to $$$ <b>d</b></i> <rt>e</rt>", "a {{ b }} {c} $$ to $$$ d e", ""),
    ],
)
def test_what_is_in_the_text_and_not_of_it_goes(text, found, note):
    assert read(text) == (found, Counter([note] if note else []))


@pytest.mark.parametrize(
    "text",
    [
        "<b>" * 20_000 + "x" + "</i>" * 20_000,
        "<b class=x>" * 9_000 + "x" + "</b>" * 9_000,
        "{{a}}*b* " * 20_000,
        "{{ *a* " * 20_000,
    ],
)
def test_hostile_tags_and_templates_end_soon(text):
    with ends():
        read(text)
