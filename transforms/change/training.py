"""Training as an artefact: one slice and one seed in, a part of table `vectors` out."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import pyarrow as pa

from schemas import TABLES
from transforms.change.counts import look_up
from transforms.change.preparing import read_counts, read_feed
from transforms.change.sgns import SgnsOptions, derive_seed, sentences_of, train
from transforms.common.artefacts import Artefact, Workspace, produce
from transforms.common.errors import LexbeamError
from transforms.common.tables import write_part

__all__ = ["TrainTask", "train_space"]

BATCH_WORDS = 4_096


class TrainTask(NamedTuple):
    """A slice to train with a seed: `feed` are the files of its sentences, in order."""

    tokens: int
    slice: str
    place: int
    seed: int
    part: int
    counts: str
    sentences: int
    feed: tuple[str, ...]


def train_space(workspace: Workspace, task: TrainTask, options: SgnsOptions) -> dict[str, Any]:
    """Train an embedding; returns its `part`, `slice` (name), `place`, `seed` and `counts`."""
    identity = [
        task.slice,
        task.seed,
        task.part,
        [path.rpartition("/")[2] for path in (task.counts, *task.feed)],
        asdict(options),
    ]

    if not task.sentences:
        raise LexbeamError(
            f"slice {task.slice!r} has no sentence left: lower --min-sentence, or take wider slices"
        )

    def build(artefact: Artefact) -> Any:
        counts = read_counts(task.counts)
        uses = dict(zip(counts["word"].to_pylist(), counts["count"].to_pylist(), strict=True))
        words, vectors = train(
            lambda: sentences_of(read_feed(task.feed)),
            uses,
            options,
            seed=derive_seed(task.slice, task.seed),
            sentences=task.sentences,
            tokens=task.tokens,
            slice_name=task.slice,
        )
        rows = look_up(counts, pa.array(words, pa.string()))
        size = len(words)
        table = pa.table(
            [
                pa.repeat(task.slice, size),
                pa.repeat(pa.scalar(task.seed, pa.int32()), size),
                *(rows[name] for name in ("word", "count", "documents", "proper_nouns")),
                pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), options.dim),
            ],
            names=TABLES["vectors"].schema(options.dim).names,
        )
        part = write_part(
            artefact.path(".parquet"),
            TABLES["vectors"].schema(options.dim),
            _cut(table),
            table="vectors",
            number=task.part,
            sort_keys=TABLES["vectors"].key,
        )
        return {
            "part": part,
            "slice": task.slice,
            "place": task.place,
            "seed": task.seed,
            "counts": task.counts,
            "tokens": task.tokens,
        }

    return produce(workspace, "train", identity, build)


def _cut(table: pa.Table) -> Sequence[pa.Table]:
    return [table.slice(start, BATCH_WORDS) for start in range(0, table.num_rows, BATCH_WORDS)]
