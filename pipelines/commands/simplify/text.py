"""Texts simplified: files or a corpus in, the same texts out with simpler words, and why each was changed.

    lexbeam simplify text report.txt --language es --engine spacy:es_core_news_md \\
        --thesaurus th_es_v2.dat --inflector es.inflector --out easy --write-text easy-texts

docs/tasks/simplification/text.md says what is changed, and what stays.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from lexbeam.pipelines.commands.simplify.found_words import PLACING, find_words, inputs_of, settling
from lexbeam.pipelines.commands.simplify.text_plan import SimplifyTextOptions, TextPlan, check, plan_of, reads
from lexbeam.pipelines.commands.simplify.text_writing import content_of, write_texts
from lexbeam.pipelines.frame.command import Command, Graph, HandedBack
from lexbeam.pipelines.frame.openings import Opening
from lexbeam.schemas.simplification.candidates import CANDIDATES, SELECTIONS
from lexbeam.schemas.simplification.documents import CHANGES, DOCUMENTS, KEPT
from lexbeam.schemas.simplification.instances import INSTANCE_INPUTS, INSTANCE_REJECTS, INSTANCES, SUBSTITUTES
from lexbeam.schemas.simplification.rankings import RANKINGS, SIMPLIFICATIONS
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.parts import LEAST_PARTS
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.publish.views import View
from lexbeam.transforms.common.shown import Block, amount, listed
from lexbeam.transforms.common.store.artefacts import Stage
from lexbeam.transforms.common.store.receipts import totals
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.intake.staging import LoadedCounts
from lexbeam.transforms.report.panels import Panel
from lexbeam.transforms.simplification.documents.stage import CHANGED, RESOLVE, ResolvedPart, ResolveOptions
from lexbeam.transforms.simplification.generation.stage import GENERATE, Generated
from lexbeam.transforms.simplification.instances.counts import check_records, counted
from lexbeam.transforms.simplification.instances.fixed_text import FIXED
from lexbeam.transforms.simplification.instances.merge_stage import SETTLING, JudgedOptions, SettledJudged, task_of
from lexbeam.transforms.simplification.instances.read_stage import acceptable_records
from lexbeam.transforms.simplification.ranking.ranked_parts import RANK
from lexbeam.transforms.simplification.rewriting.stage import REWRITE, Rewriting
from lexbeam.transforms.simplification.selection.stage import SELECT
from lexbeam.transforms.simplification.shown.documents import DOCUMENT_VIEWS, difference, document_panels
from lexbeam.transforms.simplification.shown.instances import INSTANCE_VIEWS
from lexbeam.transforms.simplification.shown.views import CANDIDATE_VIEWS
from lexbeam.transforms.simplification.text_settings import bolder, precision_told

if TYPE_CHECKING:
    import apache_beam as beam

SECTION = "simplify.text"

_REMEDY = "Name another `format` or `encoding`, leave files out by `exclude`"


def _is_made(part: Part) -> bool:
    """Return whether a part is of a table that is published: there are no substitutes."""
    return part.table != SUBSTITUTES.name


_VIEWS: Registry[View[Any]] = Registry(
    {**DOCUMENT_VIEWS, **INSTANCE_VIEWS, **CANDIDATE_VIEWS}, what="view", group=DOCUMENT_VIEWS.group
)


class SimplifyText(Command[SimplifyTextOptions, TextPlan]):
    """`lexbeam simplify text`."""

    options = SimplifyTextOptions
    examples = """\
  lexbeam simplify text report.txt --language es --engine spacy:es_core_news_md \\
      --thesaurus th_es_v2.dat --inflector es.inflector --out easy --write-text easy-texts
  lexbeam simplify text chapters --language en --setting bold --out easy
  lexbeam simplify text - --language en < letter.txt"""
    tables = (
        INSTANCES,
        CANDIDATES,
        SELECTIONS,
        RANKINGS,
        SIMPLIFICATIONS,
        DOCUMENTS,
        CHANGES,
        INSTANCE_REJECTS,
        INSTANCE_INPUTS,
    )
    explains = (INSTANCE_REJECTS,)
    stages = (*PLACING, *SETTLING.all(), GENERATE, SELECT, RANK, REWRITE, RESOLVE)
    rows: Mapping[str, type] = {
        "counts": LoadedCounts,
        "settled": SettledJudged,
        "generated": Generated,
        "resolved": ResolvedPart,
    }
    views = _VIEWS
    opening = Opening(
        "Texts simplified",
        "Whole texts with simpler words in the place of complex ones, what was changed and why, and what stays.",
        ("setting", "language", "zipf-below", "engine"),
    )
    reads = staticmethod(reads)
    check = staticmethod(check)
    plan = staticmethod(plan_of)

    def build(self, pipeline: "beam.Pipeline", plan: TextPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Files or parts of a corpus in, parts of all tables out."""
        import apache_beam as beam

        from lexbeam.transforms.intake.ptransforms import SettleParts
        from lexbeam.transforms.simplification.documents.ptransforms import ResolveTexts, SimplifyWords

        workspace, lanes = graph.workspace, graph.lanes
        texts = find_words(pipeline, plan.found, graph, PLACING, keyed=True)
        loaded = texts | "Loaded" >> beam.Values()
        stages: tuple[Stage[Any, Any, Any], ...] = (SETTLING.settle, GENERATE, SELECT, RANK, REWRITE)
        for stage in stages:
            graph.expect(stage, plan.parts or LEAST_PARTS)
        settled, counts, words = loaded | "Settle" >> SettleParts(
            workspace,
            settling(plan.found.patterns),
            JudgedOptions(),
            partial(acceptable_records, share=plan.max_reject_share),
            plan.parts,
            lanes,
            partial(task_of, judgments=(), rejects=()),
        )
        words = words | "WithoutSubstitutes" >> beam.Filter(_is_made)
        generation = plan.generation._replace(lexicon=graph.carry(plan.generation.lexicon))
        selection = {
            name: setting._replace(lexicon=graph.carry(setting.lexicon)) for name, setting in plan.selection.items()
        }
        rankings = {
            name: ranking._replace(lexicon=graph.carry(ranking.lexicon)) for name, ranking in plan.rankings.items()
        }
        rewriting = Rewriting(plan.agreement, plan.generation.inflector)
        receipts, made = words | "Simplify" >> SimplifyWords(
            workspace, generation, selection, rankings, rewriting, lanes
        )
        parts = (words, made) | "WordParts" >> beam.Flatten()
        options = ResolveOptions(
            format=plan.format, reader=plan.reader, inflector=plan.generation.inflector, agreement=plan.agreement
        )
        resolved, documents = texts | "Resolve" >> ResolveTexts(workspace, parts, options, lanes)
        return {
            "parts": (parts, documents) | "AllParts" >> beam.Flatten(),
            "counts": counts,
            "settled": settled,
            "generated": receipts["generated"],
            "resolved": resolved,
        }

    def resources(self, plan: TextPlan) -> Mapping[str, Any]:
        scorer = plan.found.options.choice.scorer
        of_scorer = {} if scorer is None else {"complexity_scorer": scorer.model.digest}
        return {"engine": plan.engine.options.fingerprint or None, **of_scorer}

    def section(self, plan: TextPlan, outcome: HandedBack) -> Mapping[str, Any]:
        (loaded,) = outcome.rows["counts"]
        check_records(loaded, plan.max_reject_share, _REMEDY)
        made: list[Generated] = outcome.rows["generated"]
        resolved: list[ResolvedPart] = outcome.rows["resolved"]
        counts = totals(part.counts for part in resolved)
        ((name, generation),) = plan.generation.settings.items()
        protected = totals(part.protected for part in made)
        return {
            "engine": plan.engine.name or None,
            "layers": list(plan.engine.options.layers),
            **inputs_of(plan.found.patterns, outcome, loaded),
            **counted(loaded, outcome.rows["settled"]),
            "settings": [
                {
                    "setting": name,
                    "generators": list(generation.generators),
                    "combine": generation.combine,
                    "with_candidates": totals(part.with_candidates for part in made)[name],
                    "protected": {key.partition(" ")[2]: protected[key] for key in sorted(protected)},
                    "filters": list(plan.selection[name].options.filters),
                    "rankers": list(plan.rankings[name].options.ranker),
                    "keep_target": plan.rankings[name].options.keep_target,
                    "of_file": plan.of_file,
                }
            ],
            "languages": list(plan.languages),
            "documents": sum(part.documents.rows for part in resolved),
            "altered": sum(part.altered for part in resolved),
            "beside": sum(part.beside for part in resolved),
            "outcomes": {name: counts[name] for name in (CHANGED, *KEPT)},
        }

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        """Yield what was changed, and what was left out."""
        yield from difference(snapshot)
        section = snapshot.section(SECTION)
        name = section["settings"][0]["setting"]
        outcomes = listed(f"{name} {number}" for name, number in section["outcomes"].items() if number)
        yield (
            f"{section['altered']} of {section['documents']} texts changed by setting {name}; complex words: "
            f"{outcomes or 'none'}"
        )
        found = section.get("found", {})
        if fixed := listed(f"{found[why]} {meaning}" for why, meaning in FIXED.items() if found.get(why)):
            yield f"content words left alone: {fixed}"
        if not section["settings"][0].get("of_file", True):  # 0.1.0 has not noted it
            yield from precision_told(name, section["languages"])
        if hint := bolder(name, section["outcomes"][CHANGED], sum(section["outcomes"].values())):
            yield hint
        if section["rejected"]:
            reasons = ", ".join(f"{reason} {number}" for reason, number in section["rejects"].items())
            yield f"warning: {section['rejected']} left out, see {INSTANCE_REJECTS.name}: {reasons}"

    def after(self, options: SimplifyTextOptions, snapshot: Snapshot, tell: Callable[[str], object]) -> None:
        if options.write_text is not None:
            number = write_texts(snapshot, options.write_text)
            tell(f"{amount(number, 'texts')} in {os.path.join(options.write_text, '')}")

    def piped(self, snapshot: Snapshot) -> Iterator[bytes]:
        for _, _, content in content_of(snapshot):
            yield content

    def quotes(self, snapshot: Snapshot, _: Sequence[str]) -> list[Panel]:
        return document_panels(snapshot)
