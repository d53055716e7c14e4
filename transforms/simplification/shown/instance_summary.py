"""What is told of instances from the manifest: the summary of a run, panels of the report."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from schemas.columns import column
from schemas.simplification.instances import FLAGS, INSTANCE_REASONS, JUDGMENTS
from transforms.common.publish.snapshots import Snapshot
from transforms.common.shown import Block, listed
from transforms.common.store import files
from transforms.report.panels import Note, Panel, Rows

__all__ = ["SECTION", "panels", "summary"]

SECTION = "simplify.instances"
NOTES = 10  # that the summary tells


def _warnings(section: Mapping[str, Any]) -> list[str]:
    """Return what later stages cannot do for lack of annotation."""
    known, all_of = section["annotated"], section["instances"]
    if not all_of:
        return []
    found = []
    if not known["lemma"]:
        found.append(
            "no lemmas: thesauri are asked for the words as they stand and for what a form "
            "dictionary makes of them, and inflections of the target are known by that alone; "
            "give an `engine`"
        )
    if not known["upos"]:
        found.append(
            "no parts of speech: candidates cannot be compared with the target's, and forms are "
            "looked up in any; give an `engine`"
        )
    if known["upos"] and not known["feats"]:
        found.append(
            "no features: what number, gender, person or tense the target has, a form dictionary says, or its suffixes"
        )
    return found


def summary(snapshot: Snapshot) -> Iterator[Block]:
    """Yield what was made, what was left out, what is odd, and what later stages will lack."""
    section = snapshot.section(SECTION)
    layouts = sorted({name for one in section["inputs"] for name in one["layouts"]})
    yield (
        f"{section['instances']} instances of {section['records']} records "
        f"({', '.join(layouts) or 'none'}), {section['with_substitutes']} with substitutes, "
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
    for flag, number in section["flags"].items():
        yield f"  {flag} {number}: {FLAGS[flag]}"
    for warning in _warnings(section):
        yield f"warning: {warning}"
    notes = [f"{files.shown(row['name'])}: {note}" for row in section["inputs"] for note in row.get("notes", ())]
    if notes:
        yield f"  {listed(notes, NOTES, '; ')}"


def panels(snapshot: Snapshot) -> list[Panel]:
    """Return the panels of the section."""
    section = snapshot.section(SECTION)
    schema = pa.schema(
        [
            column("file", pa.string(), "the file, or the part of a table"),
            column("layout", pa.string(), "how it is laid out"),
            column("records", pa.int64(), "records that gave an instance"),
            column("instances", pa.int64(), "instances that they gave, repeated ones among them"),
            column("rejected", pa.int64(), "records that gave none, by fault or by rule"),
        ]
    )
    rows = [
        {
            "file": one["name"],
            "layout": ", ".join(one["layouts"]),
            "records": one["records"],
            "instances": one["instances"],
            "rejected": sum(one["rejects"].values()),
        }
        for one in section["inputs"]
    ]
    text = (
        f"{section['instances']} words to simplify, each in its sentence; "
        f"{section['with_substitutes']} have substitutes by people."
    )
    found: list[Panel] = [
        Rows("Instances of lexical simplification", text, pa.Table.from_pylist(rows, schema)),
        _counted("Flags of words to simplify", "What is odd about them; all are kept.", section["flags"], FLAGS),
        _counted(
            "Records without an instance",
            "Why records gave none, and judgments of none.",
            section["rejects"],
            INSTANCE_REASONS,
        ),
    ]
    if judged := section.get("judgments"):
        text = f"What {judged['annotators']} annotators say of the words, taken together."
        found.append(_counted("Judgments", text, judged["instances"], JUDGMENTS))
    if warnings := _warnings(section):
        text = "What later stages lack."
        found.append(Note("Annotation of words to simplify", text, tuple(warnings), True))
    return found


def _counted(title: str, text: str, counts: Mapping[str, int], what: Mapping[str, str]) -> Panel:
    rows = pa.table(
        {
            "name": pa.array(list(counts), pa.string()),
            "number": pa.array(list(counts.values()), pa.int64()),
            "what it says": pa.array([what[name] for name in counts], pa.string()),
        }
    )
    return Rows(title, text, rows)
