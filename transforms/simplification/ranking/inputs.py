"""What candidates are ranked with, and what each setting is ranked by."""

from collections.abc import Mapping
from dataclasses import dataclass

from transforms.common.errors import UsageError
from transforms.common.options.fields import option
from transforms.lexicon.kinds import parse_spec
from transforms.lexicon.resources import (
    CacheOptions,
    Lexicon,
    LexiconOptions,
    check_resources,
    check_specs,
    path_within,
    prepare,
)
from transforms.simplification.ranking.options import RankingOptions, gain_of
from transforms.simplification.ranking.rankers import RANKERS, VECTORS, RankerInputs

__all__ = ["RankingFiles", "check_ranking", "rankings_of", "uses_regressor"]


@dataclass(frozen=True, kw_only=True)
class RankingFiles(CacheOptions):
    """What candidates are ranked with; the same for all settings."""

    wordlist: tuple[str, ...] = option(
        (),
        help="word lists, NAME=FILE:word=COLUMN,value=COLUMN or NAME=wordfreq:LANG; rankers "
        "take the first where none is named, the regressor all",
        metavar="NAME=SPEC",
        split=False,
        path="resource",
        within=path_within,
        check=check_resources,
        group="resources",
    )
    vectors: str | None = option(
        None,
        help="static vectors for ranker similarity, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`",
        metavar="FILE|DIR",
        path="resource",
        within=VECTORS.within,
        stands_for=VECTORS.spec,
        check=check_specs,
        group="resources",
    )
    complexity: str | None = option(
        None,
        help="folder with labelled instances, of `lexbeam complexity load`, for the regressor",
        metavar="DIR",
        path="place",
        published=False,
        group="resources",
    )
    regressor_scorer: str = option(
        "gradient-boosting",
        help="how the regressor learns, see docs/tasks/complexity/score.md",
        choices="transforms.simplification.ranking.regressor:regressors",
        group="resources",
    )


def uses_regressor(settings: Mapping[str, RankingOptions]) -> bool:
    """Return whether some setting ranks by the regressor."""
    return any("regressor" in _used(own) for own in settings.values())


def _used(own: RankingOptions) -> list[str]:
    more = own.average_of if "average" in own.ranker else ()
    return [*own.ranker, *more]


def check_ranking(settings: Mapping[str, RankingOptions], given: RankingFiles) -> None:
    """Check that rankers have what they need.

    Raises:
        UsageError: one has not, or the target cannot be kept by what is asked for.
    """
    lists = _lists(given)
    for setting, own in settings.items():
        where = f"setting {setting} ranks" if setting else "`ranker`: it ranks"
        if "average" in own.ranker and "average" in own.average_of:
            raise UsageError("`average_of`: the average of what has an average is not defined")
        for name in _used(own):
            kind, _, listed = name.partition(":")
            need = RANKERS[kind].needs
            if need and not getattr(given, need):
                raise UsageError(f"{where} by {kind}, which needs `{need}`: give it")
            if listed and listed not in lists:
                raise UsageError(
                    f"{where} by {name}, and no `wordlist` is called {listed} (there are: {', '.join(lists) or 'none'})"
                )
        if own.keep_target == "if-more-frequent" and not lists:
            raise UsageError("`keep_target` if-more-frequent needs `wordlist`: give one")
        if gain_of(own.keep_target) is not None:
            of_target = [name for name, entry in RANKERS.items() if entry.of_target]
            for name in own.ranker:
                if not RANKERS[name.partition(":")[0]].of_target:
                    raise UsageError(
                        f"`keep_target` {own.keep_target}: ranker {name} has no score of the "
                        f"target; {' and '.join(of_target)} have"
                    )


def _lists(given: RankingFiles) -> list[str]:
    return list(dict.fromkeys(parse_spec(text).name for text in given.wordlist))


def _lexicon(given: RankingFiles) -> Lexicon:
    specs = (*given.wordlist, *((given.vectors,) if given.vectors else ()))
    return prepare(LexiconOptions(resources=specs, cache=given.cache))


def rankings_of(settings: Mapping[str, RankingOptions], given: RankingFiles) -> dict[str, RankerInputs]:
    """Return what settings are ranked by; resources are compiled.

    Raises:
        UsageError: a ranker has not what it needs.
        LexbeamError: a resource cannot be read.
    """
    check_ranking(settings, given)
    lexicon, lists = _lexicon(given), tuple(_lists(given))
    return {name: RankerInputs(own, lexicon, lists) for name, own in settings.items()}
