"""Panels about the words of each pair of slices: what they score, and what chance gives."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import column
from lexbeam.transforms.change.scores.evidence_rows import LEVEL
from lexbeam.transforms.change.scores.measures import FREQUENCY, NO_ALIGNMENT, kinds_of, needs_alignment, of_usage
from lexbeam.transforms.change.scores.ranking import ALL_TAGS, by_change
from lexbeam.transforms.change.shown.ranking_rows import (
    Pair,
    flagged_words,
    has_null,
    pairs_of,
    ranked_rows,
    ranked_words,
    shown_pos,
    spearman,
    target_rows,
    why_no_score,
    with_rank,
)
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.report.charts import NARROW, WIDTH, bands, cloud, free_labels
from lexbeam.transforms.report.panels import Chart, Choice, Panel

PAIRS = 12  # pairs of slices that have panels
WORDS = 2_000  # rows for each ranking, beside the targets, and at least a twentieth of it
ALL_WORDS = 4_000
MOST_PICTURED = 40
FIRST_PICTURED = 12  # words of each pair


class Compared(NamedTuple):
    """A ranking: two slices by an alignment and a measure.

    Attributes:
        alignment, measure: what words are compared by.
        name: of the ranking, for a reader.
        rows: the words that are shown: targets first, then those of the ranking, other ranked
            ones, and others by their uses in the slice that has fewer; with their `rank`.
        ranked: all ranked words with a score, the most changed first.
        ranking: the words of the ranking alone, in its order.
        flagged: the words with both q-values up to .05, of any part of speech, with their rank among all.
        left_out: how many words with a score are not shown.
        rho: Spearman's rho of what the ranking goes by and log count, in either slice.
    """

    pair: Pair
    alignment: str
    measure: str
    name: str
    rows: pa.Table
    ranked: pa.Table
    ranking: list[str]
    flagged: pa.Table
    left_out: int
    rho: tuple[float, float]

    @property
    def by_null(self) -> bool:
        """Whether scores were compared with those of dealt dates."""
        return has_null(self.ranked) or has_null(self.rows)


def compared(snapshot: Snapshot, *, first_alone: bool = False) -> list[Compared]:
    """Return the rankings of the first pairs that have a score or a target, pair by pair.

    By each alignment of the run, or only the first, and each measure of usage; by frequency if
    nothing else was measured.
    """
    options = snapshot.section("change")["options"]
    measures = list(filter(of_usage, options["measure"]))
    kinds = kinds_of(options["alignment"], measures) or [(NO_ALIGNMENT, FREQUENCY)]
    if first_alone:
        kinds = kinds[:1]
    pairs = pairs_of(snapshot)[:PAIRS]
    most = max(WORDS // 20, min(WORDS, ALL_WORDS // max(1, len(pairs) * len(kinds))))
    rankings = [_compared(snapshot, pair, kind, len(measures) > 1, most) for pair in pairs for kind in kinds]
    return [ranking for ranking in rankings if ranking.rows.num_rows]


def _compared(snapshot: Snapshot, pair: Pair, kind: tuple[str, str], several: bool, most: int) -> Compared:
    alignment, measure = kind
    rows = ranked_rows(snapshot, pair, alignment, measure)
    rows = rows.filter(pc.or_(rows["score"].is_valid(), rows["target"]))
    words = ranked_words(rows, shown_pos(snapshot))
    ordered = _ordered(rows, words)
    targets = pc.sum(pc.cast(ordered["target"], pa.int64())).as_py() or 0
    shown = ordered[: targets + most]
    by = alignment + (f", {measure}" if several else "") if needs_alignment(measure) else measure
    return Compared(
        pair,
        alignment,
        measure,
        f"{pair[0]} to {pair[1]}, {by}",
        shown,
        ranked_words(rows).drop_columns(["rank"]),
        words["word"].to_pylist(),
        flagged_words(rows),
        rows.num_rows - shown.num_rows,
        spearman(words),
    )


def _ordered(rows: pa.Table, words: pa.Table) -> pa.Table:
    """Return all rows with their `rank` in the ranking, each word once, in the order shown."""
    rest = with_rank(rows, words)
    rest = rest.filter(pc.and_(pc.invert(rest["target"]), pc.is_null(rest["rank"])))
    ranked = pc.and_(rest["ranked"], rest["score"].is_valid())
    others = rest.filter(pc.invert(ranked))
    least = pc.min_element_wise(others["count_from"], others["count_to"])
    order = pc.sort_indices(
        pa.table({"least": least, "word": others["word"]}), [("least", "descending"), ("word", "ascending")]
    )
    others_ranked = words.filter(pc.invert(words["target"]))
    parts = [target_rows(rows, words), others_ranked, by_change(rest.filter(ranked)), others.take(order)]
    return pa.concat_tables(parts).combine_chunks()


def pictured(rankings: Sequence[Compared], most: int = MOST_PICTURED) -> list[str]:
    """Return the words that get pictures: targets, then flagged words and the first words of each pair.

    By the first alignment and measure; only words with a score; the pairs take turns.
    """
    first = _first_kind(rankings)
    words: dict[str, None] = {}
    for ranking in first:
        words.update(dict.fromkeys(_targets(ranking)["word"].to_pylist()))
    words.update(dict.fromkeys(flagged_of(rankings)[: FIRST_PICTURED * len(first)]))
    for place in range(FIRST_PICTURED):
        words.update({ranking.ranking[place]: None for ranking in first if place < len(ranking.ranking)})
    return list(words)[:most]


def flagged_of(rankings: Sequence[Compared]) -> list[str]:
    """Return the flagged words of all pairs by the first alignment and measure; the pairs take turns."""
    lists = [ranking.flagged["word"].to_pylist() for ranking in _first_kind(rankings)]
    places = range(max(map(len, lists), default=0))
    return list(dict.fromkeys(words[place] for place in places for words in lists if place < len(words)))


def named_flagged(flagged: Sequence[str], words: Iterable[str]) -> str:
    """Return a sentence, after a space, on which of some words are flagged; empty if none is."""
    named = [word for word in dict.fromkeys(words) if word in flagged]
    return f" Flagged among them (both q at most .05): {', '.join(named)}." if named else ""


def _first_kind(rankings: Sequence[Compared]) -> list[Compared]:
    """Return the rankings by the first alignment and measure."""
    kind = [(ranking.alignment, ranking.measure) for ranking in rankings][:1]
    return [ranking for ranking in rankings if (ranking.alignment, ranking.measure) in kind]


LISTED = 500  # flagged words

KEY = "slices and alignment"
NAME = column(KEY, pa.string(), "what is compared, and by which alignment")
WORD = column("word", pa.string(), "word of the training view")


def with_names(rankings: Sequence[Compared], tables: Sequence[pa.Table]) -> tuple[pa.Array, pa.Table]:
    """Return the names of rankings, one for each row of their tables, and the rows."""
    names = [ranking.name for ranking, table in zip(rankings, tables, strict=True) for _ in range(len(table))]
    return pa.array(names, pa.string()), pa.concat_tables(tables).combine_chunks()


def with_values(fields: Sequence[tuple[pa.Field, Any]]) -> pa.Table:
    """Return a table of columns, each a field and its values."""
    return pa.table([value for _, value in fields], schema=pa.schema([field for field, _ in fields]))


def without_nulls(table: pa.Table) -> pa.Table:
    """Return a table without the columns that have no value."""
    return table.select([name for name in table.column_names if table[name].null_count < table.num_rows])


# The columns of the table of words that a row of a ranking has as they are, by name there.
_FIRST_COLUMNS = (
    ("rank", column("rank", pa.int64(), "place among the words that rankings show")),
    ("word", WORD),
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
    ("changed", column("changed", pa.bool_(), "whether the score is above the first threshold")),
    ("ranked", column("ranked", pa.bool_(), "whether it is frequent and spread enough to be ranked and tested")),
    ("significant", column("flagged", pa.bool_(), "whether both q-values are up to .05")),
)


def words_table(rankings: Sequence[Compared], null: bool, section: Mapping[str, Any]) -> Choice:
    """Return all words of rankings with their numbers; `section` is that of the change run."""
    names, rows = with_names(rankings, [ranking.rows for ranking in rankings])
    reasons = zip(rows["reason"].to_pylist(), rows["count_to"].to_pylist(), strict=True)
    fields: list[tuple[pa.Field, Any]] = [
        (NAME, names),
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
    return Choice("Words", text, without_nulls(with_values(fields)), key=KEY, listed=True)


def flagged_table(rankings: Sequence[Compared]) -> Choice:
    """Return the words with both q-values up to .05, of any rank and part of speech."""
    tables = [ranking.flagged[:LISTED] for ranking in rankings]
    names, rows = with_names(rankings, tables)
    columns = [entry for entry in _FIRST_COLUMNS if entry[0] not in ("rank", "target")]
    rank = column("rank", pa.int64(), "place among the ranked words of any part of speech; none for others")
    fields: list[tuple[pa.Field, Any]] = [(NAME, names), (rank, rows["rank"])]
    fields += [(field, rows[name]) for name, field in columns]
    text = (
        "The words with both q-values up to .05, ranked words of any part of speech and targets: their usage "
        "differs by more than chance gives, and by more than that of the vocabulary at large. Read uses of "
        "them; not all are in rankings, which show some parts of speech alone."
    )
    more = [
        f"{ranking.flagged.num_rows - LISTED:,} in {ranking.name}"
        for ranking in rankings
        if ranking.flagged.num_rows > LISTED
    ]
    none = [ranking.name for ranking in rankings if not ranking.flagged.num_rows]
    text += f" Left out: {'; '.join(more)}." if more else ""
    text += f" None in {'; '.join(none)}." if none else ""
    return Choice("Flagged words", text, without_nulls(with_values(fields)), key=KEY, listed=True)


def _table_text(rankings: Sequence[Compared], null: bool, options: Mapping[str, Any]) -> str:
    pos = [name for name in options.get("rank-pos") or () if name != ALL_TAGS]
    kinds = f" ({', '.join(pos)} alone, where parts of speech are known)" if pos else ""
    text = (
        f"A row is a word. First come targets, then the words that rankings show{kinds} by "
        f"{'excess' if null else 'score'}, then other ranked words, then the rest by uses. Ranked "
        f"are words with at least {options['rank-min-count']} uses and "
        f"{options['rank-min-documents']} documents, or a fifth of a smaller slice, in both "
        "slices, that are not mostly proper nouns"
        + (f" nor among the {number} most frequent words." if (number := options.get("rank-stop-words")) else ".")
    )
    left = [f"{ranking.left_out:,} in {ranking.name}" for ranking in rankings if ranking.left_out]
    text += f" Words with a score that are left out: {'; '.join(left)}." if left else ""
    out = [(sum(word not in of for word in flagged), name) for name, flagged, of in map(_flagged_and_shown, rankings)]
    told = [f"{number:,} in {name}" for number, name in out if number]
    return text + (f" Flagged words without a rank here, by their part of speech: {'; '.join(told)}." if told else "")


def _flagged_and_shown(ranking: Compared) -> tuple[str, list[str], set[str]]:
    """Return a ranking's name, its flagged words that are ranked, and the words that it shows."""
    flagged = ranking.flagged.filter(ranking.flagged["ranked"])["word"].to_pylist()
    return ranking.name, flagged, set(ranking.ranking)


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
