"""What is trained on, and what is predicted: folds, a split, a genre, another folder.

A `Case` is one model: a scorer, fitted to some instances of a kind, that predicts others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lexbeam.transforms.common.draws.by_content import uniform
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.complexity.scorers.design import GENRE, MODES, SINGLE, Bools, DesignRows, Mode, folds_of
from lexbeam.transforms.learning.crossfitting import Sides

FOLDS = ("token", "part")
SPLIT, LEFT, ALL, SAVED = "split", "genre", "all", "saved"
SHARES = (0.1, 0.2, 0.4, 0.6, 0.8)  # of the groups, for the learning curve; 1 is the case itself


@dataclass(frozen=True, kw_only=True)
class HoldOptions:
    """What is held out, and which further models are fitted."""

    folds: int = option(5, help="folds of cross-validation, by hash of the case-folded target", least=2, most=1000)
    mwe: tuple[str, ...] = option(
        ("words",),
        help="how expressions are scored; a system is named after its scorer, from the second mode on SCORER/MODE",
        choices=MODES,
    )
    mwe_folds: tuple[str, ...] = option(
        ("token",),
        help="folds of expressions: by the whole, or by shared words; the first one's predictions are published",
        choices=FOLDS,
    )
    test: str | None = option(
        None, help="instead of folds, predict the instances of this split and train on the others", metavar="SPLIT"
    )
    train_on: tuple[str, ...] = option((), help="train only on instances of these splits", metavar="SPLIT")
    leave_genre_out: bool = option(False, help="also predict each genre from the others")
    importance: bool = option(False, help="also permutation importance of every feature and group; folds only")
    ablation: bool = option(False, help="also leave out each group of features in turn; folds only")
    curve: bool = option(False, help="also train on shares of the targets, for a learning curve; folds only")


class DesignFacts(NamedTuple):
    """What instances there are to train on and to predict.

    Attributes:
        kinds: the kinds of instances.
        genres: by kind, those of labelled instances, in the order of `kinds`.
        groups: groups of features, with the genre if there are several.
        labelled: instances with a label.
    """

    kinds: tuple[str, ...]
    genres: tuple[tuple[str, ...], ...]
    groups: tuple[str, ...]
    labelled: int


class Case(NamedTuple):
    """A model to be fitted.

    Attributes:
        scorer: its name.
        kind: of the instances that it predicts.
        mode: how expressions are scored; empty for single words.
        way: what is held out: `token` and `part` for a fold by these, `split`, `genre`; `all`:
            nothing, another folder is predicted; `saved`: a saved model predicts, and nothing is fitted.
        held: which fold, split or genre.
        without: a group of features that is left out; empty for none.
        share: of the groups of training rows.
    """

    scorer: str
    kind: str
    mode: str
    way: str
    held: str
    without: str = ""
    share: float = 1.0


def system_of(scorer: str, mode: str, first: str) -> str:
    """Return what tables call a scorer.

    Args:
        scorer: its name.
        mode: how expressions are scored; empty for single words.
        first: the first mode requested, whose system has the scorer's plain name.
    """
    return scorer if mode in ("", first) else f"{scorer}/{mode}"


def first_of(options: HoldOptions) -> str:
    """Return the first mode requested."""
    return options.mwe[0] if options.mwe else ""


def systems_of(scorers: Sequence[str], options: HoldOptions) -> list[str]:
    """Return the names of all systems, sorted."""
    first = first_of(options)
    return sorted({system_of(name, mode, first) for name in scorers for mode in ("", *options.mwe)})


def mode_of(case: Case) -> Mode:
    """Return what a case is trained on."""
    return MODES[case.mode] if case.mode else SINGLE


def facts_of(rows: DesignRows) -> DesignFacts:
    """Return the kinds, genres, groups and labels of rows."""
    kinds = tuple(sorted(set(rows.kinds.tolist())))
    known = ~np.isnan(rows.labels)
    genres = tuple(tuple(sorted(set(rows.genres[known & (rows.kinds == kind)].tolist()) - {""})) for kind in kinds)
    groups = sorted({column.group for column in rows.columns})
    if any(len(of_kind) > 1 for of_kind in genres):
        groups.append(GENRE)
    return DesignFacts(kinds, genres, tuple(groups), int(known.sum()))


def cases_of(
    facts: DesignFacts, scorers: Sequence[str], options: HoldOptions, *, other: bool, keep: bool
) -> Iterator[Case]:
    """Yield the models to be fitted.

    Args:
        facts: of the instances.
        scorers: their names.
        options: what is held out.
        other: whether another folder is predicted, in place of folds or a split.
        keep: whether a model of all instances is saved.
    """
    for scorer in scorers:
        for kind, genres in zip(facts.kinds, facts.genres, strict=True):
            for mode in ("",) if kind == "single" else tuple(dict.fromkeys(options.mwe)):
                if other or keep:
                    yield Case(scorer, kind, mode, ALL, "")
                if other:
                    continue
                if options.test is not None:
                    yield Case(scorer, kind, mode, SPLIT, options.test)
                else:
                    yield from _folds(scorer, kind, mode, facts, options)
                if options.leave_genre_out and len(genres) > 1:
                    yield from (Case(scorer, kind, mode, LEFT, genre) for genre in genres)


def _folds(scorer: str, kind: str, mode: str, facts: DesignFacts, options: HoldOptions) -> Iterator[Case]:
    ways = ("token",) if kind == "single" else tuple(dict.fromkeys(options.mwe_folds))
    for number in range(options.folds):
        for way in ways:
            yield Case(scorer, kind, mode, way, str(number))
        first = Case(scorer, kind, mode, ways[0], str(number))
        if options.ablation and len(facts.groups) > 1:
            yield from (first._replace(without=group) for group in facts.groups)
        if options.curve:
            yield from (first._replace(share=share) for share in SHARES)


def sides_of(rows: DesignRows, case: Case, options: HoldOptions, seed: int, other: DesignRows | None = None) -> Sides:
    """Return which rows a case is trained on, and which it predicts.

    Training rows have a label and, where `train_on` names splits, are of one of these. No single
    word is trained on that stands in an expression that is predicted.

    Args:
        rows: those of the folder.
        case: the model.
        options: what is held out.
        seed: of folds and shares.
        other: rows of another folder that is predicted in place of these.

    Returns:
        Both may be none: of too few rows nothing is left for a model, and it has no predictions then.
    """
    held, train = _held_out(rows, case, options, seed)
    if options.train_on:
        train &= np.isin(rows.splits.astype(str), list(options.train_on))
    if case.kind != "single":
        predicted = rows.parts[held] if other is None else other.parts[other.kinds == case.kind]
        words = {word for parts in predicted for word in parts}
        single = rows.kinds == "single"
        train &= ~(single & np.array([parts[0] in words for parts in rows.parts], bool))
    train &= ~np.isnan(rows.labels) & _used(rows, case)
    if case.share < 1:
        drawn = uniform(rows.groups.tolist(), seed=seed, label="learning curve")
        train &= drawn < case.share
    return Sides(train, held)


def _held_out(rows: DesignRows, case: Case, options: HoldOptions, seed: int) -> tuple[Bools, Bools]:
    """Return which rows a case predicts, and which of the others it may be trained on."""
    of_kind = rows.kinds == case.kind
    if case.way in FOLDS:
        held = of_kind.copy()
        held[of_kind] = folds_of(rows.at(of_kind), options.folds, seed=seed, by=case.way) == int(case.held)
        return held, ~held
    if case.way == SPLIT:
        held = of_kind & (rows.splits == case.held)
        # Instances that were left out of the splits are on neither side.
        return held, (rows.splits != case.held) & (rows.splits != "")
    if case.way == LEFT:
        return of_kind & (rows.genres == case.held), rows.genres != case.held
    return np.zeros(len(of_kind), bool), np.ones(len(of_kind), bool)


def _used(rows: DesignRows, case: Case) -> Bools:
    """Return which rows are of a kind that the case is trained on."""
    mode = mode_of(case)
    single = rows.kinds == "single"
    return np.asarray((single & bool(mode.singles)) | (~single & bool(mode.expressions)))
