"""Tables of the words of each pair of slices: those flagged, and all with their numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import column
from lexbeam.transforms.change.report.rankings import Compared
from lexbeam.transforms.change.scores.ranking import ALL_TAGS
from lexbeam.transforms.change.shown.cells import why_no_score
from lexbeam.transforms.report.panels import Choice

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
