r"""Codes within a text, which programs replace by something else: templates, formulas, names of emoji.

They are found in the text of any format, for they are no markup of it: what `{{ }}`, `{% %}`, `<% %>` and `{# #}` hold,
and blocks of code between such tags; `${name}`, `{name}`, `%(name)s`; `$formula$`, `$$formula$$`, `\(formula\)`,
`\[formula\]`; `:smile:`; `[[page|`; `[shortcode name="value"]`; `\command` of TeX, and names behind it; front
matter; in a source also blocks of PHP.

>>> text = "A {{< hard >}} word: ${x}, $x + y$, for $5 to $6 :smile: at 10:30:15."
>>> [text[start:end] for start, end in code_places(text)]
['{{< hard >}}', '${x}', '$x + y$', ':smile:']
"""

import itertools
import re
from collections.abc import Iterable, Iterator

from lexbeam.transforms.formats.records.front_matter import front_matter

Place = tuple[int, int]

_SIGNS = re.compile(r"[{$\\\[]|:\w|<[%?]|%\(")  # one of which is in each of them
# In time linear in the text: what a pattern runs through, no other match begins in again.
_PATTERN = re.compile(
    r"(?=[$%#{:\[\\])(?:(?P<template>[$%#]?\{[\w.:-]{1,200}+\}|%\(\w{1,200}+\)[sd])"
    r"|(?P<display>\$\$(?:[^$\\\n]|\\[\s\S]|\$(?!\$)|\n(?![ \t]*\n)){1,5000}+\$\$)"
    # Prices have a number and a word behind the sign, or the letters of a country before it.
    r"|(?P<formula>(?<![\\$\w])\$(?![\s$]|\d[\d.,]{0,20}+\s[^\W\d_]{2})"
    r"(?:[^$\\\n]|\\[\s\S]|\n(?![ \t]*\n)){1,2000}+(?<!\s)(?<!\b[A-Z]{2})\$(?![\w$]))"
    r"|(?P<emoji>(?<![\w:])(?::[a-zA-Z0-9_+-]{1,100}+:)++(?![\w:]))"
    r"|(?P<page>\[\[[^\[\]|\n]{1,500}+(?:\||\]\]))"
    r"|(?P<shortcode>\[/?[a-zA-Z][\w-]{0,50}+(?:\s[^\[\]\n=]{0,200}+(?<=\w)=(?=[\"'\w])[^\[\]\n]{0,1000}+)\]"
    r"|\[/[a-zA-Z][\w-]{0,50}+\])"
    r"|(?P<tex>\\(?:(?:\w{0,20}cite|\w{0,20}ref|label|begin|end|input|include|usepackage|documentclass|bibliography|url"
    r"|href|gls)[a-zA-Z]{0,20}+\*?(?:\[[^\[\]\n]{0,500}+\]){0,3}\{[^{}\n]{0,500}+\}|[a-zA-Z]++\*?)))"
)
_PAIRS = (("{%", "%}"), ("<%", "%>"), ("{#", "#}"), (r"\(", r"\)"), (r"\[", r"\]"))
_LONGEST = 10_000
_BRACES = re.compile(r"\{\{|\}\}")
# Names of tags that hold code up to their end tag, and of environments of TeX.
_TAGS = "code|codeblock|comment|highlight|katex|latex|math|mermaid|raw|verbatim"
_BLOCK = re.compile(
    rf"\{{%-?\s*(?P<liquid>{_TAGS})\b|\{{\{{[<%]\s*(?P<hugo>{_TAGS})\b"
    r"|<\?(?P<php>php\b|=)"
    r"|\\begin\{(?P<tex>(?:align|alignat|displaymath|eqnarray|equation|gather|lstlisting|math|minted|multline|tikzpicture"
    r"|verbatim)\*?)\}"
)
_BLOCK_END = {
    "liquid": r"\{{%-?\s*end{}\b[^%]{{0,99}}%\}}",
    "hugo": r"\{{\{{[<%]\s*/\s*{}\b[^}}]{{0,99}}\}}\}}",
    "php": r"\?>",
    "tex": r"\\end\{{{}\}}",
}


def code_places(text: str) -> list[Place]:
    """Return where codes stand in a text, in order, in time linear in its length."""
    front = front_matter(text)
    before = [(0, front.end)] if isinstance(front.said, dict) else []
    if not _SIGNS.search(text):
        return before
    pairs = itertools.chain.from_iterable(_between(text, *pair) for pair in _PAIRS)
    return united(
        [*(found.span() for found in _PATTERN.finditer(text)), *before, *_braced(text), *pairs, *code_blocks(text)]
    )


def united(places: Iterable[Place]) -> list[Place]:
    """Return places in order, those that touch or overlap each other as one.

    >>> united([(4, 6), (0, 2), (1, 3)])
    [(0, 3), (4, 6)]
    """
    found: list[Place] = []
    for start, end in sorted(places):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _braced(text: str) -> Iterator[Place]:
    """Yield where double braces stand, and what they hold, other ones among it."""
    opened: list[int] = []
    for sign in _BRACES.finditer(text):
        if sign[0] == "{{":
            opened.append(sign.start())
        elif opened and sign.end() - (start := opened.pop()) <= _LONGEST:
            yield start, sign.end()


def _between(text: str, opening: str, closing: str) -> Iterator[Place]:
    place = 0
    while (start := text.find(opening, place)) >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            return
        start = text.rfind(opening, start, end)
        place = end + len(closing)
        if place - start <= _LONGEST:
            yield start, place


def code_blocks(text: str) -> Iterator[Place]:
    """Yield where blocks of code between tags of templates stand in a text or a source, in its order."""
    place = 0
    unclosed = set()
    while (block := _BLOCK.search(text, place)) is not None:
        place = block.end()
        kind = str(block.lastgroup)
        close = (kind, block[kind])
        ends = re.compile(_BLOCK_END[kind].format(re.escape(block[kind])))
        end = None if close in unclosed else ends.search(text, place)
        if end is None:
            unclosed.add(close)
            continue
        place = end.end()
        yield block.start(), place
