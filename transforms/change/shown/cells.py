"""What a person reads of a word's score: its value, noise and null band, and why something is missing."""

from collections.abc import Iterable, Mapping, Sequence

import pyarrow.compute as pc

from lexbeam.schemas.change.scores import NULL_REASONS
from lexbeam.transforms.change.scores.measures import FREQUENCY, of_usage
from lexbeam.transforms.change.scores.ranking import Row
from lexbeam.transforms.change.view.targets import near_matches
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import number
from lexbeam.transforms.common.store.tables import read_rows

NO_NULL = "no null: nothing says which of these scores chance gives (option `null`)"
ABSENT_FROM_BOTH = "the word occurs in neither slice"


def score_text(row: Row, name: str) -> str:
    """Return a value in the unit of scores as text; of frequency in uses per million tokens."""
    value = row.get(name)
    if row.get("measure") == FREQUENCY:
        return number(None if value is None else 1e6 * value, 1)
    return number(value)


def noise(row: Row) -> str:
    """Return the training noise of a word's score; empty for measures of counts, which are not trained."""
    return number(row["score_sd"]) if of_usage(row.get("measure") or "") else ""


def null_band(row: Row) -> str:
    """Return the upper end of what chance gives a word; for words that are not tested the mean of its null scores."""
    if row.get("null_high") is not None:
        return f"up to {score_text(row, 'null_high')}"
    return f"mean {score_text(row, 'null_mean')}" if row.get("null_mean") is not None else ""


def why_no_score(reason: str | None, later: int | None = None) -> str:
    """Return in words why a word has no score; empty without a reason.

    If several reasons hold, the first is published, that of the earlier slice.

    Args:
        reason: the published reason.
        later: the word's uses in the later slice, if known.
    """
    if reason == "absent_from" and later == 0:
        return ABSENT_FROM_BOTH
    return "" if reason is None else NULL_REASONS.get(reason, reason.replace("_", " "))


def why_unknown(snapshot: Snapshot) -> str:
    """Return why a word of the texts may be missing from all tables, with the numbers of the run."""
    section = snapshot.section("change")
    view = section["view"]
    rows = {row["slice"]: row for row in snapshot.read("slices").to_pylist()}
    slices = [rows[name] for name, *_ in section["slices"] if name in rows]
    needed = _by_slice(slices, "min_count")
    words = "lemmas" if view["unit"] == "lemma" else "forms"
    text = (
        f"the tables have {'targets, and ' if section['targets'] else ''}"
        f"{words} with at least {needed} uses in a slice "
        "(`min_count`)"
    )
    if short := sum(row["sentences_short"] for row in slices):
        text += (
            f"; words of sentences with fewer than {view['min_sentence']} tokens are not counted "
            f"(`min_sentence` leaves out {short:,} sentences)"
        )
    if sampled := sum(row["sentences_sampled_out"] for row in slices):
        text += f"; words of {sampled:,} sentences that `max_tokens` leaves out are not counted"
    return text


def _by_slice(slices: Iterable[Row], name: str) -> str:
    """Return the number of each slice, or the number that all share."""
    values = {str(row["slice"]): row[name] for row in slices}
    if len(set(values.values())) == 1:
        return str(next(iter(values.values())))
    return " or ".join(f"{number} (in {slice})" for slice, number in values.items())


def near_words(snapshot: Snapshot, words: Sequence[str]) -> Mapping[str, list[str]]:
    """Return, for words that no table has, words that may be meant."""
    if not words:
        return {}
    vocabulary: set[str] = set()
    for rows in read_rows(snapshot.paths("vectors"), ["word"]):
        vocabulary.update(pc.unique(rows["word"]).to_pylist())
    return near_matches(words, sorted(vocabulary))
