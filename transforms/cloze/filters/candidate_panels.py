"""Panels of candidates: what filters leave over, and their values about their thresholds."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.cloze import CANDIDATES
from lexbeam.schemas.columns import column
from lexbeam.transforms.cloze.filters.candidates import JudgeWords
from lexbeam.transforms.cloze.filters.cloze_filters import FILTERS
from lexbeam.transforms.cloze.pairs.pair import Row
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block, columns_with, listed, number
from lexbeam.transforms.common.store.tables import read_table
from lexbeam.transforms.report.charts import bars_across, histogram
from lexbeam.transforms.report.panels import Chart, Panel, SectionTable, TableColumn

THROUGH, REJECTED = "let through", "rejected"
COLOURS = {THROUGH: "var(--c2)", REJECTED: "var(--c8)"}


FILTERED = SectionTable(
    "Words and filters",
    "What became of the words of summaries, filter by filter.",
    (
        TableColumn("kind", "what makes the answer abstract", pa.string()),
        TableColumn("filter", "the filter; all: together", pa.string()),
        TableColumn("words", "words that it was asked of", head="asked"),
        TableColumn("rejected", "words that it did not let through"),
        TableColumn("abstained", "words that it said nothing of"),
        TableColumn("reasons", "words that it was the first to reject", head="first to reject"),
        TableColumn("targets", "targets of the files among the words"),
        TableColumn("targets_rejected", "those that it did not let through", head="targets rejected"),
    ),
)


class HistogramScale(NamedTuple):
    """What a histogram of a filter's values is made over.

    Attributes:
        least, greatest: the ends; values beyond them are in the outermost bars.
        bars: how many there are.
        what: what a value is.
    """

    least: float
    greatest: float
    bars: int
    what: str

    def edges(self) -> np.ndarray:
        """Return the ends of all bars, rising."""
        return np.linspace(self.least, self.greatest, self.bars + 1)


SCALES = {
    "abstractness": HistogramScale(0, 1, 50, "concreteness"),
    "nonspecificity": HistogramScale(0, 20, 20, "depth in WordNet"),
    "static": HistogramScale(-1, 1, 80, "greatest cosine with a word of the passage"),
    "contextual": HistogramScale(-1, 1, 80, "greatest cosine with a word of the passage, in context"),
}


def left_over(counts: list[Row]) -> Iterator[tuple[str, str, int]]:
    """Yield kind, filter and how many words are left after it and those before it.

    Args:
        counts: `counts` of the section: by kind, first that of all filters, then one for each.
    """
    left: dict[str, int] = {}
    for count in counts:
        kind = count["kind"]
        if count["filter"] == "all":
            left[kind] = count["words"]
            yield kind, "words of summaries", left[kind]
        else:
            left[kind] -= count["reasons"]
            yield kind, count["filter"], left[kind]


def histograms(rows: pa.Table, name: str, scale: HistogramScale) -> dict[tuple[str, bool], np.ndarray]:
    """Return how many values of a filter lie in each bar, by kind and whether they are let through.

    Args:
        rows: of table cloze/candidates.
        name: the filter.
        scale: the bars, of equal width; each holds its lower end.
    """
    bars = {}
    known = rows.filter(pc.and_(pc.is_valid(rows[f"{name}_value"]), pc.is_valid(rows[f"{name}_passed"])))
    for kind in pc.unique(known["kind"]).to_pylist():
        for through in (True, False):
            chosen = known.filter(pc.and_(pc.equal(known["kind"], kind), pc.equal(known[f"{name}_passed"], through)))
            values = chosen[f"{name}_value"].to_numpy()
            places = np.searchsorted(scale.edges()[1:-1], values, side="right")
            bars[kind, through] = np.bincount(places, minlength=scale.bars)
    return bars


def candidate_panels(snapshot: Snapshot) -> list[Panel]:
    """Return what filters leave over, their values, and all counts.

    Raises:
        LexbeamError: the extra `report` is not installed.
    """
    section = snapshot.section("cloze.candidates")
    panels: list[Panel] = [_funnel(section)]
    panels += _values(snapshot, section)
    return [*panels, FILTERED.panel(section["counts"])]


def _funnel(section: Row) -> Panel:
    schema = pa.schema(
        [
            column("kind", pa.string(), "what makes the answer abstract"),
            column("after", pa.string(), "the last filter asked"),
            column("words left", pa.int64(), "words that no filter has rejected so far"),
        ]
    )
    rows = list(left_over(section["counts"]))
    columns = [pa.array(values) for values in zip(*rows, strict=True)] or [[], [], []]
    bars = max((len([row for row in rows if row[0] == kind]) for kind, _, _ in rows), default=0)
    return Chart(
        "What filters leave over",
        "Words of summaries that are left after each filter, in the order of the filters, for the kind that is chosen.",
        bars_across("after", "words left", number=bars),
        pa.table(columns, schema=schema),
        key="kind",
    )


def _values(snapshot: Snapshot, section: Row) -> Iterator[Panel]:
    thresholds: Mapping[str, float] = section["thresholds"]
    rows = []
    for name in FILTERS:
        if name not in thresholds or name not in SCALES:
            continue
        scale = SCALES[name]
        edges = scale.edges()
        for (kind, through), counts in sorted(_counted(snapshot, name, scale).items()):
            rows += [
                {
                    "values": f"{kind}, {scale.what}",
                    "from": low,
                    "to": high,
                    "words": int(count),
                    "verdict": THROUGH if through else REJECTED,
                    "threshold": thresholds[name],
                }
                for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
                if count
            ]
    if not rows:
        return
    schema = pa.schema(
        [
            column("values", pa.string(), "kind, and what is counted"),
            column("from", pa.float64(), "lower end of the bar, included"),
            column("to", pa.float64(), "upper end"),
            column("words", pa.int64(), "words with such a value"),
            column("verdict", pa.string(), "what the filter says of them"),
            column("threshold", pa.float64(), "the filter's threshold"),
        ]
    )
    yield Chart(
        "Values of filters, and their thresholds",
        "How many words of summaries have which value, for the kind and the filter that are "
        "chosen; the line is the threshold. Words without a value are not shown.",
        histogram("from", "to", "words", at="threshold", colour="verdict", values=COLOURS),
        pa.Table.from_pylist(rows, schema),
        key="values",
    )


def _counted(snapshot: Snapshot, name: str, scale: HistogramScale) -> dict[tuple[str, bool], np.ndarray]:
    totals: dict[tuple[str, bool], np.ndarray] = {}
    for path in snapshot.paths(CANDIDATES.name):
        rows = read_table([path], ["kind", f"{name}_value", f"{name}_passed"])
        for key, counts in histograms(rows, name, scale).items():
            totals[key] = totals.get(key, 0) + counts
    return totals


REJECTS = "×"
_COUNTS = ("repeated", "lemma", "synonym", "antonym")
_COSINES = ("static", "contextual")
_OPEN = "open"


def blocks_of(rows: pa.Table, rules: JudgeWords) -> Iterator[Block]:
    """Yield grids of the words: verdicts, what they are, what of the passage offends; thresholds.

    Args:
        rows: of one pair, see `candidates.explained`.
        rules: which filters were applied.
    """
    words: dict[int, dict[str, Row]] = {}
    for row in rows.to_pylist():
        words.setdefault(row["token"], {})[row["kind"]] = row
    yield f"{len(words)} words of the summary; {REJECTS} rejects"
    yield ""
    heads = [(name, "<") for name in ("word", "lemma", "tag", *rules.kinds)]
    yield columns_with(heads, [_verdicts(kinds) for kinds in words.values()], 2)
    # What several kinds share is the same for each.
    each = [_merged(kinds) for kinds in words.values()]
    if any(row["sense"] or row["rating"] is not None for row in each):
        yield ""
        heads = [("word", "<"), ("rating", ">"), ("depth", ">"), ("sense", "<"), ("gloss", "<")]
        yield columns_with(heads, [_itself(row) for row in each], 2)
    asked = [name for name in (*_COUNTS, *_COSINES) if name in rules.filters()]
    if asked:
        yield ""
        heads = [("word", "<"), *((name, "<") for name in asked)]
        cells = [[row["form"], *(_offence(row, name) for name in asked)] for row in each]
        yield columns_with(heads, cells, 2)
    yield ""
    yield from _closing(rules)


def _verdicts(kinds: dict[str, Row]) -> list[str]:
    row = next(iter(kinds.values()))
    verdicts = []
    for by_kind in kinds.values():
        verdict = {True: "candidate", False: f"{REJECTS} {by_kind['reason']}", None: _OPEN}
        verdicts.append(verdict[by_kind["passed"]])
    return [row["form"], row["lemma"] or "", row["upos"] or "", *verdicts]


def _merged(kinds: dict[str, Row]) -> Row:
    """Return a word's row with the values of all kinds."""
    merged: Row = {}
    for row in kinds.values():
        merged |= {name: value for name, value in row.items() if value is not None}
    return {**dict.fromkeys(next(iter(kinds.values()))), **merged}


def _itself(row: Row) -> list[str]:
    rating = f"{number(row['rating'], 2)} {row['abstractness_match'] or ''}".strip()
    rating = _marked(rating, row["abstractness_passed"])
    depth = "" if row["depth"] is None else f"{row['depth']:g}"
    depth = _marked(depth, row["nonspecificity_passed"])
    return [row["form"], rating, depth, row["sense"] or "", row["gloss"] or ""]


def _offence(row: Row, name: str) -> str:
    value, match = row[f"{name}_value"], row[f"{name}_match"]
    if value is None:
        return _marked("", row[f"{name}_passed"])
    shown = number(value, 2) if name in _COSINES else f"{value:g}"
    return _marked(f"{shown} {match or ''}".rstrip(), row[f"{name}_passed"])


def _marked(text: str, passed: bool | None) -> str:
    return f"{text} {REJECTS}".lstrip() if passed is False else text


def _closing(rules: JudgeWords) -> Iterator[str]:
    setting = rules.setting
    asked = rules.filters()
    limits = {**setting.thresholds, "nonspecificity": setting.depth_below}
    if setting.abstractness is not None:
        limits["abstractness"] = setting.abstractness.below
    for name in FILTERS:
        if name in asked and name in limits:
            yield f"{name} lets through what is below {limits[name]:.4g}"
    if left_out := [name for name in FILTERS if name not in asked]:
        yield f"not asked: {listed(left_out)}"
    if any(map(rules.is_open, rules.kinds)):
        yield f"{_OPEN}: nothing that was asked rejects it, but not all was asked"
