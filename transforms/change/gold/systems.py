"""What is evaluated: systems of table `scores`, files of words and scores, and means of ranks of several.

A system is a value of a pair of slices, alignment, measure and seed: its score, or, of means over seeds, what
evidence says of it. Its name is `EARLIER:LATER/ALIGNMENT/MEASURE/RUN`, RUN `mean` or `seed N`, with
`/VALUE` before the run where that is not the score; a file is called as it is named. Systems of table `change/systems`
are `EARLIER:LATER/SYSTEM/mean`.
"""

import math
import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.transforms.change.gold.gold import pairs_without_header, table_of
from lexbeam.transforms.change.scores.evidence_rows import LEVEL
from lexbeam.transforms.change.scores.ranking import Row
from lexbeam.transforms.change.view.targets import target_word
from lexbeam.transforms.change.view.words import ViewOptions
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.store import files
from lexbeam.transforms.evaluation.outcomes import Floats, average_ranks

SCORE = "score"
# What a system ranks words by, with what each says of classes: words that changed most have the highest value.
VALUES = (SCORE, "excess", "p_value", "q_value", "p_relative", "q_relative", "significant")
# What of table `scores` is read.
COLUMNS = (
    *("word", "slice_from", "slice_to", "alignment", "measure", "seed", "changed", "reason"),
    *("relative_from", "relative_to", *VALUES),
)
# What of table `change/systems` is read.
NAMED_COLUMNS = ("word", "slice_from", "slice_to", "system", "score", "changed", "reason")
NOT_SCORED = "not_scored"  # the reason of a word that has no row
NO_EVIDENCE = "no_evidence"  # of a word that is not tested
RANKS = "ranks"
NAMED = 5


class SystemScores(NamedTuple):
    """What a system says of words, in their order; nan and None if it says nothing of a word.

    Attributes:
        pair: the slices; empty of a file.
        way: alignment, measure and value, or the name of a file.
        seed: None for means over seeds.
        scores: the higher, the more a word has changed.
        changed: predicted classes.
        missing: words without a score, with the reason.
        frequencies: of the words in the slices, see `frequencies_in`; None where they are not known.
    """

    pair: str
    way: str
    seed: int | None
    scores: Floats
    changed: tuple[bool | None, ...]
    missing: Mapping[str, str]
    frequencies: Floats | None = None

    @property
    def name(self) -> str:
        """What the table of metrics calls it."""
        run = "mean" if self.seed is None else f"seed {self.seed}"
        return f"{self.pair}/{self.way}/{run}" if self.pair else self.way


class ScoredWords(NamedTuple):
    """A file of words and scores: what it is called, and the scores."""

    name: str
    scores: Mapping[str, float]


def systems_in(
    scores: pa.Table, predictions: Sequence[ScoredWords], words: Sequence[str], by: Sequence[str] = VALUES
) -> Iterator[SystemScores]:
    """Yield the systems of a table of scores and of files, by name; a value that no word has is no system.

    Args:
        scores: rows with `COLUMNS`.
        predictions: files.
        words: those that systems are asked about.
        by: values of `VALUES` beside the score.

    Raises:
        LexbeamError: a word has two scores.
    """
    by_system: dict[tuple[str, str, bool, int], dict[str, Row]] = {}
    for score in scores.select(COLUMNS).to_pylist():
        pair = f"{score['slice_from']}:{score['slice_to']}"
        seed = score["seed"]
        key = (pair, f"{score['alignment']}/{score['measure']}", seed is not None, seed or 0)
        by_word = by_system.setdefault(key, {})
        if score["word"] in by_word:
            raise LexbeamError(f"table scores has {score['word']!r} twice for {'/'.join(key[:2])}")
        by_word[score["word"]] = score
    for (pair, way, single, seed), by_word in sorted(by_system.items()):
        rows = [by_word.get(word, {}) for word in words]
        for value in [SCORE] if single else dict.fromkeys([SCORE, *by]):
            system = _system(words, rows, value)._replace(pair=pair, way=way, seed=seed if single else None)
            if value == SCORE:
                yield system
            elif len(system.missing) < len(words):
                yield system._replace(way=f"{way}/{value}")
    for file in predictions:
        values = [file.scores.get(word, math.nan) for word in words]
        missing = {word: NOT_SCORED for word, value in zip(words, values, strict=True) if math.isnan(value)}
        yield SystemScores("", file.name, None, np.array(values), (None,) * len(words), missing)


def frequencies_in(scores: pa.Table, words: Sequence[str]) -> dict[str, Floats]:
    """Return for each pair of slices in table `scores` how frequent words are, by how they call it.

    Returns:
        Of shape (words, 3): the natural logarithms of the relative frequencies in the earlier and the later slice, and
        the size of their difference. A word that a slice lacks is as frequent there as half the rarest word of all;
        one without a row has nan.
    """
    found: dict[str, Floats] = {}
    places = {word: place for place, word in enumerate(words)}
    names = ["word", "slice_from", "slice_to", "relative_from", "relative_to"]
    for row in scores.select(names).group_by(names, use_threads=False).aggregate([]).to_pylist():
        shares = found.setdefault(f"{row['slice_from']}:{row['slice_to']}", np.full((len(words), 2), np.nan))
        if row["word"] in places:
            shares[places[row["word"]]] = row["relative_from"], row["relative_to"]
    for pair, shares in found.items():
        least = shares[shares > 0].min(initial=1.0) / 2
        logs = np.log(np.where(shares > 0, shares, np.where(np.isnan(shares), np.nan, least)))
        found[pair] = np.column_stack([logs, np.abs(logs[:, 1] - logs[:, 0])])
    return found


def named_systems_in(rows: pa.Table, words: Sequence[str]) -> Iterator[SystemScores]:
    """Yield the systems of table `change/systems`, by pair and name; they are means over seeds."""
    by_system: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows.select(NAMED_COLUMNS).to_pylist():
        by_system.setdefault((f"{row['slice_from']}:{row['slice_to']}", row["system"]), {})[row["word"]] = row
    for (pair, name), by_word in sorted(by_system.items()):
        yield _system(words, [by_word.get(word, {}) for word in words], SCORE)._replace(pair=pair, way=name)


def _system(words: Sequence[str], rows: Sequence[Row], value: str) -> SystemScores:
    """Return what rows of a system say by a value."""
    numbers = np.array([_number(row, value) for row in rows], np.float64)
    reasons = {}
    for word, row, number in zip(words, rows, numbers, strict=True):
        if math.isnan(number):
            reasons[word] = str(row.get("reason") or NO_EVIDENCE) if row else NOT_SCORED
    return SystemScores("", "", None, numbers, tuple(_class(row, value) for row in rows), reasons)


def _number(row: Row, value: str) -> float:
    """Return how far a word has changed by a value: of p and q the smallest says most."""
    if value in (SCORE, "excess"):
        found = row.get(value)
        return math.nan if found is None else float(found)
    names = ("q_value", "q_relative") if value == "significant" else (value,)
    found = [row.get(name) for name in names]
    return math.nan if None in found else -max(map(float, found))


def _class(row: Row, value: str) -> bool | None:
    if value == SCORE:
        return row.get("changed")
    if value == "significant":
        return row.get(value)
    found = row.get(value)
    return None if found is None or value == "excess" else bool(found <= LEVEL)


def mean_ranks(systems: Sequence[SystemScores], ways: Sequence[str], words: Sequence[str]) -> Iterator[SystemScores]:
    """Yield for each pair of slices a system that ranks words by the mean of their ranks in several systems.

    Ranks are over the words to which all of these give a score, ties by mean rank; other words have none.

    Args:
        systems: their means over seeds; files belong to every pair.
        ways: which of them, `ALIGNMENT/MEASURE`, perhaps `/VALUE`, or the name of a file.
        words: those that systems are about.

    Raises:
        UsageError: no system is called so.
    """
    known = list(dict.fromkeys(system.way for system in systems if system.seed is None))
    for way in ways:
        if way not in known:
            hint = nearest(way, known) or f"; there are {', '.join(known)}"
            raise UsageError(f"`mean_ranks`: there is no {way!r}{hint}")
    means = [system for system in systems if system.seed is None and system.way in ways]
    for pair in dict.fromkeys(system.pair for system in means if system.pair) or [""]:
        own = [system for system in means if system.pair in (pair, "")]
        if len({system.way for system in own}) < len(set(ways)):
            continue
        scores = np.stack([system.scores for system in own])
        shared = ~np.isnan(scores).any(axis=0)
        ranks = np.full(len(words), np.nan)
        ranks[shared] = np.mean([average_ranks(row[shared]) for row in scores], axis=0)
        missing = {word: NOT_SCORED for word, rank in zip(words, ranks.tolist(), strict=True) if math.isnan(rank)}
        yield SystemScores(pair, RANKS, None, ranks, (None,) * len(words), missing)


def read_predictions(paths: Sequence[str], view: ViewOptions) -> list[ScoredWords]:
    """Read files of words and scores, each a system that is called as its file without the suffix.

    A file is a table, Parquet or separated by tabs, commas or semicolons, with columns `word` and `score` in any
    letter case; or lines of a word, a tab and a number, without a header, as SemEval-2020 Task 1 takes them.

    Args:
        paths: the files.
        view: how words of the corpus became words of the training view.

    Raises:
        UsageError: two files have the same name, or a column does not exist.
        LexbeamError: a word occurs twice, or a score is no number.
    """
    names = [posixpath.basename(path).rpartition(".")[0] or posixpath.basename(path) for path in paths]
    if doubled := [name for name, times in Counter(names).items() if times > 1]:
        raise UsageError(
            f"`predictions`: several files are called {doubled[0]!r}: rename one, for a system has its name"
        )
    return [ScoredWords(name, _scores(path, view)) for name, path in zip(names, paths, strict=True)]


def _scores(path: str, view: ViewOptions) -> dict[str, float]:
    found: dict[str, float] = {}
    doubled: list[str] = []
    for number, (word, value) in enumerate(_pairs(path), 1):
        where = f"{files.shown(path)}, row {number}"
        if not isinstance(word, str) or not word.strip():
            raise LexbeamError(f"{where}: {word!r} is no word")
        try:
            score = math.nan if value is None or not str(value).strip() else float(value)
        except ValueError:
            score = math.inf
        if math.isinf(score):
            raise LexbeamError(f"{where}: the score of {word!r} is {value!r}; give a number, or leave it empty")
        name = target_word(word.strip(), view)
        if name in found:
            doubled.append(name)
        found[name] = score
    if doubled:
        named = ", ".join(sorted(set(doubled))[:NAMED])
        raise LexbeamError(f"{files.shown(path)}: words stand there more than once ({named}); keep one row for each")
    if all(math.isnan(score) for score in found.values()):
        raise LexbeamError(f"{files.shown(path)}: no word has a score")
    return found


def _pairs(path: str) -> Iterable[tuple[Any, Any]]:
    """Return the words and scores of a file."""
    rows = table_of(path, "predictions")
    names = [name.strip().lower() for name in rows.column_names]
    columns = [column.to_pylist() for column in rows.columns]
    if doubled := [name for name in ("word", SCORE) if names.count(name) > 1]:
        raise LexbeamError(f"{files.shown(path)} has several columns {', '.join(map(repr, doubled))}: rename them")
    if {"word", SCORE} <= set(names):
        return zip(columns[names.index("word")], columns[names.index(SCORE)], strict=True)
    if pairs := pairs_without_header(rows):
        return pairs
    raise UsageError(
        f"`predictions`: {files.shown(path)} has no columns 'word' and 'score': it has "
        f"{', '.join(map(repr, rows.column_names))}; name two columns so, or give lines of a word, a tab and a number"
    )
