"""The rows of one setting, stage by stage: lists, what is chosen, what gold is lost."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from schemas.simplification.candidates import CANDIDATES, SELECTIONS
from schemas.simplification.rankings import RANKINGS, SIMPLIFICATIONS
from transforms.common.store.join import Rows
from transforms.evaluation.outcomes import Bools
from transforms.simplification.evaluation.funnel import Funnel
from transforms.simplification.evaluation.lists import GoldInstances, Listing, folded
from transforms.simplification.evaluation.measures import (
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
from transforms.simplification.evaluation.oracles import LEMMA_MATCH, Lemmas, lemma_match

__all__ = ["CONSTANT", "GENERATION", "RANDOM", "SELECTION", "STAGE_COLUMNS", "SettingRows", "by_selection", "system_of"]

GENERATION, SELECTION = "generation", "selection"
RANDOM, CONSTANT = "random-order", "constant"
STAGE_COLUMNS: dict[str, tuple[str, ...]] = {
    CANDIDATES.name: ("setting", "form", "lemma", "rank", "reason"),
    SELECTIONS.name: ("setting", "form", "kept", "reason", "score"),
    RANKINGS.name: ("setting", "ranker", "form", "rank", "place"),
    SIMPLIFICATIONS.name: ("setting", "ranker", "chosen", "reason"),
}


def system_of(setting: str, ranker: str | None, rankers: Sequence[str]) -> str:
    """Return the name of a system: the setting, with the ranker where there are several."""
    return f"{setting} {ranker}" if ranker is not None and len(rankers) > 1 else setting


def by_selection(rows: Rows, places: Mapping[str, int]) -> list[str]:
    """Return the forms that are kept, by score; ties by rank in generation, then code points.

    Args:
        rows: of table simplification/selections, of an instance and a setting.
        places: ranks in generation.
    """
    last = len(places) + 1
    kept = [one for one in rows if one["kept"]]
    kept.sort(key=lambda one: (-one["score"], places.get(one["form"], last), one["form"]))
    return [one["form"] for one in kept]


class SettingRows:
    """Takes the rows of one setting, instance by instance."""

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
            own = rows[CANDIDATES.name]
            places = {one["form"]: one["rank"] for one in own if one["reason"] is None}
            order = sorted(places, key=lambda form: (places[form], form))
            self.lists[GENERATION].add(instance, _strict(order))
            left = self._pass(GENERATION, None, instance, left, order, own, funnel)
            before = set(map(folded, order))
            if self.lemmas is not None:
                self._match(instance, order, own)
        if SELECTIONS.name in self.tables:
            own = rows[SELECTIONS.name]
            order = by_selection(own, places)
            self.lists[SELECTION].add(instance, _strict(order))
            left = self._pass(SELECTION, None, instance, left, order, own, funnel)
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
            own = [one for one in rows[RANKINGS.name] if one["ranker"] == ranker and one["place"] is not None]
            own.sort(key=lambda one: one["place"])
            self.ranked[ranker].add(instance, [(one["form"], one["rank"]) for one in own])
            order = [one["form"] for one in own]
            left = self._pass(RANKING, ranker, instance, left, order, own, funnel)
            before = set(map(folded, order))
        if SIMPLIFICATIONS.name in self.tables:
            own = [one for one in rows[SIMPLIFICATIONS.name] if one["ranker"] == ranker]
            stays = next((one["reason"] == "keep_target" for one in own), False)
            kept = []
            for one in own:
                self.chosen[ranker].add(instance, one["chosen"])
                kept = [folded(one["chosen"])]
            reason = "keep_target" if stays else "not_chosen" if own else "no_rows"
            target = self.gold.targets[instance]
            dropped = [(form, reason) for form in sorted(before - {target, *kept})]
            kept = [word for word in kept if word != target]
            funnel.add((self.name, ranker, PIPELINE), left, kept, dropped)

    def _pass(
        self,
        stage: str,
        ranker: str | None,
        instance: int,
        before: set[str],
        kept: Sequence[str],
        rows: Rows,
        funnel: Funnel,
    ) -> set[str]:
        dropped = [(folded(one["form"]), one["reason"]) for one in rows if one.get("reason")]
        target = self.gold.targets[instance]
        forms = {folded(form) for form in kept} - {target}
        return funnel.add((self.name, ranker, stage), before, forms, dropped)

    def _match(self, instance: int, order: Sequence[str], rows: Rows) -> None:
        assert self.lemmas is not None
        lemma_of = {one["form"]: one["lemma"] for one in rows}
        formless = sorted(one["form"] for one in rows if one["reason"] == "no_form")
        target = self.gold.targets[instance]
        forms = [form for form in (*order, *formless) if folded(form) != target]
        given = [(folded(form), lemma_of[form]) for form in forms]
        found = lemma_match(self.gold.ranks[instance], given, self.lemmas)
        self.sizes[instance] = found.size
        for place, rank in enumerate(found.ranks):
            self.oracle.put(instance, place, rank)

    def figures(self, ks: Sequence[int], *, tsar: bool) -> Iterator[Figure]:
        """Yield the metrics of its stages."""
        for table, stage in ((CANDIDATES, GENERATION), (SELECTIONS, SELECTION)):
            if table.name in self.tables:
                own = self.lists[stage]
                yield from list_figures(self.name, stage, own.candidates(), ks, _free(own, tsar))
        for ranker in self.rankers:
            system = self.system(ranker)
            if RANKINGS.name in self.tables:
                own = self.ranked[ranker]
                yield from list_figures(system, RANKING, own.candidates(), ks, _free(own, tsar))
                yield from ranker_figures(system, own.candidates(tied=True), own.asked())
            if SIMPLIFICATIONS.name in self.tables:
                yield from pipeline_figures(system, self.chosen[ranker].values())

    def beside(self, ks: Sequence[int], *, tsar: bool) -> Iterator[Figure]:
        """Yield those of chance and of what could be reached."""
        if RANKINGS.name in self.tables:
            # All rankers of a setting are given the same candidates.
            own = self.ranked[self.rankers[0]]
            given, asked = own.candidates(tied=True), own.asked()
            yield from random_order(f"{self.name} {RANDOM}", given, asked)
            yield from ranker_figures(f"{self.name} {CONSTANT}", constant(given), asked)
        if self.lemmas is not None and CANDIDATES.name in self.tables:
            given = self.oracle.candidates(sizes=self.sizes)
            system = f"{self.name} {LEMMA_MATCH}"
            yield from list_figures(system, GENERATION, given, ks, _free(self.oracle, tsar))

    def system(self, ranker: str | None) -> str:
        """Return the name of the system that a ranker makes of it."""
        return system_of(self.name, ranker, [one for one in self.rankers if one is not None])


def _strict(order: Sequence[str]) -> list[tuple[str, int]]:
    return [(form, place) for place, form in enumerate(order, 1)]


def _free(listing: Listing, tsar: bool) -> Bools | None:
    return ~listing.asked() if tsar else None
