"""Words in their sentences and whole texts for a person: what was found, what was changed and why; views, panels.

lexbeam show alexsis --instances 20
lexbeam show alexsis --instances 5 --of folclórico,labrarse --flag several

lexbeam show easy --document report.txt
lexbeam show easy --document report.txt --lost
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import column
from lexbeam.schemas.simplification import (
    CHANGES,
    DOCUMENTS,
    FLAGS,
    INSTANCE_REASONS,
    INSTANCES,
    JUDGMENTS,
    KEPT,
    SUBSTITUTES,
)
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.publish.views import View
from lexbeam.transforms.common.shown import Block, Kwic, Use, amount, counts_tail, listed, units
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.common.texts.apostrophes import straight
from lexbeam.transforms.report.panels import Note, Panel, Rows
from lexbeam.transforms.simplification.instances.content_words import FIXED
from lexbeam.transforms.simplification.records import Row
from lexbeam.transforms.simplification.shown.candidate_views import stage_rows

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
    return Use(text[:start], text[start:end], text[end:], _gold_text(row) or _why_flagged(row))


def _why_flagged(row: Row) -> str:
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


_QUOTED = 20  # sentences in the report, and in the difference of a run
_OFFERED = 5  # candidates of a word that nothing replaces
_AT_ONCE = 1024  # rows that are values of Python
_NO_SIMPLER = "not enough simpler than the word"
_STAGES = ("instances", "candidates", "selections", "rankings", "simplifications")


@dataclass(frozen=True, kw_only=True)
class DocumentOptions:
    """Options of the view `document`."""

    document: str = option(help="a text with its changed words marked, by its name", metavar="ID")
    lost: bool = option(False, help="also the candidates that lost, and why")


def _about(row: Row) -> str:
    """Return why a word was changed: `zipf 3.61; 1 of 9 by score 4, its own 2`."""
    value = "" if row["chosen_value"] is None else f" {row['chosen_value']:.3g}"
    parts = [f"{row['chosen_by']}{value}"]
    if row["place"] is not None:
        own = "" if row["target_score"] is None else f", its own {row['target_score']:.3g}"
        parts.append(f"{row['place']} of {row['candidates']} by score {row['score']:.3g}{own}")
    return "; ".join(parts)


def marked_text(text: str, rows: Sequence[Row], start: int = 0, end: int | None = None) -> str:
    """Return a stretch of a text as it is now, each change marked: `una [[morada → casa]] antigua`.

    Args:
        text: as it is now.
        rows: of table simplification/changes, by place.
        start, end: of the stretch.
    """
    pieces, at = [], start
    for row in rows:
        if row["changed"] and start <= row["start_out"] and (end is None or row["end_out"] <= end):
            pieces += [text[at : row["start_out"]], f"[[{row['target']} → {row['chosen'] or '∅'}]]"]
            at = row["end_out"]
    return "".join([*pieces, text[at:end]])


def _sentences(rows: Iterable[Row], kept: Counter[str]) -> Iterator[list[Row]]:
    """Yield the rows of each sentence in which something is changed; count why the other words stay."""
    for _, of_sentence in groupby(rows, key=itemgetter("sentence_start")):
        held = list(of_sentence)
        kept.update(row["reason"] for row in held if row["kind"] == "word")
        if any(row["changed"] for row in held):
            yield held


def _lines(text: str, rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a changed sentence: the sentence, then each word with its reasons."""
    first = rows[0]
    line = " ".join(marked_text(text, rows, first["sentence_start"], first["sentence_end"]).split())
    yield f"  {first['sentence'] + 1}  {line}"
    for row in rows:
        if row["kind"] == "word" and row["changed"]:
            yield f"       {row['target']} → {row['chosen']}: {_about(row)}"


def _is_list(snapshot: Snapshot) -> bool:
    """Return whether the setting changes nothing, so that candidates are for a person to choose from."""
    return any(setting["keep_target"] == "always" for setting in snapshot.section("simplify.text")["settings"])


def _offers(snapshot: Snapshot, words: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each word with what might replace it, the best first."""
    lost = _lost(snapshot, [row["instance_id"] for row in words])
    for row in words:
        forms = [one["form"] for one in lost.get(row["instance_id"], []) if one["ranked"] is not None]
        yield f"  {row['target']}: {', '.join(forms[:_OFFERED])}"


def _head(document: Row, kept: Mapping[str, int]) -> str:
    tail = counts_tail({name: kept[name] for name in KEPT})
    complex_words, content_words = (units(document[name], "words") for name in ("chosen", "words"))
    return (
        f"{document['document']}: {document['changed']} of {document['chosen']} complex {complex_words} changed, in "
        f"{document['words']} content {content_words} and {amount(document['sentences'], 'sentences')}"
        + (f"; kept{tail[1:]}" if tail else "")
    )


def difference(snapshot: Snapshot, most: int = _QUOTED) -> Iterator[Block]:
    """Yield what was changed, text by text and sentence by sentence, up to so many sentences and as many texts.

    Of a setting that changes nothing these are words, each with what might replace it.
    """
    left = texts = 0
    lists = _is_list(snapshot)
    for number, (document, rows) in enumerate(_documents(snapshot), 1):
        told = number <= _QUOTED and most > 0
        texts += not told
        kept: Counter[str] = Counter()
        quoted: list[list[Row]] = []
        offered: list[Row] = []
        if told and lists:
            rows = list(rows)
            offered = [row for row in rows if row["reason"] == "keep_target"][:most]
        for of_sentence in _sentences(rows, kept):
            if told and len(quoted) < most:
                quoted.append(of_sentence)
            else:
                left += 1
        if told:
            yield _head(document, kept)
            for of_sentence in quoted:
                yield from _lines(document["text"], of_sentence)
            yield from _offers(snapshot, offered)
            most -= len(quoted) + len(offered)
    if left or texts:
        more = [f"{left} more changed {units(left, 'sentences')}"] if left else []
        more += [f"{texts} more {units(texts, 'texts')}"] if texts else []
        yield f"{' and '.join(more)}: `lexbeam show {files.shown(snapshot.out)}` has each text by its `document`"


def _documents(snapshot: Snapshot) -> Iterator[tuple[Row, Iterable[Row]]]:
    """Yield texts with their changes, a part after the other; changes must be taken before the next text is."""
    parts = zip(snapshot.parts(DOCUMENTS.name), snapshot.parts(CHANGES.name), strict=True)
    names = [name for name in DOCUMENTS.schema().names if name != "content"]
    for documents, changes in parts:
        rows = (
            row
            for table in read_rows([changes.path])
            for start in range(0, table.num_rows, _AT_ONCE)
            for row in table.slice(start, _AT_ONCE).to_pylist()
        )
        by_document = groupby(rows, key=itemgetter("document"))
        waiting = next(by_document, None)
        for table in read_rows([documents.path], names):
            for document in table.to_pylist():
                if waiting is None or waiting[0] != document["document"]:
                    yield document, ()
                    continue
                yield document, waiting[1]
                waiting = next(by_document, None)


def changes_of(snapshot: Snapshot, options: DocumentOptions) -> pa.Table:
    """Return what was found and changed in a text, see table simplification/changes.

    Raises:
        UsageError: there is no such text.
    """
    _document(snapshot, options.document)
    tables = [
        table.filter(pc.equal(table["document"], options.document)) for table in read_rows(snapshot.paths(CHANGES.name))
    ]
    return pa.concat_tables(tables) if tables else CHANGES.schema().empty_table()


def _document(snapshot: Snapshot, name: str) -> Row:
    known: list[str] = []
    for table in read_rows(snapshot.paths(DOCUMENTS.name), [n for n in DOCUMENTS.schema().names if n != "content"]):
        known += table["document"].to_pylist()
        for row in table.filter(pc.equal(table["document"], name)).to_pylist():
            return dict(row)
    hint = nearest(name, known) or f"; there are {', '.join(known[:5]) or 'none'}"
    raise UsageError(f"`document`: no text is called {name!r}{hint}")


def _document_blocks(snapshot: Snapshot, options: DocumentOptions) -> Iterator[Block]:
    document = _document(snapshot, options.document)
    rows = changes_of(snapshot, options).to_pylist()
    yield _head(document, Counter(row["reason"] for row in rows if row["kind"] == "word"))
    yield ""
    yield from marked_text(document["text"], rows).split("\n")
    yield ""
    words = [row for row in rows if row["kind"] == "word"]
    if _is_list(snapshot):
        yield from _offers(snapshot, words)
        return
    lost = _lost(snapshot, [row["instance_id"] for row in words]) if options.lost else {}
    for row in words:
        stays = row["reason"] and (f"{KEPT[row['reason']]}" + (f": {row['detail']}" if row["detail"] else ""))
        yield f"  {row['target']} → {row['chosen']}: {_about(row)}" if row["changed"] else f"  {row['target']}: {stays}"
        for candidate in lost.get(row["instance_id"], []):
            if not (candidate["chosen"] and row["changed"]):
                yield f"      {candidate['form']}: {_why(candidate, row)}"


def _why(candidate: Row, word: Row) -> str:
    """Return why a candidate lost: what was chosen alone may be refused among all other words."""
    reason = word["reason"] if candidate["chosen"] else candidate.get("reason")
    return _NO_SIMPLER if reason == "keep_target" else reason or f"rank {candidate['ranked']}"


def _lost(snapshot: Snapshot, ids: Sequence[str]) -> Mapping[str, list[Row]]:
    tables = {name: snapshot.paths(name) for name in (f"simplification/{stage}" for stage in _STAGES)}
    by_instance: dict[str, list[Row]] = {}
    for row in stage_rows(tables, sorted(set(ids))):
        by_instance.setdefault(row["instance_id"], []).append(row)
    return by_instance


def document_panels(snapshot: Snapshot, _: Sequence[str] = ()) -> list[Panel]:
    """Return the panel with the first changed sentences of texts, changed words marked."""
    rows: list[Row] = []
    for document, changes in _documents(snapshot):
        for held in _sentences(changes, Counter()):
            if len(rows) < _QUOTED:
                line = marked_text(document["text"], held, held[0]["sentence_start"], held[0]["sentence_end"])
                why = [f"{row['target']}: {_about(row)}" for row in held if row["kind"] == "word" and row["changed"]]
                rows.append({"document": document["document"], "sentence": line, "why": " · ".join(why)})
    if not rows:
        return []
    schema = pa.schema(
        [
            column("document", pa.string(), "the text"),
            column("sentence", pa.string(), "the sentence as it is now, what was changed in brackets"),
            column("why", pa.string(), "why each word was found complex, and the place and score of what replaces it"),
        ]
    )
    text = f"The first {len(rows)} sentences in which words were changed."
    return [Rows("Changed words in their texts", text, pa.Table.from_pylist(rows, schema))]


DOCUMENT_VIEWS: Registry[View[Any]] = Registry(
    {
        "document": View(
            DocumentOptions,
            changes_of,
            _document_blocks,
            doc="a simplified text with its changed words marked, and why each was changed",
        )
    },
    what="view",
    group="lexbeam.simplification_document_views",
)
