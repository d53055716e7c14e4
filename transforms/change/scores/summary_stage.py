"""The summary of a pair as an artefact.

SUMMARISE   scores of all seeds, counts of both slices  -> a part of table `change/summary`
"""

from typing import NamedTuple

import pyarrow.compute as pc

from schemas.change.summary import SUMMARY
from transforms.change.scores.summary import summarise
from transforms.change.spaces.neighbour_stage import ListedPart
from transforms.change.view.counts import majority_tags
from transforms.change.view.feeds import read_counts
from transforms.common.store.artefacts import Artefact, Stage
from transforms.common.store.receipts import File
from transforms.common.store.sound import checked
from transforms.common.store.tables import read_table, write_part

__all__ = ["SUMMARISE", "SummaryTask"]


class SummaryTask(NamedTuple):
    """A part of table `scores`, which is a pair, and the counts of its two slices."""

    scores: File
    counts: tuple[File, ...]


def _summarise(artefact: Artefact, task: SummaryTask, alignments: tuple[str, ...]) -> ListedPart:
    scores = read_table([checked(task.scores)])
    words = pc.unique(scores["word"])
    tags = majority_tags([read_counts(file) for file in task.counts], words.take(pc.sort_indices(words)))
    rows = summarise(scores, alignments, tags)
    schema = SUMMARY.schema(alignments=alignments)
    return ListedPart(write_part(artefact, schema, [rows], sort_keys=SUMMARY.key))


SUMMARISE: Stage[SummaryTask, tuple[str, ...], ListedPart] = Stage(
    name="change/summarise", receipt=ListedPart, build=_summarise, unit="pairs"
)
