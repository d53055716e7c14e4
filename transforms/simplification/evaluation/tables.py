"""Tables of simplification evaluated: lists of each stage, rankers, pipelines, and a funnel.

docs/tasks/simplification/evaluate.md says what is computed. A system is a setting, or setting and ranker where
a setting has several rankers; a subset is a stage. Text of one instance at a time is in memory.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow.compute as pc

from schemas.simplification.instances import INSTANCES, SUBSTITUTES
from transforms.common.errors import UsageError, nearest
from transforms.common.options.fields import embedded, option
from transforms.common.store.join import Rows, joined
from transforms.common.store.tables import read_rows
from transforms.evaluation.bootstrap import BootstrapOptions
from transforms.evaluation.evaluating import row
from transforms.evaluation.paired import Together
from transforms.simplification.evaluation.funnel import Funnel
from transforms.simplification.evaluation.lists import CLUSTERS, GoldInstance, GoldInstances, gold_of
from transforms.simplification.evaluation.measures import Figure, differing
from transforms.simplification.evaluation.oracles import Lemmas
from transforms.simplification.evaluation.settings import RANDOM, STAGE_COLUMNS, SettingRows
from transforms.simplification.records import ID

__all__ = [
    "EvaluatedSettings",
    "SimplificationMeasureOptions",
    "evaluate_tables",
    "figure_rows",
    "given_settings",
    "gold_in",
]


@dataclass(frozen=True, kw_only=True)
class SimplificationMeasureOptions:
    """How simplification is measured.

    Attributes:
        k: how many first candidates count, of the metrics of lists but Accuracy@n@top1.
        cluster: what is resampled as a whole.
        baseline: the system that others are compared with.
        tsar_scorer: whether instances without candidates are left out where the public scorer of
            TSAR-2022 does so.
        bootstrap: the intervals.
    """

    k: tuple[int, ...] = option(
        (1, 3, 5, 10, 50), help="how many first candidates count", metavar="K", least=1, most=1_000_000
    )
    cluster: str = option("target", help="what is resampled as a whole, since it errs together", choices=CLUSTERS)
    baseline: str | None = option(
        None, help="the system that others are compared with; if not given, any two are", metavar="SYSTEM"
    )
    tsar_scorer: bool = option(
        False,
        help="leave out instances without candidates where the public scorer of TSAR-2022 "
        "does, and compare words of files as they are written",
    )
    bootstrap: BootstrapOptions = embedded(BootstrapOptions, group="intervals")


class EvaluatedSettings(NamedTuple):
    """What was found.

    Attributes:
        figures: metrics of systems.
        beside: those of chance and oracles, which stand beside them.
        chance: of a system, the one of `beside` that is its chance.
        funnel: what became of candidates.
    """

    figures: list[Figure]
    beside: list[Figure]
    chance: Mapping[str, str]
    funnel: Funnel


def gold_in(tables: Mapping[str, Sequence[str]]) -> GoldInstances:
    """Return gold of published instances and substitutes.

    Args:
        tables: the paths of the parts of both tables.
    """
    wanted: set[str] = set()
    for rows in read_rows(tables[SUBSTITUTES.name], ["instance_id"]):
        wanted.update(pc.unique(rows["instance_id"]).to_pylist())
    columns = {INSTANCES.name: ("target", "sentence"), SUBSTITUTES.name: ("substitute", "gold_rank", "is_target")}
    given = {name: tables[name] for name in columns}
    return gold_of(_judged(joined(given, columns, ID, wanted)))


def _judged(found: Iterable[tuple[str, Mapping[str, Rows]]]) -> Iterator[GoldInstance]:
    for identifier, rows in found:
        for one in rows[INSTANCES.name]:
            ranks = {
                row["substitute"]: row["gold_rank"]
                for row in rows[SUBSTITUTES.name]
                if row["gold_rank"] is not None and not row["is_target"]
            }
            yield GoldInstance(identifier, one["target"], one["sentence"], ranks)


def given_settings(paths: Sequence[str]) -> list[str]:
    """Return the settings whose candidates come from gold, by parts of the table of candidates."""
    found: set[str] = set()
    for rows in read_rows(paths, ["setting", "gold_score"]):
        found.update(pc.unique(rows.filter(pc.is_valid(rows["gold_score"]))["setting"]).to_pylist())
    return sorted(found)


def _rankers(tables: Mapping[str, Sequence[str]], told: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
    """Return the settings of all tables and those told, in order, each with its rankers."""
    found: dict[str, set[str]] = {setting: set(own) for setting, own in told.items()}
    for name, paths in tables.items():
        columns = ["setting", "ranker"] if "ranker" in STAGE_COLUMNS[name] else ["setting"]
        for rows in read_rows(paths, columns):
            for one in rows.group_by(columns).aggregate([]).to_pylist():
                own = found.setdefault(one["setting"], set())
                if "ranker" in one:
                    own.add(one["ranker"])
    return {setting: sorted(found[setting]) for setting in sorted(found)}


def evaluate_tables(
    gold: GoldInstances,
    tables: Mapping[str, Sequence[str]],
    options: SimplificationMeasureOptions,
    lemmas: Lemmas | None = None,
    told: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> EvaluatedSettings:
    """Evaluate the stages that are published.

    Args:
        gold: the instances that count.
        tables: by name, the paths of the parts of candidates and of later stages.
        options: what is computed.
        lemmas: what a form may be a form of; None: it is not known, and there is no oracle.
        told: settings, each with its rankers, that count though no table has a row of them: all
            their instances are misses.
    """
    rankers = _rankers(tables, told)
    settings = {name: SettingRows(name, own, gold, tables, lemmas) for name, own in rankers.items()}
    funnel = Funnel()
    wanted = {name: STAGE_COLUMNS[name] for name in tables}
    for instance, (_, rows) in enumerate(joined(tables, wanted, ID, gold.ids)):
        for name, setting in settings.items():
            own = {table: [r for r in some if r["setting"] == name] for table, some in rows.items()}
            setting.add(instance, own, funnel)
    figures = [f for s in settings.values() for f in s.figures(options.k, tsar=options.tsar_scorer)]
    beside = [f for s in settings.values() for f in s.beside(options.k, tsar=options.tsar_scorer)]
    chance = {
        setting.system(ranker): f"{setting.name} {RANDOM}"
        for setting in settings.values()
        for ranker in setting.rankers
    }
    return EvaluatedSettings(figures, beside, chance, funnel)


def figure_rows(
    gold: GoldInstances, found: EvaluatedSettings, options: SimplificationMeasureOptions
) -> Iterator[dict[str, Any]]:
    """Yield the rows of simplification/metrics: systems, what stands beside them, differences.

    Raises:
        UsageError: there is no such baseline.
    """
    systems = sorted({one.system for one in found.figures})
    if options.baseline is not None and options.baseline not in systems:
        hint = nearest(options.baseline, systems) or f"; there are {', '.join(systems) or 'none'}"
        raise UsageError(f"`baseline`: there is no system {options.baseline!r}{hint}")
    figures = [*found.figures, *found.beside]
    together = Together(
        [one.terms for one in figures],
        clusters=gold.clusters(options.cluster),
        options=options.bootstrap,
        counted=[np.asarray(one.counted) for one in figures],
    )
    for place, one in enumerate(figures):
        yield row(one.system, one.subset, one.metric, one.k, together.measured(place))
    places = {(one.system, one.subset, one.metric, one.k): at for at, one in enumerate(figures)}
    pairs = list(differing(found.figures, options.baseline))
    for at, one in enumerate(found.figures):
        beside = places.get((found.chance.get(one.system, ""), one.subset, one.metric, one.k))
        if beside is not None:
            pairs.append((at, beside))
    for first, second in pairs:
        one, other = figures[first], figures[second]
        name = f"{one.system} minus {other.system}"
        yield row(name, one.subset, one.metric, one.k, together.difference(first, second))
