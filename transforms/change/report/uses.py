"""Panels that quote the corpus: uses of words in each slice, in context."""

import logging
from collections.abc import Sequence

import pyarrow as pa

from schemas.columns import column
from transforms.change.report.rankings import compared, pictured
from transforms.change.shown.examples import Drawing
from transforms.change.shown.uses import corpora_of, uses_of
from transforms.change.shown.word_text import where
from transforms.common.publish.snapshots import Snapshot
from transforms.report.panels import Note, Panel, UsesPanel

__all__ = ["use_panels"]

log = logging.getLogger("lexbeam")

TITLE = "Words in context"
MISSING = (
    "Uses are not shown: the corpus that the tables were made from was not found when this page "
    "was made. Option `corpus` of `lexbeam report` names it."
)
OTHER = "A corpus has been annotated anew, or was not found; the command said which one."
EACH = 4  # uses of a word in a slice, and fewer of many slices
ALL_USES = 1_000


def use_panels(snapshot: Snapshot, corpora: Sequence[str] = ()) -> list[Panel]:
    """Return uses of targets and the most changed words, or a note that says why there are none.

    Args:
        snapshot: with a section `change`.
        corpora: folders of the corpora to quote, if not those that the tables were made from.

    Raises:
        LexbeamError: no change is published there, a corpus that is named holds no sentences, or a
            part of one is damaged.
    """
    words = pictured(compared(snapshot, first_alone=True))
    if not words:
        return []
    places, notes = corpora_of(snapshot, corpora)
    for note in notes:  # they name folders, which a page that is passed on does not
        log.warning("%s", note)
    if not places:
        return [Note(TITLE, MISSING)]
    slices = [row[0] for row in snapshot.section("change")["slices"]]
    most = max(1, min(EACH, ALL_USES // (len(words) * len(slices))))
    uses = uses_of(snapshot, words, places, Drawing(most, "typical"))
    rows = [
        (word, use["slice"], use["left"], use["target"], use["right"], where(use))
        for word in words
        for use in uses.get(word, ())
    ]
    noted: list[Panel] = [Note(TITLE, OTHER)] if notes else []
    if not rows:
        return noted
    schema = pa.schema(
        [
            column("word", pa.string(), "word of the training view"),
            column("slice", pa.string(), "slice of the document's year"),
            column("before", pa.string(), "the text before it"),
            column("use", pa.string(), "the word as it stands in the text"),
            column("after", pa.string(), "the text after it"),
            column("from", pa.string(), "author, title and year, or source and year"),
        ]
    )
    table = pa.table([list(values) for values in zip(*rows, strict=True)], schema=schema)
    text = (
        f"Up to {most} uses of a chosen word in each slice, the most typical first: those whose "
        "words nearby are most like those of all its uses there. At most two of a document."
    )
    return [*noted, UsesPanel(TITLE, text, table)]
