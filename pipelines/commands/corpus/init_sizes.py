"""How many tokens documents have, for `lexbeam init`: as a run counts them, or about as many."""

import re
from collections.abc import Iterable, Sequence

from pipelines.progress.progress import counting
from transforms.annotation.engines.paragraphs import annotate_text
from transforms.annotation.engines.registry import load_splitter

__all__ = ["KeptTexts", "about"]

MOST = 64 << 20  # characters of texts that are kept, to count their tokens
_TOKEN = re.compile(r"\w+|[^\w\s]")


def about(text: str) -> int:
    """Return about how many tokens a text has: stretches of word characters, and marks.

    >>> about("The ship, it's said, sails.")
    10
    """
    return sum(1 for _ in _TOKEN.finditer(text))


class KeptTexts:
    """The texts of documents, kept to count their tokens when their language is known."""

    def __init__(self) -> None:
        """Begin with no document."""
        self._texts: list[list[str]] | None = []
        self._characters = 0

    def add(self, text: str | None, *, block: bool) -> None:
        """Keep a document's text, or a further block of it; None where it came annotated.

        Once there is too much to keep all, nothing is kept.
        """
        if self._texts is None:
            return
        if not block:
            self._texts.append([])
        if text is not None:
            self._texts[-1].append(text)
            self._characters += len(text)
        if self._characters > MOST:
            self._texts = None

    def counted(self, sizes: Sequence[int], language: str | None) -> list[int] | None:
        """Return the tokens of each document as `lexbeam corpus` counts them.

        They are those of the rules of spaCy for the language, which the engines share that `init`
        proposes.

        Args:
            sizes: of each document, what counts for one that came annotated.
            language: of the texts.

        Returns None where not all texts were kept.
        """
        if self._texts is None or len(self._texts) != len(sizes):
            return None
        if not self._characters:
            return list(sizes)
        found = []
        with counting("init/tokens", "documents", len(sizes)) as add:
            for texts, size in zip(self._texts, sizes, strict=True):
                found.append(_tokens(texts, language) if texts else size)
                add(1)
        return found


def _tokens(texts: Iterable[str], language: str | None) -> int:
    splitter = load_splitter(language)
    return sum(len(one.forms or ()) for text in texts for one in annotate_text(text, splitter))
