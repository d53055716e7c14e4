"""The published tables: names, columns, docs, units and ranges. They are a contract."""

from schemas.alignments import ALIGNMENTS
from schemas.columns import Table
from schemas.complexity import (
    COMPLEXITY_METRICS,
    FEATURES,
    IMPORTANCE,
    INSTANCES,
    JUDGMENT_REJECTS,
    JUDGMENTS,
    LABELS,
    LEARNING,
    LOAD_REJECTS,
    PREDICTIONS,
    SPLITS,
)
from schemas.documents import DOCUMENTS
from schemas.metrics import CHANGE_METRICS
from schemas.neighbours import NEIGHBOURS
from schemas.rejects import REJECTS
from schemas.scores import SCORES
from schemas.sentences import SENTENCES
from schemas.series import POINTS, SERIES
from schemas.slices import SLICES
from schemas.summary import SUMMARY
from schemas.vectors import VECTORS

__all__ = ["TABLES", "Table"]

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        DOCUMENTS,
        REJECTS,
        SENTENCES,
        SLICES,
        VECTORS,
        ALIGNMENTS,
        SCORES,
        NEIGHBOURS,
        SUMMARY,
        SERIES,
        POINTS,
        CHANGE_METRICS,
        INSTANCES,
        JUDGMENTS,
        LABELS,
        SPLITS,
        FEATURES,
        PREDICTIONS,
        COMPLEXITY_METRICS,
        IMPORTANCE,
        LEARNING,
        LOAD_REJECTS,
        JUDGMENT_REJECTS,
    )
}
