"""Staged pairs merged: equal ones joined, texts annotated, targets found, parts written.

The pairs of an article lie side by side. Memory is that of a batch for each run, and of the pairs that are
annotated at a time.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from lexbeam.schemas.cloze import PAIR_INPUTS, PAIR_REJECTS, PAIRS
from lexbeam.transforms.cloze.pairs.annotation import TEXTS, annotate_pairs, give_places
from lexbeam.transforms.cloze.pairs.pair import Row, join_rows
from lexbeam.transforms.cloze.pairs.read_stage import ROWS
from lexbeam.transforms.common.batched import batched
from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.merge import MergeTask
from lexbeam.transforms.formats.ingest.stage import acceptable
from lexbeam.transforms.intake.merging import (
    Settled,
    TaskStages,
    TextAnnotationOptions,
    chosen_engine,
    engine_of,
    grouped_rows,
    write_tables,
)
from lexbeam.transforms.intake.staging import LoadedCounts

_ANNOTATED = 64  # pairs that are annotated at a time, and their code points
_CHARACTERS = 1 << 19


@dataclass(frozen=True, kw_only=True)
class SettledPairs(Settled):
    """Receipt of a part: its file, and counts for the summary of the run.

    Attributes:
        flags: pairs by flag.
        targets: targets by kind, and how many of them were found.
        languages: pairs by language; empty: of none.
        articles: passages that differ.
        repeated: records that joined a pair that was there.
        words: tokens of summaries and of passages.
    """

    flags: dict[str, int]
    targets: dict[str, tuple[int, int]]
    languages: dict[str, int]
    articles: int
    repeated: int
    words: tuple[int, int]


def acceptable_records(counts: LoadedCounts, share: float) -> bool:
    """Return whether few enough of all records were rejected, see `acceptable`."""
    faults = counts.rejected - counts.reasons.get("forgotten", 0)
    return acceptable(counts.records + counts.rejected, faults, share)


class _Tally:
    """Counts for the receipt of a part."""

    def __init__(self) -> None:
        self.flags: Counter[str] = Counter()
        self.targets: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self.languages: Counter[str] = Counter()
        self.articles = self.repeated = 0
        self.words = [0, 0]
        self._article = ""

    def add(self, pair: Row) -> None:
        self.flags.update(pair["flags"])
        for target in pair["targets"]:
            self.targets[target["kind"]] += 1
            self.found[target["kind"]] += target["token"] is not None
        self.languages[pair["language"] or ""] += 1
        self.articles += pair["article_id"] != self._article
        self._article = pair["article_id"]
        self.repeated += pair["rows"] - 1
        for place, name in enumerate(TEXTS):
            self.words[place] += len(pair[f"{name}_forms"])


def _settle(artefact: Artefact, task: MergeTask, options: TextAnnotationOptions) -> SettledPairs:
    engine = engine_of(options)
    tally = _Tally()

    def batches() -> Iterator[list[list[Row]]]:
        with one_thread():
            joined = (join_rows(rows) for _, rows in grouped_rows(task, ROWS))
            for pairs in batched(joined, _ANNOTATED, size=_characters, largest=_CHARACTERS):
                annotate_pairs(pairs, engine)
                for pair in pairs:
                    give_places(pair)
                    tally.add(pair)
                yield [pairs]

    return SettledPairs(
        tables=write_tables(artefact, (PAIRS,), batches()),
        flags=dict(sorted(tally.flags.items())),
        targets={kind: (tally.targets[kind], tally.found[kind]) for kind in sorted(tally.targets)},
        languages=dict(sorted(tally.languages.items())),
        articles=tally.articles,
        repeated=tally.repeated,
        words=(tally.words[0], tally.words[1]),
    )


def _characters(pair: Row) -> int:
    return sum(len(pair[name]) for name in TEXTS)


SETTLE: Stage[MergeTask, TextAnnotationOptions, SettledPairs] = Stage(
    name="cloze/settle", noun="pairs", receipt=SettledPairs, build=_settle, chosen=chosen_engine, unit="parts"
)
SETTLING = TaskStages.of(SETTLE, PAIR_REJECTS, PAIR_INPUTS)
