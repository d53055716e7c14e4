"""Pairs of passage and summary: tables cloze/pairs and cloze/rejects.

    lexbeam cloze pairs Task_1_Imperceptibility.jsonl --layout recam --out cloze \\
        --engine spacy:en_core_web_sm
    lexbeam cloze pairs bbc --layout documents --skip-paragraphs 1 --out cloze --engine builtin:en

docs/tasks/cloze/pairs.md says what the layouts are, what is rejected and what is flagged.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lexbeam.pipelines.commands.corpus.accepting import check_look
from lexbeam.pipelines.commands.intake import IntakePlan, inputs_of, load, settle, text_engine
from lexbeam.pipelines.commands.options import annotation_engine, excluded_files
from lexbeam.pipelines.frame.command import Command, Graph, HandedBack, Inputs, IntakeOptions, Opening, TableSource
from lexbeam.pipelines.frame.inputs import corpora_of, first_inputs
from lexbeam.schemas.cloze import FLAGS, KINDS, PAIR_INPUTS, PAIR_REJECTS, PAIRS
from lexbeam.schemas.common_tables import REMEDIES
from lexbeam.transforms.annotation.engines.known_engines import describe_engine
from lexbeam.transforms.cloze.pairs.loaded_pairs import RULE, ReadCorpusPairs, ReadPairs, SettlePairs
from lexbeam.transforms.cloze.pairs.pair import LengthOptions
from lexbeam.transforms.cloze.pairs.pair_layouts import CORPUS, LAYOUTS, CutOptions, ReadOptions, paths_of_fields
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.portions import stated_parts
from lexbeam.transforms.common.publish.forgotten import forgotten_at
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import Block, counts_tail, explained_counts, units
from lexbeam.transforms.common.texts.languages import stated_language
from lexbeam.transforms.corpora.annotated_corpora import PartPair, check_columns
from lexbeam.transforms.formats.ingest.ingestion import IngestOptions
from lexbeam.transforms.formats.ingest.input_listing import InputPatterns
from lexbeam.transforms.formats.readers.html import check_html
from lexbeam.transforms.formats.readers.registry import FORMATS
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.formats.records.hyphens import HyphenWords, read_hyphen_words
from lexbeam.transforms.intake.intake_staging import LoadedCounts
from lexbeam.transforms.intake.settling import Settled, sum_settled
from lexbeam.transforms.report.panels import Panel, SectionTable, TableColumn, counts_panel

if TYPE_CHECKING:
    import apache_beam as beam

INPUT = "input"
SECTION = "cloze.pairs"


@dataclass(frozen=True, kw_only=True)
class ClozePairsOptions(IntakeOptions):
    """Options of `lexbeam cloze pairs`."""

    inputs: tuple[str, ...] = option(
        (),
        help="files, folders or globs, compressed or not; of layout corpus folders that "
        "`lexbeam corpus` made; none: that of `out`",
        metavar="INPUT",
        positional=True,
        path="input",
        data="records",
        published=False,
    )
    layout: str = option(help="how pairs lie in them", choices=LAYOUTS, group=INPUT)
    kind: str | None = option(
        None, help="kind of ReCAM's questions where the file's name does not say", choices=KINDS, group=INPUT
    )
    format: str = option("auto", help="format of documents", choices=FORMATS, group=INPUT)
    exclude: tuple[str, ...] = excluded_files(INPUT)
    reader: ReaderOptions = embedded(ReaderOptions, group=INPUT)
    language: str | None = option(
        None,
        help="language where the record does not say; else that of the engine",
        metavar="L",
        stands_for=stated_language,
        group=INPUT,
    )
    genre: str | None = option(None, help="genre where the record does not say", group=INPUT)
    cut: CutOptions = embedded(CutOptions, group="documents")
    lengths: LengthOptions = embedded(LengthOptions, group="limits")
    engine: str | None = annotation_engine("texts")


@dataclass(frozen=True, kw_only=True)
class PairsPlan(IntakePlan):
    """What pairs are taken in; `words` are those that hyphens are taken out of."""

    layout: str
    words: HyphenWords | None


_CUT = ("documents", CORPUS)
_WITH_FIELDS = tuple(name for name, layout in LAYOUTS.items() if layout.format is not None)


def _remedy(counts: LoadedCounts, layout: str) -> str:
    of_layout = _remedies(layout)
    remedies = [remedy for reason in counts.reasons for remedy in of_layout.get(reason) or _general(reason)]
    listed = "".join(f"{remedy}, " for remedy in dict.fromkeys(remedies))
    return f"Correct them, {listed}or allow more with `max_reject_share`."


def _general(reason: str) -> tuple[str, ...]:
    return (REMEDIES[reason],) if reason in REMEDIES else ()


def _remedies(layout: str) -> Mapping[str, tuple[str, ...]]:
    """Return what may help against a reason, of those that are a matter of pairs."""
    if layout == CORPUS:
        there: tuple[str, ...] = ()
    elif layout == "documents":
        there = _general("missing_field")
    elif layout == "recam":
        there = ("name another `layout`",)
    else:
        there = ("say by `fields` where passage and summary stand", "name another `layout`")
    lengths = {
        f"{which}_{text}": (f"change `{end}_{text}_words`",)
        for text in ("summary", "passage")
        for which, end in (("short", "min"), ("long", "max"))
    }
    other = {} if layout in _CUT else {"malformed": ("name another `layout`",)}
    return {"missing_field": there, **other, **lengths}


_TARGETS = SectionTable(
    "Targets of pairs",
    "Words that the files ask for, and those found.",
    (
        TableColumn("kind", "what makes the answer abstract", pa.string()),
        TableColumn("targets", "words that the files ask for"),
        TableColumn("found", "those that stand where they should"),
    ),
)


class ClozePairs(Command[ClozePairsOptions, PairsPlan]):
    """`lexbeam cloze pairs`."""

    options = ClozePairsOptions
    examples = """\
  lexbeam cloze pairs recam/Task_1_Imperceptibility.jsonl --layout recam --out cloze \\
      --engine spacy:en_core_web_sm
  lexbeam cloze pairs news.jsonl --layout jsonl --fields passage=article,summary=highlights \\
      --out cloze --engine builtin:en
  lexbeam cloze pairs train.parquet --layout parquet --fields passage=document,summary=headline,id=uid \\
      --out cloze
  lexbeam cloze pairs bbc --layout documents --summary first-sentence --skip-paragraphs 1 \\
      --out cloze --engine builtin:en"""
    tables = (PAIRS, PAIR_REJECTS, PAIR_INPUTS)
    explains = (PAIR_REJECTS,)
    stages = (ReadPairs, ReadCorpusPairs, *SettlePairs.steps())
    rows: Mapping[str, type] = {"counts": LoadedCounts, "settled": Settled}
    opening = Opening(
        "Passages with summaries",
        "Texts cut into a passage and a summary, of which cloze questions are made: how many there are, how "
        "long, and what was left out and why.",
        (
            "layout",
            "summary",
            "language",
            "engine",
            "min-summary-words",
            "max-summary-words",
            "min-passage-words",
            "max-passage-words",
        ),
    )

    def reads(self, options: ClozePairsOptions) -> Sequence[TableSource]:
        if options.layout != CORPUS:
            return ()
        tables = ("sentences", "documents")
        return [TableSource(table, folder, needed=True) for folder in options.inputs or (None,) for table in tables]

    def check(self, options: ClozePairsOptions) -> None:
        layout = options.layout
        if not options.inputs and layout != CORPUS:
            raise UsageError(f"`inputs`: name the files of `layout` {layout}")
        if layout not in _CUT and options.cut != CutOptions():
            raise UsageError(
                "`summary`, `skip_paragraphs`, `keep_rest` and `paragraphs` cut `layout` documents and "
                f"corpus; {layout} has its summaries"
            )
        if layout == "recam" and options.reader.fields:
            raise UsageError(f"`fields` are of `layout` {', '.join(_WITH_FIELDS)} and documents; recam has its own")
        if layout in _WITH_FIELDS:
            paths_of_fields(options.reader)
        if layout != "documents" and options.format != "auto":
            raise UsageError(f"`format` is of `layout` documents; files of {layout} have one")
        if layout != "recam" and options.kind is not None:
            raise UsageError(f"`kind` is of the questions of `layout` recam; {layout} has none")
        if layout == CORPUS and options.engine is not None:
            raise UsageError("a corpus brings its annotation: leave `engine` out")
        lengths = options.lengths
        for name, least, most in (
            ("summary", lengths.min_summary_words, lengths.max_summary_words),
            ("passage", lengths.min_passage_words, lengths.max_passage_words),
        ):
            if least > most:
                raise UsageError(f"`min_{name}_words` is {least}, and `max_{name}_words` {most}: no {name} is left")
        if options.engine:
            describe_engine(options.engine)

    def plan(self, options: ClozePairsOptions, inputs: Inputs) -> PairsPlan:
        engine = text_engine(options.engine)
        words = read_hyphen_words(options.reader.hyphen_words, options.reader.hyphens)
        reader = replace(options.reader, words=words)
        patterns: InputPatterns | None = None
        by_content: dict[str, PartPair] = {}
        if options.layout == CORPUS:
            corpora = corpora_of(inputs)
            check_columns(
                corpora, ["forms"], remedy="pairs are of words as they stand in the text: make it anew with an engine"
            )
            by_content = {pair.documents.sha256: pair for each in corpora for pair in each.pairs}
        else:
            if options.format == "html" or options.reader.html != "reject":
                check_html(options.reader)
            found = first_inputs(options.inputs, options.exclude, options.out, tables_by=f"`layout` {CORPUS}")
            patterns, look, is_all = found
            if options.layout == "documents":
                ingest = IngestOptions(format=options.format, reader=reader)
                check_look(look, ingest, options.max_reject_share, {}, is_all=is_all)
        read: ReadPairs | ReadCorpusPairs
        if patterns is None:
            read = ReadCorpusPairs(
                cut=options.cut, lengths=options.lengths, language=options.language, genre=options.genre
            )
        else:
            how = ReadOptions(
                layout=options.layout,
                kind=options.kind,
                format=options.format,
                language=options.language,
                genre=options.genre,
                engine_language=engine.language,
                cut=options.cut,
                reader=reader,
            )
            read = ReadPairs(how=how, lengths=options.lengths, forgotten=forgotten_at(options.out))
        return PairsPlan(
            patterns=patterns,
            tables=tuple(sorted(by_content.items())),
            read=read,
            settle=SettlePairs(annotate=engine.options),
            engine=engine,
            parts=stated_parts(options.parts),
            max_reject_share=options.max_reject_share,
            layout=options.layout,
            words=words,
        )

    def build(self, pipeline: "beam.Pipeline", plan: PairsPlan, graph: Graph) -> Mapping[str, "beam.PCollection"]:
        return settle(load(pipeline, plan, graph), plan, graph, RULE)

    def resources(self, plan: PairsPlan) -> Mapping[str, Any]:
        engine = plan.engine.options.fingerprint or None
        return {"engine": engine, **({"hyphen_words": plan.words.fingerprint} if plan.words else {})}

    def section(self, plan: PairsPlan, outcome: HandedBack) -> Mapping[str, Any]:
        (loaded,) = outcome.rows["counts"]
        RULE.check(loaded, plan.max_reject_share, _remedy(loaded, plan.layout))
        counts = sum_settled(outcome.rows["settled"])
        amounts, targets = counts["amounts"], counts["targets"]
        return {
            "engine": plan.engine.name or None,
            **inputs_of(plan, outcome),
            "records": loaded.records + loaded.rejected,
            "rejected": loaded.rejected,
            "rejects": loaded.reasons,
            "pairs": counts["languages"].total(),
            **{name: amounts[name] for name in ("repeated", "articles", "summary_tokens", "passage_tokens")},
            "languages": dict(sorted(counts["languages"].items())),
            "flags": {name: counts["flags"][name] for name in FLAGS if counts["flags"][name]},
            "targets": [
                {"kind": kind, "targets": targets[kind], "found": counts["found"][kind]}
                for kind in KINDS
                if kind in targets
            ],
        }

    def summary(self, snapshot: Snapshot) -> Iterator[Block]:
        section = snapshot.section(SECTION)
        yield (
            f"{section['pairs']} {units(section['pairs'], 'pairs')} of "
            f"{section['articles']} {units(section['articles'], 'passages')}; "
            f"{section['rejected']} of {section['records']} {units(section['records'], 'records')} rejected"
            f"{counts_tail(section['rejects'])}"
        )
        if section["targets"]:
            yield _TARGETS.grid(section["targets"])
        yield from explained_counts(section["flags"], FLAGS)

    def report(self, snapshot: Snapshot) -> list[Panel]:
        section = snapshot.section(SECTION)
        names = ("pairs", "articles", "repeated", "rejected", "summary_tokens", "passage_tokens")
        counts = {name: section[name] for name in names}
        text = "Pairs of passage and summary, and their tokens."
        panels = [
            counts_panel("Pairs", text, counts, name="what", of="number"),
            _TARGETS.panel(section["targets"]),
            counts_panel(
                "Flags of pairs", "What is odd; all pairs are kept.", section["flags"], FLAGS, name="flag", of="pairs"
            ),
            counts_panel(
                "Records without a pair", "Rejects by reason.", section["rejects"], name="reason", of="records"
            ),
        ]
        return [panel for panel in panels if panel.rows.num_rows]
