"""The rows of one setting, stage by stage: its lists, its choices, and the gold that it loses."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from lexbeam.schemas.simplification import CANDIDATES, RANKINGS, SELECTIONS, SIMPLIFICATIONS
from lexbeam.transforms.common.store.join import Rows
from lexbeam.transforms.evaluation.outcomes import Bools
from lexbeam.transforms.simplification.evaluation.funnel import Funnel
from lexbeam.transforms.simplification.evaluation.lists import GoldInstances, Listing, folded
from lexbeam.transforms.simplification.evaluation.measures import (
    PIPELINE,
    RANKING,
    Figure,
    PipelineChoices,
    constant,
    list_figures,
    pipeline_figures,
    random_order,
    ranker_figures,
)
from lexbeam.transforms.simplification.evaluation.oracles import LEMMA_MATCH, Lemmas, lemma_match

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
