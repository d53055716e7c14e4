"""Measures that are made of the scores of others, in the rows of a pair and a seed.

They are scored like any measure, of real pairs and of null ones, so that evidence, thresholds and all else apply.
"""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import SCORES
from lexbeam.transforms.change.scores.measures import MADE, MEASURES, NO_ALIGNMENT, needs_alignment
from lexbeam.transforms.change.scores.placing import joined
from lexbeam.transforms.change.scores.scores import REASONS, SCORED, score_rows
from lexbeam.transforms.common.store.tables import sort_rows


def with_parts(measures: Iterable[str]) -> list[str]:
    """Return measures and those that they are made of, sorted."""
    named = set(measures)
    return sorted(named.union(*(MEASURES[name].parts for name in named)))


def with_made(rows: pa.Table, measures: Iterable[str]) -> pa.Table:
    """Return the rows of a pair and a seed with those of measures that are made of others, in the order of the table.

    A word that lacks one of these has the first reason that holds.

    Args:
        rows: what `scores.score_pair` returned, with all that the measures are made of.
        measures: keys of `MEASURES`; those that are not made of others are passed over.
    """
    made = [name for name in sorted(set(measures)) if MEASURES[name].takes == MADE]
    if not made:
        return rows
    alignments = [name for name in sorted(pc.unique(rows["alignment"]).to_pylist()) if name in _aligned(rows)]
    blocks = [_made(rows, alignment, name) for name in made for alignment in alignments]
    return sort_rows(pa.concat_tables([rows, *blocks]), ("alignment", "measure", "word"))


def _aligned(rows: pa.Table) -> set[str]:
    """Return the alignments by which aligned vectors are compared."""
    kinds = rows.group_by(["alignment", "measure"], use_threads=False).aggregate([]).to_pylist()
    return {kind["alignment"] for kind in kinds if needs_alignment(kind["measure"])}


def _made(rows: pa.Table, alignment: str, measure: str) -> pa.Table:
    entry = MEASURES[measure]
    blocks = [
        rows.filter(
            (pc.field("alignment") == (alignment if needs_alignment(part) else NO_ALIGNMENT))
            & (pc.field("measure") == part)
        )
        for part in entry.parts
    ]
    block = blocks[0]
    places = [pc.index_in(block["word"], value_set=part["word"].combine_chunks()) for part in blocks]
    blocks = [part.take(place) for part, place in zip(blocks, places, strict=True)]  # others may have other words
    scores = np.stack([part["score"].to_numpy() for part in blocks])
    why = [pc.index_in(part["reason"], value_set=pa.array(REASONS)).fill_null(len(REASONS)) for part in blocks]
    first = np.minimum.reduce([codes.to_numpy() for codes in why])
    found = joined(scores, block[entry.over].to_numpy(), entry.function)
    none = np.where(np.isnan(scores).any(axis=0), REASONS.index("undefined"), REASONS.index("no_reference"))
    reasons = np.where(np.isnan(found), np.where(first < len(REASONS), first, none), SCORED)
    kept = {name: block[name] for name in SCORES.schema().names if name in block.column_names}
    columns = kept | {"alignment": alignment, "measure": measure}
    return score_rows(columns, scores=found, reasons=reasons, seeds=(reasons == SCORED).astype(np.int32))
