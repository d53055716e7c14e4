r"""Code in a text of which a reader sees what it makes, or nothing: of templates, and formulas in TeX set apart.

Of templates it is `{{ }}`, `{% %}` and `{# #}` (Jinja, Liquid, Hugo, Vue, MediaWiki). Between two `$$` stands a
formula if it looks like one, for dollars stand in text, too. `[Pg 13]` is the number of a printed page, as Project
Gutenberg has it, and so is `[p. 13]` within a word.

    >>> text = "a {{b}} {c} $$x^2$$ ($$ to $$$)"
    >>> [(text[start:end], note) for start, end, note in unread_in(text)]
    [('{{b}}', 'template code left out'), ('$$x^2$$', 'formulas in TeX left out')]
"""

import re
from collections.abc import Iterator

__all__ = ["PAGE_NUMBERS", "may_be_unread", "unread_in"]

PAGE_NUMBERS = "printed page numbers left out"
_NOTES = {"code": "template code left out", "formula": "formulas in TeX left out", "page": PAGE_NUMBERS}
_MAY_BE = re.compile(r"\{[{%#]|\$\$|\[(?:p|s|fol)", re.IGNORECASE)
# Each way to begin ends the look for the end of one before, so that the time is linear.
_UNREAD = re.compile(
    r"(?P<code>(?<!\{)\{\{++(?:[^{}]|\{\{[^{}]*+\}\}|\{(?!\{)|\}(?!\}))*+\}\}++"
    r"|\{%(?:(?!\{%|%\}).)*+%\}|\{#(?:(?!\{\#|\#\}).)*+\#\})"
    r"|(?<![\w$\\])\$\$(?!\$)(?P<formula>(?:\\.|[^$\\])++)\$\$(?![\w$])"
    r"|(?P<page>\[Pg\.?\s?(?:\d+|[ivxlcdm]+)\]"
    r"|(?<=[^\W\d_])\[(?:p|page|s|seite|fol)\.?\s?(?:\d+|[ivxlcdm]+)\](?=[^\W\d_]))",
    re.DOTALL | re.IGNORECASE,
)
_FORMULA = re.compile(r"[\\^_=+*/<>{}|]|\A\s*\w{1,2}\s*\Z")


def may_be_unread(text: str) -> bool:
    """Return whether `unread_in` may find anything; False is certain."""
    return _MAY_BE.search(text) is not None


def unread_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where such code stands in a text, and the note under which it is left out."""
    for found in _UNREAD.finditer(text):
        kind = str(found.lastgroup)
        if kind != "formula" or _FORMULA.search(found["formula"]):
            yield found.start(), found.end(), _NOTES[kind]
