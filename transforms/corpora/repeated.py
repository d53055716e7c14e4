"""Documents that several corpora hold: which copy counts.

A document counts in one part of `sentences`: that with the least SHA-256. So neither the order in
which corpora are named nor where they lie decides anything.
"""

from collections.abc import Iterable

import pyarrow.compute as pc

from transforms.common.store.sound import DigestedFile, checked
from transforms.common.store.tables import read_rows

__all__ = ["copies", "document_ids"]


def copies(parts: Iterable[str]) -> tuple[str, list[str]]:
    """Return the part where a document counts, and those where it is a copy, sorted.

    `parts` are the SHA-256 of all parts that hold the document.

    >>> copies(["c", "a", "b"])
    ('a', ['b', 'c'])
    """
    first, *rest = sorted(parts)
    return first, rest


def document_ids(part: DigestedFile) -> list[str]:
    """Return the ids of the documents of a part, each once, sorted."""
    found: set[str] = set()
    for table in read_rows([checked(part)], ["document_id"]):
        found.update(pc.unique(table["document_id"]).to_pylist())
    return sorted(found)
