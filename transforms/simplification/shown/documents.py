"""Whole texts for a person: what was changed in them and why, as lines, a view and a panel.

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
from lexbeam.schemas.simplification import CHANGES, DOCUMENTS, KEPT
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.publish.views import View
from lexbeam.transforms.common.shown import Block, amount, counts_tail, units
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.report.panels import Panel, Rows
from lexbeam.transforms.simplification.records import Row
from lexbeam.transforms.simplification.shown.views import stage_rows

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
