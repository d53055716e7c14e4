"""The summary of a pair as an artefact.

SUMMARISE   scores of all seeds, counts of both slices  -> a part of table `change/summary`
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import of_threshold
from lexbeam.schemas.change.summary import SUMMARY, SummaryColumns, SummedKind, suffixed
from lexbeam.transforms.change.scores.measures import MEASURES, kinds_of, of_usage, suffix_of
from lexbeam.transforms.change.scores.ranking import by_change
from lexbeam.transforms.change.scores.score_stage import ChangeScoreOptions
from lexbeam.transforms.change.spaces.neighbour_stage import ListedPart
from lexbeam.transforms.change.view.counts import majority_tags
from lexbeam.transforms.change.view.feeds import read_counts
from lexbeam.transforms.change.view.tags import Majority
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.sound import checked
from lexbeam.transforms.common.store.tables import read_table, write_part


def summary_columns(options: ChangeScoreOptions) -> SummaryColumns:
    """Return what `change/summary` has columns of: by what usage is scored, and thresholds, in the order of options."""
    kinds = tuple(
        SummedKind(alignment, measure, suffix_of(alignment, measure), MEASURES[measure].doc, MEASURES[measure].range)
        for alignment, measure in kinds_of(options.alignments, filter(of_usage, options.measures))
    )
    return SummaryColumns(kinds, tuple(dict.fromkeys(options.thresholds)))


class SummaryTask(NamedTuple):
    """A part of table `scores`, which is a pair, and the counts of its two slices."""

    scores: File
    counts: tuple[File, ...]


def _summarise(artefact: Artefact, task: SummaryTask, columns: SummaryColumns) -> ListedPart:
    scores = read_table([checked(task.scores)])
    words = pc.unique(scores["word"])
    tags = majority_tags([read_counts(file) for file in task.counts], words.take(pc.sort_indices(words)))
    rows = summarise(scores, columns, tags)
    schema = SUMMARY.schema(**columns._asdict())
    return ListedPart(write_part(artefact, schema, [rows], sort_keys=SUMMARY.key))


SUMMARISE: Stage[SummaryTask, SummaryColumns, ListedPart] = Stage(
    name="change/summarise", noun="scores", receipt=ListedPart, build=_summarise, unit="pairs"
)


FIRST = 50  # words of a seed's own ranking that `top50` counts

from lexbeam.transforms.change.scores.scores import Floats

_OF_WORD = (
    "word",
    "slice_from",
    "slice_to",
    "target",
    "ranked",
    "count_from",
    "count_to",
    "relative_from",
    "relative_to",
    "documents_from",
    "documents_to",
)
_OF_KIND = (
    "score",
    "score_sd",
    "null_mean",
    "null_sd",
    "null_high",
    "excess",
    "p_value",
    "q_value",
    "p_relative",
    "q_relative",
    "significant",
    "reason",
)


def summarise(scores: pa.Table, published: SummaryColumns, tags: Majority) -> pa.Table:
    """Return the rows of table `change/summary` of a pair of slices, by word.

    Args:
        scores: all rows of table `scores` of the pair; columns about a null may be missing.
        published: what the table has columns of, in their order.
        tags: of the words, sorted.
    """
    means = scores.filter(pc.is_null(scores["seed"]))
    plain = _words_once(means)
    words = plain["word"].combine_chunks()
    columns = {name: plain[name] for name in _OF_WORD}
    columns |= {"upos": tags.upos, "upos_share": tags.share}
    columns["relative_change"] = _change(plain)
    classes = [of_threshold("changed", name, published.thresholds) for name in published.thresholds]
    for kind in published.kinds:
        same = scores.filter((pc.field("alignment") == kind.alignment) & (pc.field("measure") == kind.measure))
        for name, values in _of_kind(same, words, classes).items():
            columns[suffixed(name, kind.suffix)] = values
    schema = SUMMARY.schema(**published._asdict())
    arrays = [columns[field.name].cast(field.type) for field in schema]
    return pa.table(arrays, schema=schema)


def _words_once(means: pa.Table) -> pa.Table:
    """Return a row for each word, sorted: all alignments and measures have the same words."""
    first = means.slice(0, 1).to_pylist()
    same = [pc.field(name) == row[name] for row in first for name in ("alignment", "measure")]
    return (means.filter(same[0] & same[1]) if same else means).sort_by("word")


def _change(rows: pa.Table) -> pa.Array:
    earlier = rows["relative_from"].to_numpy()
    change = np.full(len(earlier), np.nan)
    np.divide(rows["relative_to"].to_numpy(), earlier, out=change, where=earlier > 0)
    return pa.array(change - 1.0, from_pandas=True)


def _of_kind(rows: pa.Table, words: pa.Array, classes: Sequence[str]) -> dict[str, pa.Array]:
    """Return the columns of an alignment and measure, of which `rows` are all scores, for some words."""
    means = rows.filter(pc.is_null(rows["seed"]))
    place = pc.index_in(words, value_set=means["word"].combine_chunks())
    columns = {
        name: means[name].take(place) if name in means.column_names else pa.nulls(len(words))
        for name in (*_OF_KIND, *classes)
    }
    ranked = by_change(_rankable(means))["word"].combine_chunks()
    rank = pc.index_in(words, value_set=ranked)
    first = pa.array(_share_of_seeds(rows, words), mask=rank.is_null().to_numpy(False))
    return columns | {"rank": pc.add(rank, 1), "top50": first}


def _rankable(rows: pa.Table) -> pa.Table:
    return rows.filter(pc.field("ranked") & pc.field("score").is_valid())


def _share_of_seeds(rows: pa.Table, words: pa.Array) -> Floats:
    """Return for each word the share of seeds in whose ranking it is among the first."""
    seeds = pc.unique(rows["seed"].drop_null())
    times = np.zeros(len(words), np.int64)
    for seed in seeds:
        seed_rows = _rankable(rows.filter(pc.equal(rows["seed"], seed)))
        # By score alone, for a null is one of the mean and not of a seed.
        head = seed_rows.sort_by([("score", "descending"), ("word", "ascending")]).slice(0, FIRST)
        times += pc.is_in(words, value_set=head["word"].combine_chunks()).to_numpy(False)
    return times / max(len(seeds), 1)
