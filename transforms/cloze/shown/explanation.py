"""The verdicts of filters on the words of a pair, for a person: grids and lines."""

from collections.abc import Iterator

import pyarrow as pa

from lexbeam.transforms.cloze.filters.candidates import CandidateSetting
from lexbeam.transforms.cloze.filters.registry import FILTERS
from lexbeam.transforms.cloze.pairs.pair import Row
from lexbeam.transforms.common.shown import Block, columns_with, listed, number

REJECTS = "×"
_COUNTS = ("repeated", "lemma", "synonym", "antonym")
_COSINES = ("static", "contextual")
_OPEN = "open"


def blocks_of(rows: pa.Table, rules: CandidateSetting) -> Iterator[Block]:
    """Yield grids of the words: verdicts, what they are, what of the passage offends; thresholds.

    Args:
        rows: of one pair, see `explanation.explained`.
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


def _closing(rules: CandidateSetting) -> Iterator[str]:
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
