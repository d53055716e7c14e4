r"""Code in a text of which a reader sees what it makes, or nothing: of templates, and formulas in TeX set apart.

Of templates it is `{{ }}`, `{% %}`, `{# #}` and `<% %>` (Jinja, Liquid, Hugo, Vue, MediaWiki, ERB), but no set of
sets (`{{a}, {b}}`). Between two `$$` stands a formula if it looks like one, for dollars stand in text, too: there is a
command of TeX, a power, or a sign as formulas have it and no word. `[Pg 13]` is the number of a printed page, as
Project Gutenberg has it, and so are `[p. 13]`, `[13]`, `{13}` and `|13|` within a word.

    >>> text = "a {{b}} {c} $$x^2$$ ($$ to $$$)"
    >>> [(text[start:end], note) for start, end, note in unread_in(text)]
    [('{{b}}', 'template code left out'), ('$$x^2$$', 'formulas in TeX left out')]
"""

import re
from collections.abc import Iterator

# What is left out of texts in other ways, too, under one note.
PAGE_NUMBERS, READINGS = "printed page numbers left out", "ruby readings left out"
_NOTES = {"code": "template code left out", "formula": "formulas in TeX left out", "page": PAGE_NUMBERS}
_MAY_BE = re.compile(r"[{<]%|\{[{#\d]|\$\$|\[(?:p|s|f|bl|\d)|\|\d", re.IGNORECASE)
# Each way to begin ends the look for the end of one before, so that the time is linear.
_UNREAD = re.compile(
    r"(?P<code>(?<!\{)\{\{++(?:[^{}]|\{\{[^{}]*+\}\}|\{(?:[^{}]|\{[^{}]*+\})*+\})*+\}\}++"
    r"|\{%(?:(?!\{%|%\}).)*+%\}|<%(?:(?!<%|%>).)*+%>|\{#(?:(?!\{\#|\#\}).)*+\#\})"
    r"|(?<![\w$\\])\$\$(?!\$)(?P<formula>(?:\\.|[^$\\])++)\$\$(?![\w$])"
    r"|(?P<page>\[Pg\.?\s?(?:\d+|[ivxlcdm]+)\]"
    r"|(?<=[^\W\d_])\[(?:p|pag|page|s|seite|f|fol|bl)\.?\s?(?:\d+[rv]?|[ivxlcdm]+)\](?=[^\W\d_])"
    r"|(?<=[^\W\d_]{2})(?:\[\d+\]|\{\d+\}|\|\d+\|)(?=[^\W\d_]{2}))",
    re.DOTALL | re.IGNORECASE,
)
_CERTAIN = re.compile(r"\\[a-z,;:!(){}\[\]\\|]|[\w)}\]]\^[\w{(+-]", re.IGNORECASE)
_SIGN = re.compile(r"[\^=+*/<>{}|]|(?<![^\W\d_]{2})_|\A\s*\w{1,2}\s*\Z")
# A word, but in braces or of a function; or a sign that formulas do not have.
_PROSE = re.compile(r"(?<![{^_\w])(?!(?:sin|cos|tan|log|exp|lim|min|max|det|mod|arg)\b)[^\W\d_]{3,}|[~`\"“”;?]|\A\s-\s")


def may_be_unread(text: str) -> bool:
    """Return whether `unread_in` may find anything; False is certain."""
    return _MAY_BE.search(text) is not None


def unread_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where such code stands in a text, and the note under which it is left out."""
    for found in _UNREAD.finditer(text):
        kind = str(found.lastgroup)
        if kind != "formula" or _is_formula(found["formula"]):
            yield found.start(), found.end(), _NOTES[kind]


def _is_formula(text: str) -> bool:
    return bool(_CERTAIN.search(text) or (_SIGN.search(text) and not _PROSE.search(text)))
