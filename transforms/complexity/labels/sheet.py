"""The sheet by which people judge complexity: the five-point scale of CompLex, and its rows.

Shardlow et al. (2020), "CompLex": 1 very easy, 2 easy, 3 neutral, 4 difficult, 5 very difficult; a
judgment is worth (rating - 1) / 4, so 0 to 1.
"""

from collections.abc import Mapping

import pyarrow as pa

from transforms.people.sheets import Answer, Sheet, SheetColumn

__all__ = ["COLUMNS", "RATING", "RATINGS", "SHEET", "instances_to_judge", "value_of_rating"]

RATINGS: Mapping[int, str] = {1: "very easy", 2: "easy", 3: "neutral", 4: "difficult", 5: "very difficult"}

RATING = Answer(
    name="rating",
    help="how hard the marked words are to understand here",
    kind="scale",
    values=tuple((str(number), label) for number, label in RATINGS.items()),
    undecided="-",
)

SHEET = Sheet(
    name="complexity",
    version="1",
    instructions=(
        "How hard is the marked word, or the marked group of words, to understand in its sentence?",
        "Where no sentence is given, judge the word as it stands.",
        "1 very easy: you know it very well",
        "2 easy: you know what it means",
        "3 neutral: neither easy nor difficult",
        "4 difficult: what it means is not clear to you, but the sentence lets you guess it",
        "5 very difficult: you have never seen it, or it stays unclear",
        "Judge the marked words alone, not the whole sentence, and for yourself, not for others.",
    ),
    columns=(
        SheetColumn("token", "the word, or the words, in question"),
        SheetColumn("sentence", "the sentence that it stands in", mark=("start", "end")),
    ),
    answers=(RATING, Answer(name="comment", help="anything to add", kind="text", optional=True)),
    key=("instance_id",),
)

# Columns of table instances that the sheet needs.
COLUMNS = ("instance_id", "kind", "token", "sentence", "start", "end", "flags")


def value_of_rating(rating: int) -> float:
    """Return the complexity, 0 to 1, that a rating of 1 to 5 stands for."""
    if rating not in RATINGS:
        raise ValueError(f"a rating is 1 to 5, not {rating}")
    return (rating - 1) / 4


def instances_to_judge(rows: pa.Table, kind: str, *, duplicates: bool) -> pa.Table:
    """Return the instances that people are asked about.

    Args:
        rows: of table instances, with `COLUMNS`.
        kind: single, mwe, or all.
        duplicates: whether instances that are duplicates of others are asked about, too.
    """
    keep = [
        kind in ("all", row["kind"]) and (duplicates or "duplicate" not in row["flags"])
        for row in rows.select(["kind", "flags"]).to_pylist()
    ]
    return rows.filter(pa.array(keep, pa.bool_()))
