"""Text and source aligned a few characters at a time, against all at once."""

import io
import random
import tracemalloc
from dataclasses import replace

import pytest
from fuzz_making import make_markdown, make_tei, make_text
from fuzz_making_html import make_html
from reading import reader_options

from lexbeam.transforms.formats.records.base import BadRecord, Source
from lexbeam.transforms.formats.spans.aligning import Unaligned, align
from lexbeam.transforms.formats.spans.origin import SourcePiece
from lexbeam.transforms.formats.spans.spanned import SPANS, spanned

MAKERS = {"text": make_text, "html": make_html, "tei": make_tei, "markdown": make_markdown}
ODD = "<p>a&ngE;b cafe&#769;s q\u0307\u0323r \u1112\u1161\u11ab</p>\r\n \r\n<p>&#x1F600; <b>so</b>me".encode()


def units(text, origin, window):
    """Return the units of a text, walked from one to the next, and looked up from every place."""
    found = align(text, origin.coded.text, origin.pieces, window=window)
    walked = [found.behind(0)] if text else []
    while walked and walked[-1] is not None:
        walked.append(found.behind(walked[-1].end))
    return walked, [found.before(place) for place in range(len(text) + 2)]


@pytest.mark.parametrize("format", MAKERS)
def test_windows_change_nothing(format):
    rng = random.Random(5)
    sources = [ODD] * (format == "html") + [MAKERS[format](rng) for _ in range(90)]
    compared = 0
    for data in sources:
        try:
            text = spanned(data, "a", format=format).text
        except BadRecord:
            continue
        options = replace(reader_options(), html="all", marks="reject")
        origin = SPANS[format].find(data, Source("a", lambda data=data: io.BytesIO(data), "a"), options)
        whole = units(text, origin, 1 << 16)
        starts = [unit.start for unit in whole[0][:-1]]
        assert [unit and unit.start for unit in whole[1]] == [
            max((start for start in starts if start < place), default=None) for place in range(len(text) + 2)
        ]
        for window in (1, 2, 7):
            assert units(text, origin, window) == whole, (data, window)
        compared += 1
    assert compared >= 20


def test_another_text_is_found_out_in_any_window():
    source = "one two three"
    pieces = [SourcePiece(0, len(source), None, 0)]
    for text in ("one two thre", "one two threes", "one twa three", "", "one two three four"):
        for window in (1, 4, 1 << 16):
            with pytest.raises(Unaligned):
                align(text, source, pieces, window=window)


def test_a_long_text_takes_little_memory():
    """Of plain text two copies at most; formerly a hundred bytes a character."""
    text = "Some words, é and ñ.\nAnd more\n\n" * 50_000
    pieces = [SourcePiece(0, len(text), None, 0)]
    tracemalloc.start()
    try:
        align(text, text, pieces)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 12_000_000 < 10 * len(text)
