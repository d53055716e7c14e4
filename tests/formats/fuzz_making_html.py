"""Small pages of the web, valid and broken, made from a random generator."""

import random

from fuzz_making import chance, line, text, utf8

BLOCKS = (
    "p",
    "p",
    "p",
    "div",
    "section",
    "article",
    "main",
    "h1",
    "h2",
    "ul",
    "li",
    "table",
    "tr",
    "td",
    "nav",
    "footer",
    "blockquote",
    "pre",
    "form",
    "select",
    "option",
    "dl",
    "dd",
    "template",
    "noscript",
    "svg",
    "math",
    "object",
    "details",
    "body",
    "html",
)
INLINE = ("b", "i", "a", "span", "em", "sup", "font", "q", "time", "button", "x-y", "ruby", "rt")
RAW = ("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "plaintext")
ATTRIBUTES = (
    "",
    "",
    "",
    "",
    ' class="a b"',
    " hidden",
    ' style="display: none"',
    " id=a",
    " a='b>c'",
    ' href="/a?b=c&amp;d"',
    ' lang="en"',
    ' a="',
    " ='",
    " class=comment",
    " A=b a=c",
    "/",
    ' datetime="1790-01-02" pubdate',
    ' title="&quot;&#0;&#xd800;&#x80;"',
    ' xml:lang="de"',
)
HEADS = (
    "<title>T &amp; t</title>",
    '<meta name="author" content="A">',
    '<meta charset="utf-8">',
    '<meta charset="iso-8859-1">',
    "<meta name=date content=1790-01-02>",
    "<title>",
    '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
    "<base href=x>",
    '<meta property="og:title" content="O\u0301">',
    '<meta name="dc.language" content="la">',
    '<script type="application/ld+json">{"datePublished": "1790"}</script>',
    "<style>p { color: red }</style>",
    "<link rel=stylesheet href=/a.css>",
    '<meta charset="x">',
)
PROLOGUES = (
    "<!DOCTYPE html>",
    "<!doctype HTML>\n",
    '<?xml version="1.0" encoding="utf-8"?>',
    "\ufeff",
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd">',
    "<!-- a -->",
    "\n ",
    '<?xml version="1.0" encoding="latin-1"?>',
    '<!DOCTYPE html [<!ENTITY a "b">]>',
)
TAGS = (
    "<!--",
    "-->",
    "--!>",
    "<!-->",
    "<!--->",
    "<![CDATA[",
    "]]>",
    "<?php",
    "?>",
    "</",
    "<",
    ">",
    "<script>",
    "</script>",
    "</script ",
    "<style>",
    "</style>",
    "<textarea>",
    "<plaintext>",
    "<title>",
    "</title>",
    "<br>",
    "<br/>",
    "<hr>",
    "<p>",
    "</p>",
    "</div>",
    "<table><p>",
    "<td>",
    "</body>",
    "</html>",
    "<body>",
    "<html>",
    "<frameset>",
    "<template>",
    "<svg><title>",
    "<li>",
    "&amp;",
    "&lt;",
    "&nbsp;",
    "&shy;",
    "&#0;",
    "&#xd800;",
    "&#x110000;",
    "&#128;",
    "&amp",
    "&a;",
    "&#x301;" * 40,
    "<b><p></b>",
    "<a><a>",
    "<div>" * 300,
    "<b a='",
    '<b a="',
    "<x " + "a=b " * 300,
    "<!doctype html>",
    "</br>",
    "<image>",
    "<select><option>",
    "<form><form>",
    "<head>",
    "</p",
)
SENTENCES = (
    "Dogs bark in the yard, and the cat sat on the mat. ",
    "Sie fuhren mit der Schiff\xadfahrt. ",
    "In 1790 there were, as far as anybody knows, no pages of the web at all. ",
)


def _escaped(rng: random.Random) -> str:
    made = text(rng)
    return made if chance(rng, 0.1) else made.replace("&", "&amp;").replace("<", "&lt;")


def _element(rng: random.Random, depth: int) -> str:
    kind = rng.random()
    if kind < 0.35 or not depth:
        return _escaped(rng)
    if kind < 0.4:
        return rng.choice(TAGS)
    if kind < 0.46:
        name = rng.choice(RAW)
        return f"<{name}{rng.choice(ATTRIBUTES)}>{_escaped(rng)}</{name}>"
    name = rng.choice(BLOCKS if kind < 0.75 else INLINE)
    name = name.upper() if chance(rng, 0.05) else name
    inner = "".join(_element(rng, depth - 1) for _ in range(rng.randrange(1, 4)))
    end = "" if chance(rng, 0.1) else f"</{rng.choice(BLOCKS) if chance(rng, 0.03) else name}>"
    return f"<{name}{rng.choice(ATTRIBUTES)}>{inner}{end}"


def make_html(rng: random.Random) -> bytes:
    """Return a page; some have paragraphs of a length that main text is made of."""
    body = "".join(_element(rng, 4) for _ in range(rng.randrange(1, 5)))
    if chance(rng, 0.3):
        paragraphs = (rng.choice(SENTENCES) * rng.randrange(1, 5) for _ in range(3))
        body += "".join(f"<p>{paragraph}{line(rng)}</p>\n" for paragraph in paragraphs)
    head = "".join(rng.choices(HEADS, k=rng.randrange(4)))
    prologue = "".join(rng.choices(PROLOGUES, k=rng.choice((0, 1, 1, 2))))
    kind = rng.random()
    if kind < 0.1:
        return utf8(prologue + head + body)
    return utf8(
        f"{prologue}<html{rng.choice(ATTRIBUTES)}><head>{head}</head><body>{body}" + "</body></html>" * (kind < 0.9)
    )
