"""Pairs of slices as artefacts: aligned and scored per seed, then combined over seeds.

align_pair     two spaces of one seed  -> a part of table `alignments`
score_seed     the same and their maps -> one seed's scores
combine_pair   scores of all seeds     -> a part of table `scores`, and the most changed words
find_neighbours  a space and words     -> a part of table `neighbours`
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schemas import TABLES
from transforms.change.alignment import Alignment, Space, fit_alignment
from transforms.change.neighbours import neighbours_table
from transforms.change.preparing import read_counts
from transforms.change.ranking import RankOptions, spearman_with_log_count, top
from transforms.change.scores import Scored, combine_seeds, score_pair
from transforms.change.spaces import load_side, load_space, side_row
from transforms.common import files
from transforms.common.artefacts import Artefact, Workspace, produce
from transforms.common.tables import GROUP_ROWS, read_rows, write_part

__all__ = [
    "PairTask",
    "ScoreOptions",
    "SliceFacts",
    "align_pair",
    "combine_pair",
    "find_neighbours",
    "score_seed",
]


class SliceFacts(NamedTuple):
    """What scoring knows of a slice: its name, its counts, and sizes."""

    name: str
    counts: str
    tokens: int
    documents: int
    min_count: int


class PairTask(NamedTuple):
    """A pair of slices and a seed; `parts` are the two spaces, `pair` the pair's number."""

    pair: int
    seed: int
    part: int
    slices: tuple[SliceFacts, SliceFacts]
    parts: tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class ScoreOptions:
    """What decides alignments, scores and what is shown.

    Attributes:
        alignments: names, see `alignment.ALIGNMENTS`.
        measures: names, see `measures.MEASURES`; `frequency` is always scored.
        fit_on: words that maps are fitted on, or None for each alignment's default.
        rcond: singular values below this share of the first are dropped (cca).
        targets: target words.
        threshold: name, see `thresholds.THRESHOLDS`.
        rank: which words rankings take.
        neighbours: neighbours per word.
        neighbour_words: most changed words that get neighbours, beside the targets.
        neighbour_min_count: uses that a neighbour needs; rarer words are hardly trained.
    """

    alignments: tuple[str, ...] = ("op", "cca")
    measures: tuple[str, ...] = ("cosine",)
    fit_on: str | None = None
    rcond: float = 1e-10
    targets: tuple[str, ...] = ()
    threshold: str = "mean"
    rank: RankOptions = field(default_factory=RankOptions)
    neighbours: int = 10
    neighbour_words: int = 100
    neighbour_min_count: int = 20


TOP_WORDS = 10  # of a ranking, at least


def _names(paths: Sequence[str]) -> list[str]:
    return [path.rpartition("/")[2] for path in paths]


def _spaces(task: PairTask) -> tuple[Space, Space]:
    earlier, later = (
        load_space([path], facts.name, task.seed, facts.tokens)
        for path, facts in zip(task.parts, task.slices, strict=True)
    )
    return earlier, later


def align_pair(workspace: Workspace, task: PairTask, options: ScoreOptions) -> dict[str, Any]:
    """Fit every alignment of a pair for one seed; returns its `part` of table alignments."""
    identity = [
        _names(task.parts), task.part, options.alignments, options.fit_on, options.rcond,
        options.targets,
    ]  # fmt: skip

    def build(artefact: Artefact) -> Any:
        earlier, later = _spaces(task)
        rows = []
        for name in sorted(set(options.alignments) - {"none"}):
            fitted = fit_alignment(
                name, earlier, later,
                fit_on=options.fit_on, targets=options.targets, rcond=options.rcond,
            )  # fmt: skip
            for side, values in (("from", fitted.source), ("to", fitted.target)):
                rows.append(
                    {
                        "slice_from": task.slices[0].name,
                        "slice_to": task.slices[1].name,
                        "seed": task.seed,
                        "alignment": name,
                        "side": side,
                        "fit_words": fitted.fit_words,
                        "residual": fitted.residual,
                        **side_row(values, fitted.residual is not None),
                    }
                )
        schema = TABLES["alignments"].schema()
        part = write_part(
            artefact.path(".parquet"),
            schema,
            [pa.Table.from_pylist([row], schema=schema) for row in rows],
            table="alignments",
            number=task.part,
            sort_keys=TABLES["alignments"].key,
        )
        return {"part": part}

    return produce(workspace, "align", identity, build)


def _alignments(path: str, names: Sequence[str]) -> dict[str, Alignment]:
    """Return the alignments that a part of table alignments holds, as they are published."""
    rows = [row for table in read_rows([path]) for row in table.to_pylist()]
    found = {}
    for source, target in zip(rows[::2], rows[1::2], strict=True):
        found[source["alignment"]] = Alignment(
            load_side(source), load_side(target), source["fit_words"], source["residual"]
        )
    if "none" in names:
        found["none"] = Alignment(*_UNALIGNED, 0, 0.0)
    return found


_UNALIGNED = (load_side({"unit_length": False, "mean": None, "matrix": None}),) * 2


def score_seed(
    workspace: Workspace, task: PairTask, alignments: str, options: ScoreOptions
) -> dict[str, Any]:
    """Score a pair for one seed by its published maps; returns `path` of the rows."""
    identity = [
        _names([*task.parts, alignments, *(facts.counts for facts in task.slices)]),
        [facts[2:] for facts in task.slices],
        _plain(options),
    ]

    def build(artefact: Artefact) -> Any:
        scored = [
            Scored(
                facts.name, space, read_counts(facts.counts), facts.tokens, facts.documents,
                facts.min_count,
            )
            for facts, space in zip(task.slices, _spaces(task), strict=True)
        ]  # fmt: skip
        rows = score_pair(
            *scored,
            seed=task.seed,
            alignments=_alignments(alignments, options.alignments),
            measures=sorted({*options.measures, "frequency"}),
            targets=options.targets,
            rank=options.rank,
        )
        with artefact.writing(".parquet") as stream:
            pq.write_table(rows, stream, compression="lz4")
        return {"path": artefact.path(".parquet")}

    return produce(workspace, "score", identity, build)


def _plain(options: ScoreOptions) -> Any:
    values = asdict(options)
    for name in ("fit_on", "rcond", "neighbours", "neighbour_words", "neighbour_min_count"):
        del values[name]
    return values


def combine_pair(
    workspace: Workspace, pair: int, paths: Sequence[str], options: ScoreOptions
) -> dict[str, Any]:
    """Combine the seeds of a pair; returns its `part` of table scores and what a ranking shows.

    `tops` lists, per alignment with a measure of vectors, the most changed words, the threshold
    and Spearman's correlation of score with log count in either slice.
    """
    ordered = sorted(paths)
    identity = [pair, _names(ordered), options.threshold, options.neighbour_words]

    def build(artefact: Artefact) -> Any:
        rows = combine_seeds(
            [pq.read_table(_open(path)) for path in ordered],
            threshold=options.threshold,
            use_targets=bool(options.targets),
        )
        part = write_part(
            artefact.path(".parquet"),
            TABLES["scores"].schema(),
            _cut(rows),
            table="scores",
            number=pair,
            sort_keys=TABLES["scores"].key,
        )
        return {"part": part, "pair": pair, "tops": list(_tops(rows, options))}

    return produce(workspace, "combine", identity, build)


def _open(path: str) -> Any:
    return pa.PythonFile(files.open_read(path), "r")


def _cut(rows: pa.Table) -> Iterator[pa.Table]:
    for start in range(0, rows.num_rows, GROUP_ROWS):
        yield rows.slice(start, GROUP_ROWS)


def _tops(rows: pa.Table, options: ScoreOptions) -> Iterator[dict[str, Any]]:
    means = rows.filter(pc.is_null(rows["seed"]))
    for alignment in options.alignments:
        for measure in options.measures:
            if measure == "frequency":
                continue
            same = means.filter(
                pc.and_(
                    pc.equal(means["alignment"], alignment), pc.equal(means["measure"], measure)
                )
            )
            number = max(TOP_WORDS, options.neighbour_words)
            head = top(rows, number, alignment=alignment, measure=measure)
            ranked = same.filter(same["ranked"])
            scores = ranked["score"].to_numpy(zero_copy_only=False)
            threshold = pc.first(same["threshold"]).as_py() if same.num_rows else None
            yield {
                "alignment": alignment,
                "measure": measure,
                "slice_from": same["slice_from"][0].as_py() if same.num_rows else "",
                "slice_to": same["slice_to"][0].as_py() if same.num_rows else "",
                "words": head["word"].to_pylist(),
                "scores": head["score"].to_pylist(),
                "ranked": ranked.num_rows,
                "threshold": threshold,
                "spearman_from": _number(
                    spearman_with_log_count(scores, ranked["count_from"].to_numpy())
                ),
                "spearman_to": _number(
                    spearman_with_log_count(scores, ranked["count_to"].to_numpy())
                ),
            }


def _number(value: float) -> float | None:
    return None if value != value else value


def find_neighbours(
    workspace: Workspace,
    facts: SliceFacts,
    seed: int,
    part: int,
    space: str,
    words: Sequence[str],
    options: ScoreOptions,
) -> dict[str, Any]:
    """Find neighbours of words in one space; returns its `part`."""
    wanted = sorted(set(words))
    limits = [options.neighbours, options.neighbour_min_count]
    identity = [_names([space]), seed, part, wanted, limits]

    def build(artefact: Artefact) -> Any:
        table = neighbours_table(
            facts.name,
            seed,
            load_space([space], facts.name, seed),
            wanted,
            k=options.neighbours,
            min_count=options.neighbour_min_count,
        )
        written = write_part(
            artefact.path(".parquet"),
            TABLES["neighbours"].schema(),
            _cut(table),
            table="neighbours",
            number=part,
            sort_keys=TABLES["neighbours"].key,
        )
        return {"part": written}

    return produce(workspace, "neighbours", identity, build)
