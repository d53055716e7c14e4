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

from lexbeam.schemas.simplification import CANDIDATES, INSTANCES, RANKINGS, SELECTIONS, SIMPLIFICATIONS, SUBSTITUTES
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.store.join import Rows, joined
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions
from lexbeam.transforms.evaluation.evaluating import Together
from lexbeam.transforms.evaluation.evaluating import row as metric_row
from lexbeam.transforms.evaluation.outcomes import Bools
from lexbeam.transforms.simplification.evaluation.list_measures import (
    CLUSTERS,
    LEMMA_MATCH,
    PIPELINE,
    RANKING,
    Figure,
    Funnel,
    GoldInstance,
    GoldInstances,
    Lemmas,
    Listing,
    PipelineChoices,
    constant,
    differing,
    folded,
    gold_of,
    lemma_match,
    list_figures,
    pipeline_figures,
    random_order,
    ranker_figures,
)
from lexbeam.transforms.simplification.records import ID, Row

GENERATION, SELECTION = "generation", "selection"
RANDOM, CONSTANT = "random-order", "constant"
STAGE_COLUMNS: dict[str, tuple[str, ...]] = {
    CANDIDATES.name: ("setting", "form", "lemma", "rank", "reason"),
    SELECTIONS.name: ("setting", "form", "kept", "reason", "score"),
    RANKINGS.name: ("setting", "ranker", "form", "rank", "place"),
    SIMPLIFICATIONS.name: ("setting", "ranker", "chosen", "reason"),
}


def system_of(setting: str, ranker: str | None, rankers: Sequence[str]) -> str:
    """Return the name of a system: the setting, followed by the ranker where there are several."""
    return f"{setting} {ranker}" if ranker is not None and len(rankers) > 1 else setting


def by_selection(rows: Rows, places: Mapping[str, int]) -> list[str]:
    """Return the forms that selection keeps, by score; ties by rank in generation, then code points.

    Args:
        rows: of table simplification/selections, of an instance and a setting.
        places: ranks in generation.
    """
    last = len(places) + 1
    selected = [row for row in rows if row["kept"]]
    selected.sort(key=lambda row: (-row["score"], places.get(row["form"], last), row["form"]))
    return [row["form"] for row in selected]


class SettingRows:
    """Takes the rows of one setting, instance by instance, and measures them."""

    def __init__(
        self, name: str, rankers: Sequence[str], gold: GoldInstances, tables: Iterable[str], lemmas: Lemmas | None
    ) -> None:
        self.name = name
        self.rankers: list[str | None] = [*rankers] or [None]
        self.gold = gold
        self.tables = set(tables)
        self.lists = {stage: Listing(gold) for stage in (GENERATION, SELECTION)}
        self.ranked = {ranker: Listing(gold) for ranker in self.rankers}
        self.chosen = {ranker: PipelineChoices(gold, folded) for ranker in self.rankers}
        self.oracle = Listing(gold)
        self.sizes = gold.sizes.copy()
        self.lemmas = lemmas

    def add(self, instance: int, rows: Mapping[str, Rows], funnel: Funnel) -> None:
        """Add the rows of an instance, by its place in gold."""
        left = set(self.gold.ranks[instance])
        places: dict[str, int] = {}
        before: set[str] = set()
        if CANDIDATES.name in self.tables:
            table_rows = rows[CANDIDATES.name]
            places = {row["form"]: row["rank"] for row in table_rows if row["reason"] is None}
            order = sorted(places, key=lambda form: (places[form], form))
            self.lists[GENERATION].add(instance, _strict(order))
            left = self._pass(GENERATION, None, instance, left, order, table_rows, funnel)
            before = set(map(folded, order))
            if self.lemmas is not None:
                self._match(instance, order, table_rows)
        if SELECTIONS.name in self.tables:
            table_rows = rows[SELECTIONS.name]
            order = by_selection(table_rows, places)
            self.lists[SELECTION].add(instance, _strict(order))
            left = self._pass(SELECTION, None, instance, left, order, table_rows, funnel)
            before = set(map(folded, order))
        for ranker in self.rankers:
            self._add_ranker(instance, ranker, rows, left, before, funnel)

    def _add_ranker(
        self,
        instance: int,
        ranker: str | None,
        rows: Mapping[str, Rows],
        left: set[str],
        before: set[str],
        funnel: Funnel,
    ) -> None:
        if RANKINGS.name in self.tables:
            ranker_rows = [row for row in rows[RANKINGS.name] if row["ranker"] == ranker and row["place"] is not None]
            ranker_rows.sort(key=lambda row: row["place"])
            self.ranked[ranker].add(instance, [(row["form"], row["rank"]) for row in ranker_rows])
            order = [row["form"] for row in ranker_rows]
            left = self._pass(RANKING, ranker, instance, left, order, ranker_rows, funnel)
            before = set(map(folded, order))
        if SIMPLIFICATIONS.name in self.tables:
            ranker_rows = [row for row in rows[SIMPLIFICATIONS.name] if row["ranker"] == ranker]
            stays = next((row["reason"] == "keep_target" for row in ranker_rows), False)
            inserted = []
            for row in ranker_rows:
                self.chosen[ranker].add(instance, row["chosen"])
                inserted = [folded(row["chosen"])]
            reason = "keep_target" if stays else "not_chosen" if ranker_rows else "no_rows"
            target = self.gold.targets[instance]
            dropped = [(form, reason) for form in sorted(before - {target, *inserted})]
            inserted = [word for word in inserted if word != target]
            funnel.add((self.name, ranker, PIPELINE), left, inserted, dropped)

    def _pass(
        self,
        stage: str,
        ranker: str | None,
        instance: int,
        before: set[str],
        remaining: Sequence[str],
        rows: Rows,
        funnel: Funnel,
    ) -> set[str]:
        dropped = [(folded(row["form"]), row["reason"]) for row in rows if row.get("reason")]
        target = self.gold.targets[instance]
        forms = {folded(form) for form in remaining} - {target}
        return funnel.add((self.name, ranker, stage), before, forms, dropped)

    def _match(self, instance: int, order: Sequence[str], rows: Rows) -> None:
        assert self.lemmas is not None
        lemma_of = {row["form"]: row["lemma"] for row in rows}
        formless = sorted(row["form"] for row in rows if row["reason"] == "no_form")
        target = self.gold.targets[instance]
        forms = [form for form in (*order, *formless) if folded(form) != target]
        candidates = [(folded(form), lemma_of[form]) for form in forms]
        matched = lemma_match(self.gold.ranks[instance], candidates, self.lemmas)
        self.sizes[instance] = matched.size
        for place, rank in enumerate(matched.ranks):
            self.oracle.put(instance, place, rank)

    def figures(self, ks: Sequence[int], *, tsar: bool) -> Iterator[Figure]:
        """Yield the metrics of its stages."""
        for table, stage in ((CANDIDATES, GENERATION), (SELECTIONS, SELECTION)):
            if table.name in self.tables:
                listing = self.lists[stage]
                yield from list_figures(self.name, stage, listing.candidates(), ks, _free(listing, tsar))
        for ranker in self.rankers:
            system = self.system(ranker)
            if RANKINGS.name in self.tables:
                listing = self.ranked[ranker]
                yield from list_figures(system, RANKING, listing.candidates(), ks, _free(listing, tsar))
                yield from ranker_figures(system, listing.candidates(tied=True), listing.answered())
            if SIMPLIFICATIONS.name in self.tables:
                yield from pipeline_figures(system, self.chosen[ranker].values())

    def beside(self, ks: Sequence[int], *, tsar: bool) -> Iterator[Figure]:
        """Yield the metrics of chance and of oracles."""
        if RANKINGS.name in self.tables:
            # All rankers of a setting are given the same candidates.
            listing = self.ranked[self.rankers[0]]
            candidates, answered = listing.candidates(tied=True), listing.answered()
            yield from random_order(f"{self.name} {RANDOM}", candidates, answered)
            yield from ranker_figures(f"{self.name} {CONSTANT}", constant(candidates), answered)
        if self.lemmas is not None and CANDIDATES.name in self.tables:
            candidates = self.oracle.candidates(sizes=self.sizes)
            system = f"{self.name} {LEMMA_MATCH}"
            yield from list_figures(system, GENERATION, candidates, ks, _free(self.oracle, tsar))

    def system(self, ranker: str | None) -> str:
        """Return the name of the system that this setting and a ranker make."""
        return system_of(self.name, ranker, [name for name in self.rankers if name is not None])


def _strict(order: Sequence[str]) -> list[tuple[str, int]]:
    return [(form, place) for place, form in enumerate(order, 1)]


def _free(listing: Listing, tsar: bool) -> Bools | None:
    return ~listing.answered() if tsar else None


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
