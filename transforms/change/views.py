"""Questions about published change tables: the most changed words, one word, its neighbours."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from transforms.change.alignment import named_alignment
from transforms.change.ranking import top
from transforms.change.word import (
    NeighbourViewOptions,
    WordOptions,
    neighbours_of,
    scores_of,
    tell_word,
)
from transforms.common.errors import UsageError, nearest
from transforms.common.options import option
from transforms.common.snapshots import Snapshot
from transforms.common.tables import read_table
from transforms.common.views import View

__all__ = ["VIEWS", "TopOptions", "top_words"]


@dataclass(frozen=True, kw_only=True)
class TopOptions:
    """Options of the view `top`."""

    top: int = option(20, help="the most changed words of each pair of slices", least=1)
    alignment: str | None = option(
        None, help="by this alignment; the first if not given", stands_for=named_alignment
    )
    measure: str | None = option(None, help="by this measure; the first if not given")


def top_words(snapshot: Snapshot, options: TopOptions) -> pa.Table:
    """Return the most changed words of each pair of slices: rows of table `scores`, means alone.

    Raises:
        UsageError: it has no such alignment or measure.
    """
    published = snapshot.section("change")["options"]
    alignment = _one_of("alignment", options.alignment, published["alignment"])
    measure = _one_of("measure", options.measure, published["measure"])
    heads = []
    for path in snapshot.paths("scores"):  # a part is a pair of slices
        heads.append(top(read_table([path]), options.top, alignment=alignment, measure=measure))
    return pa.concat_tables(heads)


def _one_of(name: str, wanted: str | None, known: list[str]) -> str:
    if wanted is not None and wanted not in known:
        hint = nearest(wanted, known) or f"; there are {', '.join(known)}"
        raise UsageError(f"`{name}`: the scores have no {wanted!r}{hint}")
    return wanted or known[0]


VIEWS: dict[str, View[Any]] = {
    "top": View("the most changed words of each pair of slices", TopOptions, top_words),
    "word": View("scores, neighbours and sentences of a word", WordOptions, scores_of, tell_word),
    "neighbours": View(
        "the neighbours of a word in every slice", NeighbourViewOptions, neighbours_of
    ),
}
