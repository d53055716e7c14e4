"""Panels about the words of each pair of slices: what they score, and what chance gives."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import column
from lexbeam.transforms.change.report.rankings import Compared
from lexbeam.transforms.change.report.word_tables import (
    KEY,
    NAME,
    WORD,
    flagged_table,
    with_names,
    with_values,
    without_nulls,
    words_table,
)
from lexbeam.transforms.change.scores.evidence_rows import LEVEL
from lexbeam.transforms.change.scores.ranking import by_change
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.report.charts import NARROW, WIDTH, bands, cloud, free_labels
from lexbeam.transforms.report.panels import Chart, Panel

SCORES = 40  # words drawn with their null bands: targets, and the first of the ranking
FIRST = 20  # of the ranking, at least
TARGETS = 200  # targets drawn
CLOUD = 1_000  # points of a scatter, and at least a tenth of it
ALL_CLOUDS = 4_000
LABELS = 10
FLAGGED = 40  # words in each plot, beside the first of the ranking
CORRELATIONS = 6  # rankings whose correlations a caption gives

MORE, DIFFERS, CHANCE, UNKNOWN = (
    "more than the vocabulary at large",
    "usage differs",
    "not told from chance",
    "no finding",
)
# What q-values allow to say of a word, with the colour of its point.
FINDINGS = {MORE: "var(--c2)", DIFFERS: "var(--c1)", CHANCE: "var(--c8)", UNKNOWN: "var(--c8)"}
_NO_FINDING = {UNKNOWN: FINDINGS[UNKNOWN]}


def word_panels(snapshot: Snapshot, rankings: Sequence[Compared]) -> list[Panel]:
    """Return the words of rankings: flagged ones, scores with null bands, scores against counts, all in a table.

    Raises:
        LexbeamError: the extra `report` is not installed.
    """
    if not rankings:
        return []
    section = snapshot.section("change")
    null = any(ranking.by_null for ranking in rankings)
    seeds = len(section["seeds"])
    flagged = [flagged_table(rankings)] if any(ranking.flagged.num_rows for ranking in rankings) else []
    return [*flagged, _bands(rankings, null, seeds), _cloud(rankings, null), words_table(rankings, null, section)]


def _bands(rankings: Sequence[Compared], null: bool, seeds: int) -> Chart:
    tables = [_drawn(ranking) for ranking in rankings]
    names, rows = with_names(rankings, tables)
    table = _band_table(names, rows)
    has = {name for name in table.column_names if table[name].null_count < table.num_rows}
    text = "Targets first, then flagged words and those whose usage differs most; a point is a score, mean over seeds."
    if null:
        text += (
            " The bar behind it is what random dates give, to the upper end of the one-sided 95 % interval: "
            "where nothing changed, one word in twenty lies beyond its bar; the tick is the mean. What may "
            "be said of a word is in the colour (q at most .05), not in the bar alone."
        )
    else:
        text += " There is no null, so nothing says which of these scores chance gives."
    if "noise from" in has:
        text += (
            f" The thin line is training noise: one standard deviation over {seeds} seeds to "
            "either side, which is no evidence."
        )
    left_out = max(_targets(ranking).num_rows - TARGETS for ranking in rankings)
    if left_out > 0:
        text += f" {left_out:,} targets of the lowest scores are left out; the table has them."
    return Chart(
        "Scores and what chance gives" if null else "Scores",
        text,
        bands(
            "word",
            "score",
            null=("null mean", "null to") if {"null mean", "null to"} <= has else None,
            noise=("noise from", "noise to") if "noise from" in has else None,
            colour="finding",
            values=FINDINGS if null else _NO_FINDING,
            number=max(table.num_rows for table in tables),
        ),
        without_nulls(table),
        key=KEY,
    )


def _targets(ranking: Compared) -> pa.Table:
    """Return the rows of the targets that have a score."""
    return ranking.rows.filter(pc.and_(ranking.rows["target"], ranking.rows["score"].is_valid()))


def _drawn(ranking: Compared) -> pa.Table:
    """Return the rows drawn with their null bands: targets, then flagged words and the first of the ranking."""
    targets = _targets(ranking)[:TARGETS]
    rows = ranking.rows.filter(ranking.rows["score"].is_valid())
    words = rows.filter(pc.and_(pc.invert(rows["target"]), rows["rank"].is_valid()))
    first = words[: max(FIRST, SCORES - targets.num_rows)]
    there = pa.concat_arrays([table["word"].combine_chunks() for table in (targets, first)])
    flagged = ranking.flagged[:FLAGGED]
    others = flagged.filter(pc.invert(pc.is_in(flagged["word"], value_set=there)))
    return pa.concat_tables([targets, by_change(pa.concat_tables([first, others.select(first.column_names)]))])


def _band_table(names: pa.Array, rows: pa.Table) -> pa.Table:
    score, noise = rows["score"], rows["score_sd"]
    return with_values(
        [
            (NAME, names),
            (WORD, rows["word"]),
            (column("score", pa.float64(), "mean over seeds"), score),
            (column("noise from", pa.float64(), "score less the training noise"), pc.subtract(score, noise)),
            (column("noise to", pa.float64(), "score and the training noise"), pc.add(score, noise)),
            (column("null mean", pa.float64(), "mean score under dealt dates"), rows["null_mean"]),
            (column("null to", pa.float64(), "the score whose p is .05: upper end of chance"), rows["null_high"]),
            (column("finding", pa.string(), "what may be said of the word"), _findings(rows)),
            (column("target", pa.bool_(), "whether it stands in the targets file"), rows["target"]),
        ]
    )


def _findings(rows: pa.Table) -> pa.Array:
    """Return in words what q-values say; `significant` needs both."""
    differs = pc.less_equal(rows["q_value"], LEVEL)
    more = pc.and_(differs, pc.less_equal(rows["q_relative"], LEVEL))
    findings = pc.if_else(pc.fill_null(more, False), MORE, pc.if_else(differs, DIFFERS, CHANCE))
    return pc.fill_null(pc.cast(findings, pa.string()), UNKNOWN)


def _cloud(rankings: Sequence[Compared], null: bool) -> Chart:
    most = max(CLOUD // 10, min(CLOUD, ALL_CLOUDS // len(rankings)))
    tables = [_spread(ranking, most) for ranking in rankings]
    names, rows = with_names(rankings, tables)
    fewest = pc.min_element_wise(rows["count_from"], rows["count_to"])
    findings = _findings(rows)
    table = with_values(
        [
            (NAME, names),
            (WORD, rows["word"]),
            (column("fewest uses", pa.int64(), "uses in the slice that has fewer"), fewest),
            (column("score", pa.float64(), "mean over seeds"), rows["score"]),
            (column("null mean", pa.float64(), "mean score under dealt dates"), rows["null_mean"]),
            (column("finding", pa.string(), "what may be said of the word"), findings),
            (column("label", pa.string(), "what is written beside the point"), _labels(rankings, tables, WIDTH)),
            (column("narrow label", pa.string(), "the same in a narrow window"), _labels(rankings, tables, NARROW)),
        ]
    )
    table = table.filter(pc.greater(table["fewest uses"], 0))
    correlations = [f"{ranking.name}: {_rho(ranking.rho[0])} and {_rho(ranking.rho[1])}" for ranking in rankings]
    if len(correlations) > CORRELATIONS:
        correlations = [*correlations[:CORRELATIONS], f"and {len(correlations) - CORRELATIONS} more"]
    what = "score less the mean of the null" if null else "score"
    text = (
        "Each ranked word by its uses in the slice that has fewer (log scale) and its score"
        + (", before the grey scores that dealt dates give it. " if null else ". ")
        + f"Spearman of {what} and log count of the words shown in rankings, in the earlier and "
        f"in the later slice: {'; '.join(correlations)}. Far from 0, the order tells of frequency as well."
    )
    cut = max(ranking.ranked.num_rows for ranking in rankings)
    if cut > most:
        text += f" Drawn are at most {most:,} words, the most changed, flagged ones and every so many of others."
    return Chart(
        "Score against count",
        text,
        cloud(
            "fewest uses",
            "score",
            behind="null mean" if null else None,
            name="word",
            label=("label", "narrow label"),
            colour="finding",
            values=FINDINGS if null else _NO_FINDING,
        ),
        without_nulls(table),
        key=KEY,
    )


def _spread(ranking: Compared, most: int) -> pa.Table:
    """Return at most so many ranked words: half from the top, flagged ones, and others at equal distances."""
    rows = ranking.ranked
    if rows.num_rows <= most:
        return rows
    top = most // 2
    flagged = pc.index_in(ranking.flagged["word"], value_set=rows["word"].combine_chunks()).drop_null().to_numpy()
    flagged = flagged[flagged >= top][: most - top - 1]
    others = np.linspace(top, rows.num_rows - 1, most - top - len(flagged))
    places = np.unique(np.concatenate([np.arange(top), flagged, np.round(others)]).astype(np.int64))
    return rows.take(pa.array(places))


def _labels(rankings: Sequence[Compared], tables: Sequence[pa.Table], width: int) -> list[str]:
    labels: list[str] = []
    for ranking, table in zip(rankings, tables, strict=True):
        places = {word: place for place, word in enumerate(table["word"].to_pylist())}
        first = [*ranking.flagged["word"].to_pylist()[:FLAGGED], *ranking.ranking[:LABELS]]
        named = {places[word]: word for word in first if word in places}
        uses = pc.min_element_wise(table["count_from"], table["count_to"]).to_numpy()
        free = free_labels(np.log(np.maximum(uses, 1)), table["score"].to_numpy(), named, width=width)
        labels += [free.get(place, "") for place in range(table.num_rows)]
    return labels


def _rho(value: float) -> str:
    return "undefined" if np.isnan(value) else f"{value:.2f}"
