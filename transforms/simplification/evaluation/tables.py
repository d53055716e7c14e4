"""Tables of simplification evaluated: lists of each stage, rankers, pipelines, and a funnel.

docs/tasks/simplification/evaluate.md says what is computed. A system is a setting, or a setting and a ranker
where a setting has several; a subset is a stage. Only the text of one instance at a time is in memory.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from lexbeam.schemas.simplification.instances import INSTANCES, SUBSTITUTES
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.store.join import Rows, joined
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions
from lexbeam.transforms.evaluation.evaluating import Together
from lexbeam.transforms.evaluation.evaluating import row as metric_row
from lexbeam.transforms.simplification.evaluation.funnel import Funnel
from lexbeam.transforms.simplification.evaluation.lists import CLUSTERS, GoldInstance, GoldInstances, gold_of
from lexbeam.transforms.simplification.evaluation.measures import Figure, differing
from lexbeam.transforms.simplification.evaluation.oracles import Lemmas
from lexbeam.transforms.simplification.evaluation.settings import RANDOM, STAGE_COLUMNS, SettingRows
from lexbeam.transforms.simplification.records import ID, Row


@dataclass(frozen=True, kw_only=True)
class SimplificationMeasureOptions:
    """How simplification is measured.

    Attributes:
        k: how many first candidates count, for the metrics of lists except Accuracy@n@top1.
        cluster: what is resampled as a whole.
        baseline: the system that others are compared with; None: any two are compared.
        tsar_scorer: whether instances without candidates are left out where the public scorer of
            TSAR-2022 does so.
        bootstrap: the intervals.
    """

    k: tuple[int, ...] = option(
        (1, 3, 5, 10, 50), help="how many first candidates count", metavar="K", least=1, most=1_000_000
    )
    cluster: str = option("target", help="what is resampled as a whole, since its errors go together", choices=CLUSTERS)
    baseline: str | None = option(
        None, help="the system that others are compared with; if not given, any two are compared", metavar="SYSTEM"
    )
    tsar_scorer: bool = option(
        False,
        help="leave out instances without candidates where the public scorer of TSAR-2022 "
        "does, and compare words of files as they are written",
    )
    bootstrap: BootstrapOptions = embedded(BootstrapOptions, group="intervals")


class EvaluatedSettings(NamedTuple):
    """What evaluation finds.

    Attributes:
        figures: metrics of systems.
        beside: metrics of chance and oracles, which are shown beside them.
        chance: by system, the name in `beside` of its chance.
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
    paths = {name: tables[name] for name in columns}
    return gold_of(_judged(joined(paths, columns, ID, wanted)))


def _judged(joined_rows: Iterable[tuple[str, Mapping[str, Rows]]]) -> Iterator[GoldInstance]:
    for identifier, rows in joined_rows:
        for instance in rows[INSTANCES.name]:
            ranks = {
                row["substitute"]: row["gold_rank"]
                for row in rows[SUBSTITUTES.name]
                if row["gold_rank"] is not None and not row["is_target"]
            }
            yield GoldInstance(identifier, instance["target"], instance["sentence"], ranks)


def gold_settings(paths: Sequence[str]) -> list[str]:
    """Return the settings whose candidates come from gold, by parts of the table of candidates."""
    settings: set[str] = set()
    for rows in read_rows(paths, ["setting", "gold_score"]):
        settings.update(pc.unique(rows.filter(pc.is_valid(rows["gold_score"]))["setting"]).to_pylist())
    return sorted(settings)


def _rankers(tables: Mapping[str, Sequence[str]], expected: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
    """Return the settings of all tables and the expected ones, in order, each with its rankers."""
    rankers: dict[str, set[str]] = {setting: set(names) for setting, names in expected.items()}
    for name, paths in tables.items():
        columns = ["setting", "ranker"] if "ranker" in STAGE_COLUMNS[name] else ["setting"]
        for rows in read_rows(paths, columns):
            for row in rows.group_by(columns).aggregate([]).to_pylist():
                names = rankers.setdefault(row["setting"], set())
                if "ranker" in row:
                    names.add(row["ranker"])
    return {setting: sorted(rankers[setting]) for setting in sorted(rankers)}


def evaluate_tables(
    gold: GoldInstances,
    tables: Mapping[str, Sequence[str]],
    options: SimplificationMeasureOptions,
    lemmas: Lemmas | None = None,
    expected: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> EvaluatedSettings:
    """Evaluate the stages that are published.

    Args:
        gold: the instances that count.
        tables: by name, the paths of the parts of candidates and of later stages.
        options: how it is measured.
        lemmas: returns the lemmas that a form may have; None: there is no oracle.
        expected: settings, each with its rankers, that count even if no table has a row of them: all
            their instances are misses.
    """
    rankers = _rankers(tables, expected)
    settings = {
        name: SettingRows(name, setting_rankers, gold, tables, lemmas) for name, setting_rankers in rankers.items()
    }
    funnel = Funnel()
    wanted = {name: STAGE_COLUMNS[name] for name in tables}
    for instance, (_, rows) in enumerate(joined(tables, wanted, ID, gold.ids)):
        for name, setting in settings.items():
            setting_rows = {
                table: [r for r in table_rows if r["setting"] == name] for table, table_rows in rows.items()
            }
            setting.add(instance, setting_rows, funnel)
    figures = [f for s in settings.values() for f in s.figures(options.k, tsar=options.tsar_scorer)]
    beside = [f for s in settings.values() for f in s.beside(options.k, tsar=options.tsar_scorer)]
    chance = {
        setting.system(ranker): f"{setting.name} {RANDOM}"
        for setting in settings.values()
        for ranker in setting.rankers
    }
    return EvaluatedSettings(figures, beside, chance, funnel)


def figure_rows(
    gold: GoldInstances, evaluated: EvaluatedSettings, options: SimplificationMeasureOptions
) -> Iterator[Row]:
    """Yield the rows of simplification/metrics: systems, chance and oracles, differences.

    Raises:
        UsageError: there is no such baseline.
    """
    systems = sorted({figure.system for figure in evaluated.figures})
    if options.baseline is not None and options.baseline not in systems:
        hint = nearest(options.baseline, systems) or f"; there are {', '.join(systems) or 'none'}"
        raise UsageError(f"`baseline`: there is no system {options.baseline!r}{hint}")
    figures = [*evaluated.figures, *evaluated.beside]
    together = Together(
        [figure.terms for figure in figures],
        clusters=gold.clusters(options.cluster),
        options=options.bootstrap,
        counted=[np.asarray(figure.counted) for figure in figures],
    )
    for place, figure in enumerate(figures):
        yield metric_row(figure.system, figure.subset, figure.metric, figure.k, together.measured(place))
    places = {(figure.system, figure.subset, figure.metric, figure.k): at for at, figure in enumerate(figures)}
    pairs = list(differing(evaluated.figures, options.baseline))
    for at, figure in enumerate(evaluated.figures):
        beside = places.get((evaluated.chance.get(figure.system, ""), figure.subset, figure.metric, figure.k))
        if beside is not None:
            pairs.append((at, beside))
    for first, second in pairs:
        figure, other = figures[first], figures[second]
        name = f"{figure.system} minus {other.system}"
        yield metric_row(name, figure.subset, figure.metric, figure.k, together.difference(first, second))
