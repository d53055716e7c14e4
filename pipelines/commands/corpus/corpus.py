"""Raw text to annotated sentences: tables documents, sentences, rejects, corpus/inputs.

Files are listed, dealt out in units, taken in, cleared of duplicates, annotated and merged by bucket; see
docs/architecture.md for the picture.
"""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from operator import attrgetter
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from lexbeam.pipelines.commands.corpus.accepting import check_rejects, check_years
from lexbeam.pipelines.commands.corpus.init_sample import dry_run
from lexbeam.pipelines.commands.corpus.plan import CorpusOptions, CorpusPlan, plan_corpus
from lexbeam.pipelines.frame.command import Command, Graph, HandedBack, Opening
from lexbeam.schemas.common_tables import REJECTS
from lexbeam.schemas.corpus_tables import DOCUMENTS, INPUTS, SENTENCES
from lexbeam.transforms.annotation.annotate import (
    AnnotateRecords,
    IntakeCounts,
    annotate_tasks,
    counts_of,
    staged_tables,
    sum_counts,
)
from lexbeam.transforms.annotation.annotated_tables import MergeDocuments, MergeSentences
from lexbeam.transforms.change.view.slices import propose_slices
from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.portions import LEAST_PARTS, parts_for
from lexbeam.transforms.common.publish.holding import Gauge
from lexbeam.transforms.common.publish.sections import Made, inputs_entry
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import units
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.staged import Gather
from lexbeam.transforms.common.texts.languages import language_of
from lexbeam.transforms.corpora.corpus_panels import histogram, panels
from lexbeam.transforms.formats.ingest.cut_files import CutFile
from lexbeam.transforms.formats.ingest.ingestion import Ingest
from lexbeam.transforms.formats.ingest.intake_tables import MERGE_INPUTS, MERGE_REJECTS
from lexbeam.transforms.formats.ingest.kept_files import KeepPart, ListGone
from lexbeam.transforms.formats.records.hyphens import CUT_WORDS
from lexbeam.transforms.formats.records.layers import columns_of

if TYPE_CHECKING:
    import apache_beam as beam

SUMMARY_WIDTH = 100
STOP_WORDS = 100  # among which are most uses of function words: docs/reference/annotation.md
_GATHER = Gather("corpus")
_MERGED = (MergeDocuments, MergeSentences, MERGE_REJECTS, MERGE_INPUTS)


def _parts_of(counts: IntakeCounts) -> int:
    found = counts.counts
    return parts_for(found.get("documents", 0), found.get("tokens", 0), found.get("characters", 0))


# Seconds for a million tokens on one core, with the sample corpus; of spaCy, with a small model.
_ANNOTATING = {"none": 2.0, "builtin": 30.0, "spacy": 100.0}


def _language_shares(made: Made) -> Mapping[str, float]:
    documents = made.entry["documents"]
    return {language: number / documents for language, number in made.entry["languages"].items()}


def corpus_summary(snapshot: Snapshot) -> Iterator[str]:
    """Yield what the texts are and what was taken in, tokens over time, and, if nothing compares them yet, slices."""
    section = snapshot.section("corpus")
    if about := section.get("about"):
        yield from wrap(f"about the texts: {about}", SUMMARY_WIDTH, break_on_hyphens=False, break_long_words=False)
    reasons = ", ".join(f"{reason} {number}" for reason, number in section["rejects"].items())
    documents = {int(year): n for year, n in section["documents_by_year"].items()}
    tokens = {int(year): n for year, n in section["tokens_by_year"].items()}
    years = f", years {min(documents)} to {max(documents)}" if documents else ""
    yield (
        f"{section['records']} input {units(section['records'], 'records')}: "
        f"{section['documents']} {units(section['documents'], 'documents')}, "
        f"{section['rejected']} {units(section['rejected'], 'rejects')}{f' ({reasons})' if reasons else ''}"
    )
    if section["rejected"]:
        yield f"rejects, each with its reason: lexbeam show {files.typed(files.join(snapshot.out, 'rejects'))}"
    yield (
        f"{section['sentences']} {units(section['sentences'], 'sentences')}, "
        f"{section['tokens']} {units(section['tokens'], 'tokens')}{years}"
    )
    if unknown := [name for name in section.get("languages", ()) if language_of(name) is None]:
        yield (
            f"no language is called {', '.join(map(repr, unknown))}, as documents say: what depends on the language "
            "leaves them out; correct them, or name another field, `fields` language=FIELD"
        )
    if notes := section.get("notes"):
        yield "while reading: " + ", ".join(f"{note} {number}" for note, number in notes.items())
        if CUT_WORDS in notes and section["options"].get("hyphens") != "join":
            yield (
                f"{CUT_WORDS} stay in two: `hyphens` join mends those whose joined form the document has elsewhere, or "
                "`hyphen_words` has"
            )
    yield from histogram(documents, tokens)
    undated = section["documents"] - sum(documents.values())
    if undated and documents:
        without = section["tokens"] - sum(tokens.values())
        yield f"  without a date: {without:,} ({undated:,})"
    if "change" not in snapshot.sections:
        yield from _next(snapshot.out, section, documents, tokens)


def _subject(section: Mapping[str, Any]) -> str:
    """Return how many documents there are, and of which years."""
    years = [int(year) for year in section["documents_by_year"]]
    span = f", {min(years)} to {max(years)}" if years else ""
    return f"{section['documents']:,} documents{span}"


def _next(
    out: str, section: Mapping[str, Any], documents: Mapping[int, int], tokens: Mapping[int, int]
) -> Iterator[str]:
    if not documents:
        yield (
            "no document has a date: `lexbeam change` compares periods and needs dates; to use it, "
            "make the corpus anew with `dates` (docs/reference/formats.md)"
        )
        return
    proposal = propose_slices(documents, tokens)
    if proposal.reason:
        yield f"no slices for `lexbeam change` can be proposed: {proposal.reason}"
        return
    sizes = " and ".join(
        f"{slice.name} ({number:,} documents, {size:,} tokens)"
        for slice, number, size in zip(proposal.slices, proposal.documents, proposal.tokens, strict=True)
    )
    yield f"slices of {proposal.sizes}: {sizes}"
    columns = section["columns"]
    unit = ["--unit", "form"] if "lemmas" not in columns and "forms" in columns else []
    words = ["lexbeam", "change", _as_argument(out), "--slices", proposal.spec, "--null", "5", *unit]
    yield f"next: {shlex.join(words)}"
    if "upos" not in columns:
        yield f"function words are ranked, too, as none is tagged: --rank-stop-words {STOP_WORDS} leaves most out"


def _as_argument(path: str) -> str:
    shown = files.shown(path)
    return f"./{shown}" if shown.startswith("-") else shown


class CorpusCommand(Command[CorpusOptions, CorpusPlan]):
    """`lexbeam corpus`."""

    options = CorpusOptions
    examples = """\
  lexbeam corpus novels/ --out corpus --format tei --engine builtin:en --dates header
  lexbeam corpus sotu/*.txt --out corpus --format text --engine spacy:en_core_web_sm \\
      --dates 'name:su(\\d{4})'
  lexbeam corpus lemmas.tar.gz --out corpus --format lines --dates 'name:_([+-]?\\d+)'"""
    tables = (DOCUMENTS, SENTENCES, REJECTS, INPUTS)
    explains = (REJECTS,)
    stages = (CutFile, Ingest, ListGone, KeepPart, AnnotateRecords, _GATHER, *_MERGED)
    rows: Mapping[str, type] = {"counts": IntakeCounts, "gone": str}
    gauges: Mapping[str, Gauge] = {
        "language-shares": Gauge(_language_shares, doc="share of the documents in a language", share=True)
    }
    opening = Opening(
        "Corpus",
        "The texts that were taken in: how many there are, how they are spread over time, genres and sources, "
        "and what was left out and why. Whether periods can be compared depends on their sizes here.",
        ("format", "dates", "engine", "duplicates", "max-reject-share", "parts"),
        subject=_subject,
    )
    plan = staticmethod(plan_corpus)
    summary = staticmethod(corpus_summary)
    report = staticmethod(panels)

    def weights(self, options: CorpusOptions) -> Mapping[str, float]:
        """Return about how much work the stages are; annotation by other engines takes any time."""
        weights = {CutFile.name: 0.02, Ingest.name: 1.0, ListGone.name: 0.01, KeepPart.name: 0.1, _GATHER.name: 0.1}
        weights |= {MergeDocuments.name: 0.5, MergeSentences.name: 2.0, MERGE_REJECTS.name: 0.1, MERGE_INPUTS.name: 0.1}
        engine = options.engine.partition(":")[0]
        if engine in _ANNOTATING:
            weights[AnnotateRecords.name] = _ANNOTATING[engine]
        return weights

    def build(self, pipeline: "beam.Pipeline", plan: CorpusPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        """Units of files in, merged parts and counts out."""
        import apache_beam as beam

        from lexbeam.transforms.common.store.merging_ptransforms import MergeTables
        from lexbeam.transforms.common.store.ptransforms import Each
        from lexbeam.transforms.formats.ingest.ptransforms import (
            CutLarge,
            IngestFiles,
            KeepAcceptable,
            KeepGone,
            ListFiles,
            SettleDuplicates,
            staged_rows,
        )

        workspace, lanes = graph.workspace, graph.lanes
        merges = {
            DOCUMENTS.name: MergeDocuments(),
            SENTENCES.name: MergeSentences(columns_of(plan.annotate.layers)),
            REJECTS.name: MERGE_REJECTS,
            INPUTS.name: MERGE_INPUTS,
        }
        for step in merges.values():
            graph.expect(step, plan.parts or LEAST_PARTS)
        patterns = graph.tasks(pipeline, "Inputs", [plan.patterns])
        shared, large = patterns | "ListFiles" >> ListFiles(workspace, graph.scratch)
        pieces = large | "CutLarge" >> CutLarge(workspace, plan.ingest, lanes, plan.check_content)
        units = (shared, pieces) | "AllUnits" >> beam.Flatten()
        ingested = units | "Ingest" >> IngestFiles(workspace, plan.ingest, lanes, plan.check_content)
        gone = {}
        if plan.kept:
            kept, keys = (shared, large) | "KeepGone" >> KeepGone(workspace, plan.kept.parts, plan.kept.keep, lanes)
            gone["gone"] = keys
            ingested = (ingested, kept) | "AllIngested" >> beam.Flatten()
        tasks = (
            ingested
            | "SettleDuplicates" >> SettleDuplicates(plan.duplicates)
            | "KeepAcceptable" >> KeepAcceptable(ingested, plan.max_reject_share, plan.asked)
        )
        annotate = AnnotateRecords(plan.annotate).asking(workspace)
        weight = attrgetter("stage.characters")
        annotated = (
            tasks
            | "Annotate" >> Each(workspace, annotate, annotate_tasks, lanes=lanes, weight=weight, noted=True)
            | "Annotated" >> beam.Values()
        )
        staged = (
            annotated | "ListStaged" >> beam.FlatMap(staged_tables),
            ingested | "ListRows" >> beam.FlatMap(staged_rows),
            annotated | "ListLateRows" >> beam.FlatMap(staged_rows),
        ) | "AllStaged" >> beam.Flatten()
        # As a tree: workers sum what they have made.
        counts = (
            (ingested, annotated)
            | "AllReceipts" >> beam.Flatten()
            | "CountsOf" >> beam.Map(counts_of)
            | "SumCounts" >> beam.CombineGlobally(sum_counts)
        )
        parts = plan.parts or counts | "DecideParts" >> beam.Map(_parts_of)
        return {"parts": staged | "Merge" >> MergeTables(workspace, merges, _GATHER, parts), "counts": counts, **gone}

    def resources(self, plan: CorpusPlan) -> Mapping[str, Any]:
        rules, metadata, forgotten = plan.annotate.normalise, plan.ingest.metadata, plan.ingest.forgotten
        words = plan.ingest.reader.words
        return {
            **({"forgotten": forgotten.digest} if forgotten else {}),
            "engine": plan.annotate.fingerprint,
            "normalise": digest(asdict(rules)) if rules else None,
            "metadata": metadata.fingerprint if metadata else None,
            **({"hyphen_words": words.fingerprint} if words else {}),
            **({"kept": plan.kept.snapshot} if plan.kept else {}),
        }

    def section(self, plan: CorpusPlan, outcome: HandedBack) -> Mapping[str, Any]:
        (counts,) = outcome.rows["counts"]
        section = {
            **({"about": plan.about} if plan.about else {}),
            "engine": {"name": plan.annotate.name, "fingerprint": plan.annotate.fingerprint},
            "inputs": inputs_entry(INPUTS.name, outcome.of_table(INPUTS.name), counts.inputs["bytes"]),
            **({"notes": dict(sorted(counts.notes.items()))} if counts.notes else {}),
            "records": counts.inputs["records"],
            "rejected": sum(counts.reasons.values()),
            "rejects": dict(sorted(counts.reasons.items())),
            "documents_by_year": {str(year): counts.years[year] for year in sorted(counts.years)},
            "tokens_by_year": {str(year): counts.tokens_by_year[year] for year in sorted(counts.tokens_by_year)},
            "languages": dict(sorted(counts.languages.items())),
            "columns": sorted(counts.columns),
            **{name: counts.counts.get(name, 0) for name in ("documents", "sentences", "tokens", "characters")},
        }
        check_rejects(section["records"], section["rejects"], counts.examples, plan.max_reject_share)
        if section["records"] > section["rejected"]:  # else there is nothing to compare
            check_years(counts.years_taken_in, plan.asked)
        return section

    def noted(self, outcome: HandedBack) -> Mapping[str, Any]:
        return {"had_gone": "".join(outcome.rows["gone"])} if outcome.rows["gone"] else {}

    def preview(self, plan: CorpusPlan) -> Iterator[str]:
        return dry_run(plan.look, plan.ingest, plan.annotate)
