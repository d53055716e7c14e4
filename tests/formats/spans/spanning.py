"""Sources made of words and of what stands between them, and what must hold when some of the words are replaced.

A source is a list of pieces, words or not; so it is known without any reader what it must be with other words.
"""

import html
import random
import re
from collections import Counter
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import entries, reader_options

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.formats.spans.spanned import TextEdit, spanned

# A machine may be busy: no verdict depends on seconds.
FEW = settings(suppress_health_check=[HealthCheck.too_slow])
MANY = settings(FEW, max_examples=2000)


class Word(NamedTuple):
    """A word as the source has it, and as it is read."""

    source: str
    text: str


class Case(NamedTuple):
    """A source.

    Attributes:
        pieces: a `Word`, or a string that is none.
        encoding: of the source.
        mark: its byte order mark.
    """

    pieces: list
    encoding: str
    mark: bytes = b""

    def bytes_of(self, changed=None):
        """Return its bytes, with other sources for some words, by number."""
        changed = changed or {}
        number, parts = 0, []
        for piece in self.pieces:
            if isinstance(piece, Word):
                parts.append(changed.get(number, piece.source))
                number += 1
            else:
                parts.append(piece)
        return self.mark + "".join(parts).encode(self.encoding)

    @property
    def words(self):
        return [piece for piece in self.pieces if isinstance(piece, Word)]


# Letters with and without marks, composed or not, soft hyphens, joiners, right to left, Hangul in jamo, emoji.
_PLAIN = ["cat", "Haus", "été", "niño", "Straße", "x", "1905", "O'Neil", "well-known", "a.b"]
_WIDE = [
    Word("cafe\u0301", "café"),
    Word("a\u0323\u0307o", "ạ̇o"),
    Word("o\u0307\u0323b", "ọ̇b"),
    Word("Dampf\u00adschiff", "Dampfschiff"),
    Word("ab\u2060c\u200ed", "abcd"),
    Word("Auf\u200clage", "Auflage"),
    Word("\u067e\u06cc\u200c\u200cnn", "\u067e\u06cc\u200cnn"),
    Word("\u212bngstrom", "Ångstrom"),
    Word("\u1112\u1161\u11ab\u1100\u1173\u11af", "한글"),
    Word("q\u0301\u0302r", "q\u0301\u0302r"),
    *(Word(word, word) for word in ("שלום", "مرحبا", "עִבְרִית", "हिन्दी", "日本語", "👍🏽", "🇪🇸", "𝒳y", "Ελλάδα")),
    *(Word(word, word) for word in ("می\u200cخواهم", "کتاب\u200cها", "ක්\u200dෂ", "👩\u200d❤\ufe0f\u200d👧")),
]
WORDS = st.one_of(st.sampled_from([Word(word, word) for word in _PLAIN]), st.sampled_from(_WIDE))
NEW = st.sampled_from(
    ["house", "de niño", "x", "mañana", "R&D", "a<b", "casa grande", "שלום", "日本", "œuvre", "l'eau", "*a_b*"]
)
CODED = (
    ("utf-8", b""),
    ("utf-8", b"\xef\xbb\xbf"),
    ("utf-16-le", b"\xff\xfe"),
    ("utf-16-be", b"\xfe\xff"),
    ("latin-1", b""),
    ("cp1252", b""),
    ("shift_jis", b""),
)


def coded(text, encoding):
    """Return whether an encoding holds a text, and gives it back."""
    try:
        return text.encode(encoding).decode(encoding) == text
    except UnicodeError:
        return False


@st.composite
def drawn_edits(draw, count):
    """Draw new texts for some of `count` words, by number."""
    chosen = draw(st.sets(st.integers(0, count - 1), max_size=4)) if count else set()
    return {number: draw(NEW) for number in sorted(chosen)}


def holds(case, new, *, name, written, may_refuse=None, **options):
    """Check a source: no edits, the same bytes; edits of words, and only they differ, and are read as they were meant.

    Args:
        case: the source.
        new: new texts of some words, by number.
        name: of the source, which gives its format.
        written: what stands in the source for a new text; None where it must be refused.
        may_refuse: a reason for which any edit may be refused.
        options: of the reader.
    """
    data = case.bytes_of()
    given = reader_options(**options)
    texts = [entry.text for entry in entries(data, name=name, **{"html": "all", **options}) if hasattr(entry, "text")]
    if not case.words:
        with pytest.raises(BadRecord):
            spanned(data, name, options=given)
        return
    source = spanned(data, name, options=given)
    assert source.text == "\n\n".join(texts) == "\n\n".join(block.text for block in source.blocks), data
    assert all(source.text[block.start :].startswith(block.text) for block in source.blocks)
    assert source.replaced([]) == data
    places = _places(source, case.words)
    edits, changed = [], {}
    for number, text in new.items():
        block, start, end = places[number]
        edit = TextEdit(block, start, end, text)
        sourced = written(text, case.encoding)
        refusal = source.refusal(edit)
        if refusal is not None and may_refuse is not None and may_refuse in refusal:
            continue
        assert (refusal is None) == (sourced is not None), (edit, refusal, data)
        if sourced is not None:
            edits.append(edit)
            changed[number] = sourced
    found = source.replaced(reversed(edits))
    assert found == case.bytes_of(changed), (data, changed)
    again = spanned(found, name, options=given)
    expected = [block.text for block in source.blocks]
    for edit in reversed(edits):
        expected[edit.block] = expected[edit.block][: edit.start] + edit.text + expected[edit.block][edit.end :]
    assert [block.text for block in again.blocks] == expected, (data, found)


def any_edit(data, rng, *, name, **options):
    """Check an edit of whatever source, anywhere: it is refused, or what is read is the text with the edit made.

    Returns:
        What came of it: `rejected` with the reason, `refused`, `made`, or an error that must not be.
    """
    given = reader_options(**options)
    try:
        source = spanned(data, name, options=given)
    except BadRecord as error:
        return f"rejected: {error.detail}"
    assert source.replaced([]) == data
    number = rng.randrange(len(source.blocks))
    text = source.blocks[number].text
    words = [match.span() for match in re.finditer(r"\w+", text)]
    start = rng.randrange(len(text) + 1)
    start, end = rng.choice(words) if words and rng.random() < 0.7 else (start, rng.randint(start, len(text)))
    edit = TextEdit(number, start, end, rng.choice(["house", "R&D", "x<y", "été", "a b", "", "*x*", "1."]))
    if source.refusal(edit) is not None:
        with pytest.raises(LexbeamError, match="cannot be made"):
            source.replaced([edit])
        return "refused"
    try:
        found = source.replaced([edit])
    except LexbeamError as error:
        return "refused" if "would be read as" in str(error) else str(error)
    expected = [block.text for block in source.blocks]
    expected[number] = text[:start] + edit.text + text[end:]
    assert [block.text for block in spanned(found, name, options=given).blocks] == expected, (data, edit, found)
    return "made"


def generated(cases, check):
    """Return two tests, of a few drawn cases and, in the soak, of 2,000.

    Args:
        cases: strategy of what `check` takes.
        check: raises where anything else than the words changes.
    """

    @FEW
    @given(cases)
    def some(drawn):
        check(drawn)

    @pytest.mark.soak
    @MANY
    @given(cases)
    def many(drawn):
        check(drawn)

    return some, many


def made_by(make, name, documents):
    """Check edits anywhere in generated documents: some are made, and nothing else comes of them than is allowed.

    Args:
        make: from a random generator, the bytes of a document.
        name: of the documents, which gives their format.
        documents: how many.
    """
    rng = random.Random(1)
    found = Counter(any_edit(make(rng), rng, name=name).partition(":")[0] for _ in range(documents))
    assert found["made"] > documents / 5, found
    assert found.keys() <= {"made", "refused", "rejected"}


SOME_OR_MANY = pytest.mark.parametrize(
    "documents", [200, pytest.param(5000, marks=[pytest.mark.slow, pytest.mark.soak])]
)


def _places(source, words):
    """Return the block and the characters of each word, which follow each other with spaces between them."""
    found = [
        (number, match.start(), match.end(), match[0])
        for number, block in enumerate(source.blocks)
        for match in re.finditer(r"\S+", block.text)
    ]
    assert [word for *_, word in found] == [word.text for word in words]
    return [place[:3] for place in found]


def escaped(text, encoding):
    """Return text as markup has it, in an encoding that may lack some characters."""
    return html.escape(text, quote=False).encode(encoding, "xmlcharrefreplace").decode(encoding)
