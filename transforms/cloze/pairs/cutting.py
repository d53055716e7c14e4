r"""Documents cut into summary and passage: the first sentence or paragraph, and what follows.

>>> text = "Headline\n\nFirst one. Second one.\n\nThe rest."
>>> cut(text, CutOptions(skip_paragraphs=1), lambda start, body: body.index(" Second"))
DocumentCut(summary=(10, 20), passage=(34, 43))
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from lexbeam.transforms.annotation.engines.engine import split_paragraphs
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.formats.records.base import BadRecord

SUMMARIES = ("first-sentence", "first-paragraph")
PARAGRAPHS = ("empty-line", "line")
_LINE = re.compile(r"\S[^\n]*")


@dataclass(frozen=True, kw_only=True)
class CutOptions:
    """How a document is cut.

    Attributes:
        summary: what of it is the summary.
        skip_paragraphs: paragraphs before it, such as headlines, that count for nothing.
        keep_rest: whether the rest of the summary's paragraph begins the passage.
        paragraphs: what separates paragraphs: a line without text, or the end of each line.
    """

    summary: str = option("first-sentence", help="what of a document is the summary", choices=SUMMARIES)
    skip_paragraphs: int = option(
        0, help="paragraphs of a document to leave out before it, such as its headline", least=0
    )
    keep_rest: bool = option(False, help="whether the rest of the summary's paragraph begins the passage")
    paragraphs: str = option("empty-line", help="what ends a paragraph of a document", choices=PARAGRAPHS)


class DocumentCut(NamedTuple):
    """Where summary and passage stand in a document: first code point and the one after the last.

    They carry no white space at either end.
    """

    summary: tuple[int, int]
    passage: tuple[int, int]


def cut(text: str, options: CutOptions, first_sentence: Callable[[int, str], int]) -> DocumentCut:
    """Cut a document.

    Args:
        text: the document.
        options: how.
        first_sentence: from where a paragraph starts, and the paragraph, where its first sentence
            ends, counted from its start; asked only if that is the summary.

    Raises:
        BadRecord: `empty_summary`, `empty_passage`.
    """
    paragraphs = _paragraphs(text, options.paragraphs)[options.skip_paragraphs :]
    if not paragraphs:
        skipped = f" after the first {options.skip_paragraphs}" * bool(options.skip_paragraphs)
        raise BadRecord("empty_summary", f"the document has no paragraph{skipped}")
    start, body = paragraphs[0]
    end = length = len(body)
    if options.summary == "first-sentence":
        end = first_sentence(start, body)
    begin = length + start if not options.keep_rest else start + end
    passage = _stripped(text, begin, len(text))
    if passage[0] == passage[1]:
        raise BadRecord("empty_passage", "nothing follows the summary")
    return DocumentCut(_stripped(text, start, start + end), passage)


def _paragraphs(text: str, ends: str) -> list[tuple[int, str]]:
    if ends == "empty-line":
        return split_paragraphs(text)
    return [(line.start(), line[0].rstrip()) for line in _LINE.finditer(text)]


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    body = text[start:end]
    start += len(body) - len(body.lstrip())
    return start, max(start, start + len(body.strip()))
