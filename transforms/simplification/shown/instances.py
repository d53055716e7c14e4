"""Instances for a person: words in their sentences with people's substitutes, the summary of a run, panels.

lexbeam show alexsis --instances 20
lexbeam show alexsis --instances 5 --of folclórico,labrarse --flag several
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import column
from lexbeam.schemas.simplification import FLAGS, INSTANCE_REASONS, INSTANCES, JUDGMENTS, SUBSTITUTES
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.publish.views import View
from lexbeam.transforms.common.shown import Block, Kwic, Use, amount, listed
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.common.texts.apostrophes import straight
from lexbeam.transforms.report.panels import Note, Panel, Rows
from lexbeam.transforms.simplification.instances.fixed_text import FIXED
from lexbeam.transforms.simplification.records import Row

_INSTANCE_COLUMNS = (
    "instance_id",
    "language",
    "target",
    "lemma",
    "upos",
    "feats",
    "sentence",
    "start",
    "end",
    "chosen_by",
    "chosen_value",
    "judgment",
    "flags",
)
QUOTED = 20  # words in the report


@dataclass(frozen=True, kw_only=True)
class InstancesOptions:
    """Options of the view `instances`."""

    instances: int = option(20, help="so many words to simplify in their sentences, the first by id", least=1)
    of: tuple[str, ...] = option((), help="only of these targets, whatever their capitals", metavar="TARGET")
    judgment: str | None = option(None, help="only those with this judgment", choices=tuple(JUDGMENTS))
    flag: str | None = option(None, help="only those with this flag", choices=tuple(FLAGS))


def instances_shown(snapshot: Snapshot, options: InstancesOptions) -> pa.Table:
    """Return instances with their substitutes, most annotators first, and how many gave each.

    Raises:
        UsageError: no instances are published, or none has such a target.
    """
    if INSTANCES.name not in snapshot.tables:
        raise UsageError(
            f"{files.shown(snapshot.out)} has no table {INSTANCES.name}: `lexbeam simplify instances` makes it"
        )
    wanted = {straight(name.casefold()): name for name in options.of}
    rows: list[Row] = []
    targets: set[str] = set()
    for row in _rows(snapshot, options):
        folded = straight(row["target"].casefold())
        targets.add(folded)
        if (not wanted or folded in wanted) and len(rows) < options.instances:
            rows.append(row)
        if not wanted and len(rows) == options.instances:
            break
    for folded, name in wanted.items():
        if folded not in targets:
            raise UsageError(f"`of`: no instance has the target {name!r}{nearest(folded, targets)}")
    if not rows:
        raise UsageError("no instance has this judgment and flag: nothing can be shown")
    gold = _substitutes(snapshot, [row["instance_id"] for row in rows])
    for row in rows:
        substitutes = sorted(gold.get(row["instance_id"], []), key=_by_rank)
        row["substitutes"] = [substitute["substitute"] for substitute in substitutes]
        row["annotators"] = [substitute["annotators"] for substitute in substitutes]
    return pa.Table.from_pylist(rows, _SHOWN)


_SHOWN = pa.schema(
    [
        *(INSTANCES.schema().field(name) for name in _INSTANCE_COLUMNS),
        column("substitutes", pa.list_(pa.string()), "what people gave, the first ranks first"),
        column("annotators", pa.list_(pa.int32()), "how many gave each; null where ranks are known"),
    ]
)


def _rows(snapshot: Snapshot, options: InstancesOptions) -> Iterator[Row]:
    for rows in read_rows(snapshot.paths(INSTANCES.name), list(_INSTANCE_COLUMNS)):
        if options.judgment is not None:
            rows = rows.filter(pc.equal(rows["judgment"], options.judgment))
        for row in rows.to_pylist():
            if options.flag is None or options.flag in row["flags"]:
                yield row


def _substitutes(snapshot: Snapshot, names: list[str]) -> dict[str, list[Row]]:
    by_instance: dict[str, list[Row]] = {}
    if SUBSTITUTES.name in snapshot.tables:
        wanted = pa.array(names, pa.string())
        for rows in read_rows(snapshot.paths(SUBSTITUTES.name)):
            selected = rows.filter(pc.is_in(rows["instance_id"], value_set=wanted))
            for row in selected.to_pylist():
                by_instance.setdefault(row["instance_id"], []).append(row)
    return by_instance


def _by_rank(row: Row) -> tuple[int, str]:
    return row["gold_rank"] or 0, row["substitute"]


def _gold_text(row: Row) -> str:
    pairs = zip(row["substitutes"], row["annotators"], strict=True)
    gold = [text if number is None else f"{text} {number}" for text, number in pairs]
    return listed(gold, most=6)


def _instance_blocks(snapshot: Snapshot, options: InstancesOptions) -> Iterator[Block]:
    rows = instances_shown(snapshot, options).to_pylist()
    judged = any(row["substitutes"] for row in rows)
    beside = "what people gave for them, and how many" if judged else "nobody gave substitutes for them"
    yield f"{amount(len(rows), 'words')} in context; {beside}"
    yield Kwic(tuple(_use(row) for row in rows))


def _use(row: Row) -> Use:
    text, start, end = row["sentence"], row["start"], row["end"]
    return Use(text[:start], text[start:end], text[end:], _gold_text(row) or _why(row))


def _why(row: Row) -> str:
    """Return part of speech and why the word is there, where the input does not name it: `NOUN, zipf 3.6`."""
    value = row["chosen_value"]
    decided = "" if value is None else f"{row['chosen_by']} {value:.3g}"
    return ", ".join(filter(None, [row["upos"], decided]))


def instance_panels(snapshot: Snapshot, _: Iterable[str] = ()) -> list[Panel]:
    """Return the first instances in their sentences, for the report."""
    if not snapshot.tables[INSTANCES.name]["rows"]:
        return []
    rows = [
        {
            "sentence": row["sentence"],
            "target": row["target"],
            "lemma": row["lemma"],
            "part of speech": row["upos"],
            "substitutes": _gold_text(row) or None,
        }
        for row in instances_shown(snapshot, InstancesOptions(instances=QUOTED)).to_pylist()
    ]
    schema = pa.schema(
        [
            column("sentence", pa.string(), "the sentence"),
            column("target", pa.string(), "the word to simplify"),
            column("lemma", pa.string(), "its lemma", nullable=True),
            column("part of speech", pa.string(), "its part of speech", nullable=True),
            column("substitutes", pa.string(), "what people gave, and how many of them", nullable=True),
        ]
    )
    text = f"{len(rows)} words to simplify in their sentences, the first by id."
    table = pa.Table.from_pylist(rows, schema)
    if table["substitutes"].null_count == table.num_rows:
        table = table.drop_columns(["substitutes"])
    return [Rows("Words to simplify", text, table)]


INSTANCE_VIEWS: Registry[View[Any]] = Registry(
    {
        "instances": View(
            InstancesOptions,
            instances_shown,
            _instance_blocks,
            doc="words to simplify, in their sentences, the first by id, with people's substitutes",
        )
    },
    what="view",
    group="lexbeam.simplification_instance_views",
)


SECTION = "simplify.instances"
NOTES = 10  # that the summary lists


def _warnings(section: Mapping[str, Any]) -> list[str]:
    """Return what later stages cannot do for lack of annotation."""
    known, all_of = section["annotated"], section["instances"]
    if not all_of:
        return []
    warnings = []
    if not known["lemma"]:
        warnings.append(
            "no lemmas: thesauri are looked up by the words as they stand and by what a form "
            "dictionary makes of them, and it alone tells inflections of the target; "
            "give an `engine`"
        )
    if not known["upos"]:
        warnings.append(
            "no parts of speech: candidates cannot be compared with the target's, and forms are "
            "looked up in any; give an `engine`"
        )
    if known["upos"] and not known["feats"]:
        warnings.append(
            "no features: the target's number, gender, person and tense are those that a form dictionary has, "
            "or follow from its suffix"
        )
    return warnings


def instance_summary(snapshot: Snapshot) -> Iterator[Block]:
    """Yield what was made, what was left out, what is odd, and what later stages will lack."""
    section = snapshot.section(SECTION)
    yield (
        f"{amount(section['instances'], 'instances')} of {amount(section['records'], 'records')} "
        f"({', '.join(section['layouts']) or 'none'}), {section['with_substitutes']} with substitutes, "
        f"{section['substitutes']} in all; {section['rejected']} rejected"
        + "".join(f", {reason} {number}" for reason, number in section["rejects"].items())
    )
    if judged := section.get("judgments"):
        verdicts = ", ".join(f"{name} {number}" for name, number in judged["instances"].items())
        yield (
            f"{judged['used']} of {judged['judgments']} judgments are of instances, "
            f"{judged['joint']} joint, by {judged['annotators']} annotators: {verdicts}, "
            f"not judged {section['judgments']['not_judged']}"
        )
    if found := section.get("found"):
        yield (
            f"chosen of {found['words']} content words in {amount(found['sentences'], 'sentences')}; left alone: "
            f"{found['name']} with the capital of a name, {found['word']} protected"
            + "".join(f", {found[name]} {meaning}" for name, meaning in FIXED.items() if found.get(name))
        )
    for flag, number in section["flags"].items():
        yield f"  {flag} {number}: {FLAGS[flag]}"
    for warning in _warnings(section):
        yield f"warning: {warning}"
    if notes := section.get("notes"):
        yield f"  while reading: {listed([f'{note} {number}' for note, number in notes.items()], NOTES, '; ')}"


def section_panels(snapshot: Snapshot) -> list[Panel]:
    """Return the panels of the section."""
    section = snapshot.section(SECTION)
    schema = pa.schema(
        [
            column("layout", pa.string(), "how the input is laid out"),
            column("records", pa.int64(), "records that gave an instance"),
        ]
    )
    rows = [{"layout": name, "records": number} for name, number in section["layouts"].items()]
    text = (
        f"{amount(section['instances'], 'words')} to simplify, each in its sentence; "
        f"{section['with_substitutes']} have substitutes by people."
    )
    section_panels: list[Panel] = [
        Rows("Instances of lexical simplification", text, pa.Table.from_pylist(rows, schema)),
        _count_panel("Flags of words to simplify", "What is odd about them; all are kept.", section["flags"], FLAGS),
        _count_panel(
            "Records without an instance",
            "Why records gave none, and judgments of none.",
            section["rejects"],
            INSTANCE_REASONS,
        ),
    ]
    if judged := section.get("judgments"):
        text = f"What {judged['annotators']} annotators say of the words, taken together."
        section_panels.append(_count_panel("Judgments", text, judged["instances"], JUDGMENTS))
    if warnings := _warnings(section):
        text = "What later stages lack."
        section_panels.append(Note("Annotation of words to simplify", text, tuple(warnings), True))
    return section_panels


def _count_panel(title: str, text: str, counts: Mapping[str, int], what: Mapping[str, str]) -> Panel:
    rows = pa.table(
        {
            "name": pa.array(list(counts), pa.string()),
            "number": pa.array(list(counts.values()), pa.int64()),
            "what it says": pa.array([what[name] for name in counts], pa.string()),
        }
    )
    return Rows(title, text, rows)
