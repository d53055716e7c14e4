"""Markdown: words are replaced between its signs, which stay byte for byte."""

import re

from fuzz_making import make_markdown
from hypothesis import strategies as st
from spanning import CODED, SOME_OR_MANY, WORDS, Case, Word, coded, drawn_edits, generated, holds, made_by

from lexbeam.transforms.formats.spans.spanned import TextEdit, spanned

# What stands between two words of a line, with white space somewhere, so that they are two.
GAPS = st.sampled_from(
    [
        *(" ", "  ", "\t", "&nbsp;", " <b>", "</b> ", " <!-- a *b* --> ", "<br/>", " ![no *no*](no) ", "[^1] "),
        *(" {{< gone *x* >}} ", "{% gone %} ", " $$gone^2$$ ", " <ruby><rt>gone</rt></ruby>", "<b class=pb>12</b> "),
    ]
)
LINE_ENDS = st.sampled_from(["\r\n", "\n", "  \n", "\\\r\n", "  <i>\n"])
AROUND = st.sampled_from(
    [
        *(("", ""), ("", ""), ("*", "*"), ("**", "**"), ("_", "_"), ("~~", "~~")),
        *(("[", "](no 'no')"), ("[*", "*][no]")),
    ]
)
# What begins and ends a block, and whether it may have several lines.
BLOCKS = st.sampled_from(
    [
        *(("", "\n\n", True), ("# ", "\r\n\r\n", False), ("## ", " ##\n\n", False), ("> ", "\n\n", True)),
        *(("- ", "\n\n", True), ("1. ", "\r\n\r\n", True), ("- [x] ", "\n\n", True), ("", "\n===\n\n", True)),
    ]
)
BETWEEN = st.sampled_from(
    ["", "", "```py\r\nno = 1\r\n```\r\n", "<div>\nno\n</div>\n\n", "***\n\n", "[x]: no 'no'\n\n"]
)
_ODD = [
    Word("caf&eacute;", "café"),
    Word("R&amp;D", "R&D"),
    Word("a\\_b", "a_b"),
    Word("\\*c", "*c"),
    Word("AT&T", "AT&T"),
]
_ODD += [Word("e&#769;t", "ét"), Word("\\<b>", "<b>"), Word("fi\u00adne", "fine"), Word("snake_case_x", "snake_case_x")]
MARKDOWN_WORDS = st.one_of(WORDS, st.sampled_from(_ODD))


@st.composite
def cases(draw):
    encoding, mark = draw(st.sampled_from([pair for pair in CODED if pair[0] != "shift_jis"]))
    words = [word for word in draw(st.lists(MARKDOWN_WORDS, max_size=8)) if coded(word.source, encoding)]
    pieces = [draw(st.sampled_from(["", "", "---\ntitle: no\n---\n"]))]
    number = 0
    while number < len(words):
        some = words[number : number + draw(st.integers(1, 4))]
        number += len(some)
        if draw(st.integers(0, 4)) == 0:
            pieces += ("|" * len(some) + "|\n" + "|-" * len(some) + "|\r\n", *_row(some), "\n\n")
            continue
        start, end, lines = draw(BLOCKS)
        pieces.append(start)
        for at, word in enumerate(some):
            if at:
                gap = draw(st.one_of(GAPS, LINE_ENDS) if lines else GAPS)
                pieces.append(gap if coded(gap, encoding) else " ")
            before, behind = draw(AROUND)
            pieces += (before, word, behind)
        pieces += (end, draw(BETWEEN))
    return Case([*pieces, "\r\n\r\n[no]: http://no\r\n\n[^1]:\n"], encoding, mark), draw(drawn_edits(len(words)))


def _row(words):
    for word in words:
        yield from ("| ", word, " ")
    yield "|"


def written(text, encoding):
    """Return new text with its signs escaped; None if the encoding lacks any of it."""
    return re.sub(r"[\\`*_\[\]<>&~|#]", r"\\\g<0>", text) if coded(text, encoding) else None


def check(drawn):
    case, new = drawn
    plain = case.encoding if case.encoding in ("latin-1", "cp1252") else "utf-8"
    holds(case, new, name="a.md", written=written, may_refuse="emphasis beside it", encoding=plain)


test_only_the_words_change, test_only_the_words_change_in_2000 = generated(cases(), check)


@SOME_OR_MANY
def test_whatever_document_there_is(documents):
    made_by(make_markdown, "a.md", documents)


DOCUMENT = """# A *Haus* #

x [word](to "word")word `code` <http://a.b> [name] [said][name] [all]
two \\*three <b>in</b> **Gato**s

> quote one
> two

1. item
2. &eacute;t&eacute;

| a | b |
|---|---|
| c \\| d | e |

[^1]: A note.

[name]: http://x

[other]: no such thing
"""


def test_signs_stay_and_new_ones_are_escaped():
    source = spanned(DOCUMENT.encode(), "a.md")
    where = lambda word, new: next(  # noqa: E731
        TextEdit(number, block.text.index(word), block.text.index(word) + len(word), new)
        for number, block in enumerate(source.blocks)
        if word in block.text
    )
    made = {
        ("Haus", "Heim"): ("*Haus*", "*Heim*"),
        ("word", "a_b"): ("[word]", "[a\\_b]"),
        ("*three", "R&D"): ("\\*three", "R\\&D"),
        ("quote", "1."): ("quote", "1\\."),
        ("item", "- x"): ("item", "\\- x"),
        ("été", "<sol>"): ("&eacute;t&eacute;", "\\<sol\\>"),
        ("c | d", "x|y"): ("c \\| d", "x\\|y"),
        ("said", "told"): ("[said]", "[told]"),
        ("note", "remark"): ("note", "remark"),
    }
    expected = DOCUMENT
    for old, new in made.values():
        expected = expected.replace(old, new, 1)
    assert source.replaced([where(*words) for words in made]).decode() == expected
    for word, new, reason in (
        ("code", "x", "no words are replaced"),
        ("http://a.b", "x", "no words are replaced"),
        ("name", "x", "no words are replaced"),
        ("all", "x", "may name a definition"),
        ("Haus", "(x)", "emphasis"),
        ("Gatos", "x", "markup stands between"),
        ("one two", "x", "markup stands between"),
        ("item", "", "nothing of the block"),
        ("thing", "x", "its line would define"),
    ):
        assert reason in source.refusal(where(word, new)), word
    assert source.refusal(where("item", "2")) is None
