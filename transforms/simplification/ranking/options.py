"""Options and files that candidates are ranked by, and what is opened of them for each setting.

Options that a setting may have stand in `RankingOptions`, see `settings`; files are the same for all settings.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import check_given, option
from lexbeam.transforms.learning.scorers import SCORERS
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.simplification.ranking.rankers import RANKERS, RankerInputs, scores_target, simplicity_rankers
from lexbeam.transforms.simplification.resources import VectorsFile, WordlistFiles

PHRASES = ("zero", "rarest", "mean")
KEEP_TARGET = ("never", "always", "if-more-frequent", "if-gain:X")


def check_rankers(value: tuple[str, ...]) -> None:
    """Check names of rankers; `frequency:` may be followed by the name of a word list.

    Raises:
        UsageError: a ranker is unknown, or named twice.
    """
    from lexbeam.transforms.simplification.ranking.rankers import RANKERS

    for name in value:
        kind, colon, which = name.partition(":")
        RANKERS.check([kind])
        if colon and (kind != "frequency" or not which):
            raise UsageError(f"{name!r}: a name of a word list stands behind `frequency:` alone")
        if value.count(name) > 1:
            raise UsageError(f"{name!r} is named twice: take one out")


def gain_of(value: str) -> float | None:
    """Return X of `if-gain:X`; None for the other choices.

    Raises:
        UsageError: the value is none of `KEEP_TARGET`.
    """
    kind, colon, number = value.partition(":")
    if value in KEEP_TARGET[:-1]:
        return None
    try:
        gain = float(number) if kind == "if-gain" and colon else math.nan
    except ValueError:
        gain = math.nan
    if not math.isfinite(gain):
        raise UsageError(f"{value!r} is none of {', '.join(KEEP_TARGET)}, with a number X")
    return gain


def _check_ranker(value: str) -> None:
    check_rankers((value,))


@dataclass(frozen=True, kw_only=True)
class RankingOptions:
    """How candidates are ranked, and when the target stays."""

    ranker: tuple[str, ...] = option(
        ("frequency",),
        help="what candidates are ranked by; several rankers make several rankings",
        metavar="RANKER",
        check=check_rankers,
        listed="lexbeam.transforms.simplification.ranking.rankers:RANKERS",
    )
    average_of: tuple[str, ...] = option(
        ("senses", "frequency"),
        help="the rankers whose ranks the ranker average takes the mean of",
        metavar="RANKER",
        check=check_rankers,
    )
    phrases: str = option(
        "zero", help="frequency of a phrase: 0, or the least or the mean of its words'", choices=PHRASES
    )
    keep_target: str = option(
        "never",
        help="when the target stays: never; always; if-more-frequent: if it is more frequent than the first candidate; "
        "if-gain:X: unless the first candidate's score is greater by at least X",
        check=gain_of,
        metavar="never|always|if-more-frequent|if-gain:X",
    )
    min_simpler: float | None = option(
        None,
        help="take only candidates whose score is greater than the target's by at least so much, in the unit of "
        "if-gain:X; the target stays if there is none",
        least=-1e9,
    )
    simpler_by: str | None = option(
        None,
        help="the ranker whose scores `min_simpler` compares; if not given, the one that ranks, or frequency where "
        "that one does not score the target",
        metavar="RANKER",
        check=_check_ranker,
    )


@dataclass(frozen=True, kw_only=True)
class RankingFiles(WordlistFiles, VectorsFile):
    """What candidates are ranked with; the same for all settings."""

    complexity: str | None = option(
        None,
        help="folder with labelled instances, of `lexbeam complexity load`, that the regressor learns from",
        metavar="DIR",
        path="place",
        published=False,
        group="resources",
    )
    regressor_scorer: str = option(
        "gradient-boosting",
        help="how the regressor learns, see docs/tasks/complexity/score.md",
        choices="lexbeam.transforms.simplification.ranking.regressor:regressors",
        group="resources",
    )


def uses_regressor(settings: Mapping[str, RankingOptions]) -> bool:
    """Return whether some setting ranks by the regressor."""
    return any("regressor" in _used(options) for options in settings.values())


def _used(options: RankingOptions) -> list[str]:
    return [*_ranking(options), *simplicity_rankers(options)]


def _ranking(options: RankingOptions) -> list[str]:
    averaged = options.average_of if "average" in options.ranker else ()
    return [*options.ranker, *averaged]


def check_ranking(settings: Mapping[str, RankingOptions], resources: RankingFiles, choice: str | None = None) -> None:
    """Check that rankers have what they need.

    Args:
        resources: what is given.
        choice: the option by which other rankers are chosen; None: those that name them.

    Raises:
        UsageError: a ranker or `keep_target` lacks what it needs.
    """
    if uses_regressor(settings):
        SCORERS[resources.regressor_scorer].check_installed("ranker `regressor`")
    lists = resources.list_names
    for setting, options in settings.items():
        of_setting = f"setting {setting}" if setting else ""
        ranks = f"{of_setting} ranks" if setting else "`ranker`: it ranks"
        compares = f"{of_setting} has `min_simpler`, compared" if setting else "`min_simpler`: it compares"
        if "average" in options.ranker and "average" in options.average_of:
            raise UsageError("`average_of`: the average of what has an average is not defined")
        ranking = _ranking(options)
        for name in _used(options):
            where, named_by = (ranks, "ranker") if name in ranking else (compares, "simpler_by")
            kind, _, listed = name.partition(":")
            check_given(RANKERS[kind].needs, resources, f"{where} by {kind}", choice or named_by)
            if listed and listed not in lists:
                raise UsageError(
                    f"{where} by {name}, and no `wordlist` is called {listed} (there are: {', '.join(lists) or 'none'})"
                )
        if options.keep_target == "if-more-frequent" and not lists:
            raise UsageError("`keep_target` if-more-frequent needs `wordlist`: give one")
        if gain_of(options.keep_target) is not None:
            _check_gain(options)
        _check_margin(options)


def _check_margin(options: RankingOptions) -> None:
    """Check that there is one margin, and what says whether a candidate is simpler by it."""
    if options.min_simpler is None:
        if options.simpler_by is not None:
            raise UsageError("`simpler_by` says what `min_simpler` compares: give that, too, or leave this out")
        return
    if gain_of(options.keep_target) is not None:
        raise UsageError(f"`min_simpler` and `keep_target` {options.keep_target} are both a margin: give one of them")
    if options.simpler_by is not None and not scores_target(options.simpler_by):
        raise UsageError(
            f"`simpler_by`: ranker {options.simpler_by} has no score of the target; {_scorers_of_targets()} have"
        )


def _check_gain(options: RankingOptions) -> None:
    """Check that all rankers score the target, so that there is a gain over it."""
    for name in options.ranker:
        if not scores_target(name):
            raise UsageError(
                f"`keep_target` {options.keep_target}: ranker {name} has no score of the "
                f"target; {_scorers_of_targets()} have"
            )


def _scorers_of_targets() -> str:
    return " and ".join(name for name in RANKERS if scores_target(name))


def rankings_of(settings: Mapping[str, RankingOptions], resources: RankingFiles) -> dict[str, RankerInputs]:
    """Return what each setting ranks with; resources are compiled.

    Raises:
        UsageError: a ranker lacks what it needs.
        LexbeamError: a resource cannot be read.
    """
    check_ranking(settings, resources)
    specs = (*resources.wordlist, *((resources.vectors,) if resources.vectors else ()))
    lexicon = prepare(LexiconOptions(resources=specs, cache=resources.cache))
    return {name: RankerInputs(options, lexicon, resources.list_names) for name, options in settings.items()}
