"""What is known of words, for a person."""

from collections.abc import Iterator, Sequence

from lexbeam.transforms.change.scores.measures import FREQUENCY
from lexbeam.transforms.change.scores.ranking import Row
from lexbeam.transforms.change.shown.cells import NO_NULL, noise, null_band, score_text, why_no_score, why_unknown
from lexbeam.transforms.change.shown.examples import ORDERS
from lexbeam.transforms.change.shown.ranking_rows import chosen_kind, pair_facts, pairs_of
from lexbeam.transforms.change.shown.uses import UseFacts
from lexbeam.transforms.change.shown.warnings import comparability_warnings, shift_warnings, size_warnings
from lexbeam.transforms.change.shown.word import WordOptions, WordsOptions
from lexbeam.transforms.change.shown.word_facts import SliceUses, WordProfile, WordProfiles, facts_of
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block, Kwic, Use, columns_with, number

_COUNTS = (("slice", "<"), ("uses", ">"), ("per million", ">"), ("documents", ">"), ("", "<"))
_SCORES = (
    ("slices", "<"),
    ("alignment", "<"),
    ("measure", "<"),
    ("score", ">"),
    ("training noise", ">"),
    ("null band", ">"),
    ("q usage differs", ">"),
    ("q more than the vocabulary at large", ">"),
    ("", "<"),
)


def tell_words(snapshot: Snapshot, options: WordOptions | WordsOptions) -> Iterator[Block]:
    """Yield what is known of words: counts, scores, neighbours over all seeds, uses in context.

    Raises:
        UsageError: no slice is called so, or the file of words cannot be read.
        LexbeamError: no table has any of the words.
    """
    facts = facts_of(snapshot, options)
    seeds = len(snapshot.section("change")["seeds"])
    for missing_word in facts["missing"]:
        near = f"; did you mean {', '.join(missing_word['near'])}?" if missing_word["near"] else ""
        yield f"no word {missing_word['word']!r} in the tables{near}"
    if facts["missing"]:
        yield f"  {why_unknown(snapshot)}"
    for place, word in enumerate(facts["words"]):
        if place or facts["missing"]:
            yield ""
        yield from _word(word, seeds)
        yield from _uses(word, options, facts)
    if facts["words"]:
        yield from _warnings(snapshot)
    for note in facts["notes"]:
        yield ""
        yield f"note: {note}"


def _warnings(snapshot: Snapshot) -> Iterator[str]:
    """Tell where pairs of slices differ as wholes, allow no finding, or have no null."""
    kind = chosen_kind(snapshot)
    for pair in pairs_of(snapshot):
        facts = pair_facts(snapshot, pair, *kind)
        name = f"{pair[0]} to {pair[1]}"
        if facts.get("null_runs") == 0:
            yield f"\nwarning: {name}: {NO_NULL}"
        warnings = (*shift_warnings(name, facts), *comparability_warnings(name, facts), *size_warnings(name, facts))
        for warning in warnings:
            yield f"\nwarning: {warning}"


def _word(word: WordProfile, seeds: int) -> Iterator[Block]:
    tags = ", ".join(dict.fromkeys(word["upos"].values()))
    about = [text for text in ("target" if word["target"] else "", tags) if text]
    yield word["word"] + (f" ({', '.join(about)})" if about else "")
    yield "\ncounts:"
    yield columns_with(_COUNTS, [_count(row) for row in word["counts"]], 2)
    yield f"\nscores{' (mean over seeds)' if seeds > 1 else ''}:"
    uses = {row["slice"]: row["count"] for row in word["counts"]}
    if word["scores"]:
        yield columns_with(_SCORES, [_score(row, uses) for row in word["scores"]], 2)
        if any(row["measure"] == FREQUENCY for row in word["scores"]):
            yield "  frequency: difference of uses per million tokens"
    else:
        yield "  none: a score needs a vector in both slices (option `min_count`)"
    what = f"mean cosine over {seeds} seeds" if seeds > 1 else "cosine"
    yield f"\nnearest neighbours ({what}):"
    slices = [row["slice"] for row in word["counts"]]
    yield columns_with((("slice", "<"), ("neighbours", "<")), [_neighbours(word, name) for name in slices], 2)


def _count(row: SliceUses) -> list[str]:
    rate = "" if row["relative"] is None else f"{1e6 * row['relative']:.1f}"
    none = "" if row["vector"] else "no vector"
    return [row["slice"], str(row["count"]), rate, str(row["documents"]), none]


def _score(row: Row, uses: dict[str, int]) -> list[str]:
    verdict = "above the threshold" if row.get("changed") else ""
    return [
        f"{row['slice_from']} to {row['slice_to']}",
        row["alignment"],
        row["measure"],
        score_text(row, "score"),
        noise(row),
        null_band(row),
        number(row.get("q_value")),
        number(row.get("q_relative")),
        why_no_score(row["reason"], uses.get(row["slice_to"])) if row["score"] is None else verdict,
    ]


def _neighbours(word: WordProfile, name: str) -> list[str]:
    near = [row for row in word["neighbours"] if row["slice"] == name]
    text = ", ".join(f"{row['neighbour']} {row['cosine']:.2f}" for row in near)
    return [name, text or "-"]


def _uses(word: WordProfile, options: WordOptions | WordsOptions, facts: WordProfiles) -> Iterator[Block]:
    look = options.look
    if not look.examples or (facts["notes"] and not word["uses"]):
        return
    for name in (row["slice"] for row in word["counts"]):
        uses = [row for row in word["uses"] if row["slice"] == name]
        if uses:
            yield f"\nuses, {name} ({ORDERS[look.order].doc}; at most two of a document):"
            yield _kwic(uses)
        else:
            yield f"\nuses, {name}: none"


def _kwic(uses: Sequence[UseFacts]) -> Kwic:
    return Kwic(tuple(Use(row["left"], row["target"], row["right"], where(row)) for row in uses))


def where(use: UseFacts) -> str:
    """Return where a use is: author, title and year; the source where both names are missing."""
    named = [name for name in (use["author"], use["title"]) if name] or [use["source"]]
    return f"{', '.join(named)}, {use['year']}"
