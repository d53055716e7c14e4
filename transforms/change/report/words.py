"""Panels about the words of each pair of slices: what they score, and what chance gives."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.columns import column
from transforms.change.report.rankings import Compared
from transforms.change.scores.evidence_rows import LEVEL
from transforms.change.scores.ranking import ALL_TAGS
from transforms.change.shown.cells import why_no_score
from transforms.common.publish.snapshots import Snapshot
from transforms.report.labels import free_labels
from transforms.report.layered_charts import bands, cloud
from transforms.report.panels import Chart, Choice, Panel

__all__ = ["word_panels"]

SCORES = 40  # words drawn with their null bands: targets, and the first of the ranking
FIRST = 20  # of the ranking, at least
TARGETS = 200  # targets drawn
CLOUD = 1_000  # points of a scatter, and at least a tenth of it
ALL_CLOUDS = 4_000
LABELS = 10
CORRELATIONS = 6  # rankings whose correlations a caption gives

KEY = "slices and alignment"
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
    """Return the words of rankings: scores with null bands, scores against counts, all in a table.

    Raises:
        LexbeamError: the extra `report` is not installed.
    """
    if not rankings:
        return []
    section = snapshot.section("change")
    null = any(ranking.by_null for ranking in rankings)
    seeds = len(section["seeds"])
    return [_bands(rankings, null, seeds), _cloud(rankings, null), _table(rankings, null, section)]


def _joined(rankings: Sequence[Compared], tables: Sequence[pa.Table]) -> tuple[pa.Array, pa.Table]:
    """Return the names of rankings, one for each row of their tables, and the rows."""
    names = [ranking.name for ranking, table in zip(rankings, tables, strict=True) for _ in range(len(table))]
    return pa.array(names, pa.string()), pa.concat_tables(tables).combine_chunks()


_NAME = column(KEY, pa.string(), "what is compared, and by which alignment")
_WORD = column("word", pa.string(), "word of the training view")


def _bands(rankings: Sequence[Compared], null: bool, seeds: int) -> Chart:
    tables = [_drawn(ranking) for ranking in rankings]
    names, rows = _joined(rankings, tables)
    table = _band_table(names, rows)
    has = {name for name in table.column_names if table[name].null_count < table.num_rows}
    text = "Targets first, then the words whose usage differs most; the point is the score, mean over seeds."
    if null:
        text += (
            " The bar behind it is what dealt dates give, to the upper end of the one-sided 95 % interval: "
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
        _without_nulls(table),
        key=KEY,
    )


def _targets(ranking: Compared) -> pa.Table:
    """Return the rows of the targets that have a score."""
    return ranking.rows.filter(pc.and_(ranking.rows["target"], ranking.rows["score"].is_valid()))


def _drawn(ranking: Compared) -> pa.Table:
    """Return the rows that are drawn with their null bands: targets, and the first of the ranking."""
    targets = _targets(ranking)[:TARGETS]
    rows = ranking.rows.filter(ranking.rows["score"].is_valid())
    words = rows.filter(pc.and_(pc.invert(rows["target"]), rows["rank"].is_valid()))
    return pa.concat_tables([targets, words[: max(FIRST, SCORES - targets.num_rows)]])


def _band_table(names: pa.Array, rows: pa.Table) -> pa.Table:
    score, noise = rows["score"], rows["score_sd"]
    return _with_values(
        [
            (_NAME, names),
            (_WORD, rows["word"]),
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


def _with_values(fields: Sequence[tuple[pa.Field, Any]]) -> pa.Table:
    return pa.table([value for _, value in fields], schema=pa.schema([field for field, _ in fields]))


def _without_nulls(table: pa.Table) -> pa.Table:
    """Return a table without the columns that have no value."""
    return table.select([name for name in table.column_names if table[name].null_count < table.num_rows])


def _cloud(rankings: Sequence[Compared], null: bool) -> Chart:
    most = max(CLOUD // 10, min(CLOUD, ALL_CLOUDS // len(rankings)))
    tables = [_spread(ranking.ranked, most) for ranking in rankings]
    names, rows = _joined(rankings, tables)
    fewest = pc.min_element_wise(rows["count_from"], rows["count_to"])
    findings = _findings(rows)
    table = _with_values(
        [
            (_NAME, names),
            (_WORD, rows["word"]),
            (column("fewest uses", pa.int64(), "uses in the slice that has fewer"), fewest),
            (column("score", pa.float64(), "mean over seeds"), rows["score"]),
            (column("null mean", pa.float64(), "mean score under dealt dates"), rows["null_mean"]),
            (column("finding", pa.string(), "what may be said of the word"), findings),
            (column("label", pa.string(), "what is written beside the point"), _labels(rankings, tables)),
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
        text += f" Drawn are at most {most:,} words, the most changed and every so many of others."
    return Chart(
        "Score against count",
        text,
        cloud(
            "fewest uses",
            "score",
            behind="null mean" if null else None,
            name="word",
            label="label",
            colour="finding",
            values=FINDINGS if null else _NO_FINDING,
        ),
        _without_nulls(table),
        key=KEY,
    )


def _spread(rows: pa.Table, most: int) -> pa.Table:
    """Return at most so many rows: half from the top, and others at equal distances."""
    if rows.num_rows <= most:
        return rows
    top = most // 2
    places = np.append(np.arange(top), np.linspace(top, rows.num_rows - 1, most - top))
    return rows.take(pa.array(np.round(places).astype(np.int64)))


def _labels(rankings: Sequence[Compared], tables: Sequence[pa.Table]) -> list[str]:
    labels: list[str] = []
    for ranking, table in zip(rankings, tables, strict=True):
        places = {word: place for place, word in enumerate(table["word"].to_pylist())}
        named = {places[word]: word for word in ranking.ranking[:LABELS] if word in places}
        uses = pc.min_element_wise(table["count_from"], table["count_to"]).to_numpy()
        free = free_labels(np.log(np.maximum(uses, 1)), table["score"].to_numpy(), named)
        labels += [free.get(place, "") for place in range(table.num_rows)]
    return labels


def _rho(value: float) -> str:
    return "undefined" if np.isnan(value) else f"{value:.2f}"


# The columns of the table of words that a row of a ranking has as they are, by name there.
_FIRST_COLUMNS = (
    ("rank", column("rank", pa.int64(), "place among the words that rankings show")),
    ("word", _WORD),
    ("target", column("target", pa.bool_(), "whether it stands in the targets file")),
    ("upos", column("part of speech", pa.string(), "which most of its uses have")),
    ("score", column("score", pa.float64(), "mean over seeds")),
    ("score_sd", column("training noise", pa.float64(), "standard deviation of the score over seeds")),
    ("null_mean", column("null mean", pa.float64(), "mean score under dealt dates")),
    ("null_sd", column("null sd", pa.float64(), "standard deviation of these")),
    ("null_high", column("null band to", pa.float64(), "the score whose p is .05: upper end of chance")),
    ("excess", column("excess", pa.float64(), "score less the null mean; the order goes by it")),
    (
        "q_value",
        column(
            "q usage differs",
            pa.float64(),
            "share of false discoveries among words with a q "
            "as small: usage differs, genre, topics and all else included",
        ),
    ),
    (
        "q_relative",
        column(
            "q more than the vocabulary at large",
            pa.float64(),
            "the same for: usage differs more than that of the vocabulary at large",
        ),
    ),
    ("count_from", column("uses earlier", pa.int64(), "uses in the earlier slice")),
    ("count_to", column("uses later", pa.int64(), "uses in the later slice")),
)
_LAST_COLUMNS = (
    ("documents_from", column("documents earlier", pa.int64(), "documents that use it")),
    ("documents_to", column("documents later", pa.int64(), "documents that use it")),
    (
        "changed",
        column(
            "changed", pa.bool_(), "whether the score is above the threshold of the task, the mean over the targets"
        ),
    ),
    ("ranked", column("ranked", pa.bool_(), "whether it is frequent and spread enough to be ranked and tested")),
)


def _table(rankings: Sequence[Compared], null: bool, section: dict[str, Any]) -> Choice:
    names, rows = _joined(rankings, [ranking.rows for ranking in rankings])
    reasons = zip(rows["reason"].to_pylist(), rows["count_to"].to_pylist(), strict=True)
    fields: list[tuple[pa.Field, Any]] = [
        (_NAME, names),
        *((field, rows[name]) for name, field in _FIRST_COLUMNS if name != "target" or section["targets"]),
        *(
            (
                column(f"per million {when}", pa.float64(), "of a million tokens of the slice"),
                pc.multiply(rows[f"relative_{side}"], 1e6),
            )
            for when, side in (("earlier", "from"), ("later", "to"))
        ),
        *((field, rows[name]) for name, field in _LAST_COLUMNS),
        (
            column("no score", pa.string(), "why there is none"),
            pa.array([why_no_score(*known) or None for known in reasons], pa.string()),
        ),
    ]
    text = _table_text(rankings, null, section["options"])
    return Choice("Words", text, _without_nulls(_with_values(fields)), key=KEY, listed=True)


def _table_text(rankings: Sequence[Compared], null: bool, options: Mapping[str, Any]) -> str:
    pos = [name for name in options.get("rank-pos") or () if name != ALL_TAGS]
    kinds = f" ({', '.join(pos)} alone, where parts of speech are known)" if pos else ""
    text = (
        f"A row is a word. First come targets, then the words that rankings show{kinds} by "
        f"{'excess' if null else 'score'}, then other ranked words, then the rest by uses. Ranked "
        f"are words with at least {options['rank-min-count']} uses and "
        f"{options['rank-min-documents']} documents, or a fifth of a smaller slice, in both "
        "slices, that are not mostly proper nouns."
    )
    left = [f"{ranking.left_out:,} in {ranking.name}" for ranking in rankings if ranking.left_out]
    return text + (f" Words with a score that are left out: {'; '.join(left)}." if left else "")
