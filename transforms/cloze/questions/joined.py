"""Tables of cloze questions read side by side, article by article.

Ids of pairs and of questions begin with 16 digits of their passage's, and tables are sorted by
them. So rows of several tables that belong to an article are found by reading each once, in the
memory of a row group.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

import pyarrow as pa

from transforms.common.store.sound import checked
from transforms.common.store.tables import Part, read_rows

__all__ = ["Following", "articles_of"]

Row = dict[str, Any]
_DIGITS = 16
_BATCH = 256  # rows that are values of Python at a time


def articles_of(
    parts: Sequence[Part], columns: Sequence[str], key: str, keep: Callable[[pa.Table], Any] | None = None
) -> Iterator[tuple[str, list[Row]]]:
    """Yield the rows of each article, in the order of articles.

    Args:
        parts: of one table, in the order of its rows.
        columns: what is read.
        key: the column that begins with the article.
        keep: from rows, which of them are read; None: all.
    """

    def rows() -> Iterator[Row]:
        for group in read_rows([checked(part) for part in parts], list(columns)):
            own = group if keep is None else group.filter(keep(group))
            for start in range(0, own.num_rows, _BATCH):
                yield from own.slice(start, _BATCH).to_pylist()

    for article, own in groupby(rows(), key=lambda row: str(row[key])[:_DIGITS]):
        yield article, list(own)


class Following:
    """Articles of a table, asked for in their order."""

    def __init__(self, articles: Iterator[tuple[str, list[Row]]]) -> None:
        self._articles = articles
        self._next: tuple[str, list[Row]] | None = next(articles, None)

    def of(self, article: str) -> list[Row]:
        """Return the rows of an article that lies behind those that were asked for before."""
        while self._next is not None and self._next[0] < article:
            self._next = next(self._articles, None)
        if self._next is None or self._next[0] != article:
            return []
        return self._next[1]
