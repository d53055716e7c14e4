"""Shows what is published: tables, answers of views, a page of all of it; and what resources say of a word."""

import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, make_dataclass
from typing import Any

from lexbeam.pipelines.commands.folder.diff import NAME, last_change_head, last_change_panels, snapshot_before
from lexbeam.pipelines.frame.blocks import shown_lines
from lexbeam.pipelines.frame.command import Action, Command, FolderOptions
from lexbeam.pipelines.frame.registry import COMMANDS, available, load, section_of
from lexbeam.pipelines.shown.overview import describe_table, in_order, overview, overview_facts, page_head, section_head
from lexbeam.pipelines.shown.rows import as_json, names_of, rows_as_grid, rows_as_json, rows_as_tsv, rows_at
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.options.fields import embedded, from_mapping, option, options_of, value_of
from lexbeam.transforms.common.options.option import Option
from lexbeam.transforms.common.publish.layout import is_idle
from lexbeam.transforms.common.publish.removing import failed_files
from lexbeam.transforms.common.publish.snapshots import (
    Snapshot,
    View,
    explaining_damage,
    find_snapshot,
    open_snapshot,
    output_folder,
    published_below,
)
from lexbeam.transforms.common.shown import Block
from lexbeam.transforms.common.store import files
from lexbeam.transforms.formats.records.text_cleaning import clean_field
from lexbeam.transforms.lexicon.resources import HeldResource, LexiconOptions, prepare
from lexbeam.transforms.report.page import write_report

_UNSET = (None, (), False)


@dataclass(frozen=True, kw_only=True)
class _Look:
    """Options of `lexbeam show` beside those of the views."""

    path: str = option(
        help="folder of published tables, one table, or a Parquet file", metavar="PATH", positional=True, path="place"
    )
    section: str | None = option(None, help="which section to ask, where several answer a question", metavar="SECTION")
    tsv: bool = option(False, help="print all rows, tab-separated, and nothing else")
    json: bool = option(False, help="print everything as one JSON document, and nothing else")

    def __post_init__(self) -> None:
        """Refuse two formats at once."""
        if self.tsv and self.json:
            raise UsageError("`tsv` and `json` are two formats: give one of them")

    rows: int = option(5, help="rows to show", least=0)


def _views() -> Iterator[tuple[str, str, View[Any]]]:
    for words, command in available(without=__name__):
        for name, view in command.views.items():
            yield section_of(words), name, view


def _options() -> type:
    """Return the options of `lexbeam show`: its own, and as text those of all views."""
    fields: dict[str, tuple[str, Any, Any]] = {}
    views = list(_views())
    for section, view, entry in views:
        for name, entry_option in options_of(entry.options).items():
            takers = dict.fromkeys(v for _, v, e in views if name in options_of(e.options))
            kind: Any = tuple[str, ...] if entry_option.several else str | None
            if entry_option.type is bool:
                kind = bool
            named = ", ".join(f"`{taker}`" for taker in takers)
            field = option(
                _absent(entry_option),
                choices=entry_option.choices,
                metavar=entry_option.metavar,
                help=entry.doc if name == view else f"with {named}: {entry_option.help}",
                path=entry_option.path,
                group=f"questions to {section}",
            )
            fields.setdefault(name, (name, kind, field))
    return make_dataclass("ShowOptions", list(fields.values()), bases=(_Look,), frozen=True, kw_only=True)


def _absent(entry_option: Option) -> Any:
    if entry_option.type is bool:
        return False
    return () if entry_option.several else None


def _give(action: Action, line: str) -> None:
    """Hand over a line that is data: a word in backquotes may be a word of a corpus."""
    (action.data or action.tell)(line)


def _blocks(options: Any) -> Iterator[Block]:
    path = options.path.rstrip("/")
    shown = files.shown(path)
    snapshot = find_snapshot(path)
    if snapshot is not None:
        if options.tsv:
            known = ", ".join(sorted(snapshot.tables))
            raise UsageError(f"`tsv` takes one table: give {shown}/TABLE, one of {known}")
        if options.json:
            yield as_json(overview_facts(snapshot))
            return
        yield from overview(shown, snapshot)
        for table in in_order(snapshot):
            yield from describe_table(table, snapshot.paths(table), options.rows, columns=False)
        table = files.typed(files.join(path, "TABLE"))
        yield f"columns of a table: lexbeam show {table}; its rows: --tsv; in full: --json"
    elif (published := _table_at(path)) is not None:
        of, name = published
        yield from _table(name, of.paths(name), options)
    else:
        yield from _table(os.path.basename(path), _parquet_at(path), options)


def _table(name: str, paths: Sequence[str], options: Any) -> Iterator[Block]:
    if options.tsv:
        yield from rows_as_tsv(names_of(paths), rows_at(paths))
    elif options.json:
        yield from rows_as_json(rows_at(paths))
    else:
        yield from describe_table(name, paths, options.rows)


def _parquet_at(path: str) -> list[str]:
    if files.size(path) is not None:
        return [_parquet(path)]
    inside = files.list_folder(path)
    if failed := failed_files(path):
        raise LexbeamError(f"nothing is published at {path!r}: a run failed there{_says(failed)}")
    if below := published_below(path):
        raise LexbeamError(f"{path!r} holds no tables itself{below}")
    if any(inside):
        paths = [entry.path for entry in files.list_files(path) if entry.name.endswith(".parquet")]
        if paths:
            return paths
    if any(inside) or os.path.isdir(path):
        raise LexbeamError(
            f"{path!r} holds no published tables and no Parquet files: name the folder that a command published to"
        )
    raise LexbeamError(f"nothing is at {path!r}{_tables_near(path)}")


def _parquet(path: str) -> str:
    with files.open_read(path) as stream:
        if stream.read(4) != b"PAR1":
            raise LexbeamError(f"{path!r} is no Parquet file: name a folder of published tables, or one table in it")
    return path


def _tables_near(path: str) -> str:
    """Return what to do about a path at which nothing is: a table's name may be mistyped."""
    folder, _, name = path.rpartition("/")
    for _ in range(2):  # as `_table_at`
        snapshot = find_snapshot(folder or ".")
        if snapshot is not None:
            return f": {files.shown(folder)} has the tables {', '.join(sorted(snapshot.tables))}" + nearest(
                name, snapshot.tables
            )
        failed = failed_files(folder or ".")
        if failed:
            return f": a run failed there{_says(failed)}"
        folder, _, task = folder.rpartition("/")
        name = f"{task}/{name}"
    return ": check the path"


def _says(failed: Sequence[str]) -> str:
    return f", and says in {', '.join(map(files.shown, failed))} what was wrong"


def _answer(options: Any, asked: Mapping[str, Any], action: Action) -> None:
    views = [(section, name, view) for section, name, view in _views() if name in asked]
    if not views:
        first = next(iter(asked))
        askers = dict.fromkeys(n for _, n, view in _views() if first in options_of(view.options))
        named = " or ".join(f"`{name}`" for name in askers)
        raise UsageError(f"`{first}` goes with {named}: add that")
    asked_names = list(dict.fromkeys(name for _, name, _ in views))
    if len(asked_names) > 1:
        named = " and ".join(f"`{name}`" for name in asked_names)
        raise UsageError(f"{named} are questions of their own: ask one at a time")
    snapshot = open_snapshot(options.path)
    section, name, view = _view_of(snapshot, options.section, views)
    for other in asked:
        if other not in options_of(view.options):
            raise UsageError(f"`{other}` does not go with `{name}`: leave one of them out")
    values = snapshot.section(section)
    view_options = from_mapping(view.options, asked, "--")
    if is_idle(values):
        action.tell(f"nothing to show: section {section} is empty: {values['empty']}")
        return
    if view.blocks is None or options.tsv or options.json:
        for line in shown_lines(_answered(view, snapshot, view_options, options)):
            _give(action, line)
        return
    is_empty = True
    for block in view.blocks(snapshot, view_options):
        for line in shown_lines([block]):
            is_empty = False
            # What is told names options, as a view knows them; what is shown is data.
            (action.tell if isinstance(block, str) else action.data or action.tell)(line)
    if is_empty:
        action.tell(f"nothing to show: `{name}` finds no rows in section {section} of {files.shown(snapshot.out)}")


def _answered(view: View[Any], snapshot: Snapshot, view_options: Any, options: Any) -> Iterable[Block]:
    if options.json and view.plain is not None:
        return [as_json(view.plain(snapshot, view_options))]
    rows = view.table(snapshot, view_options)
    if options.json:
        return rows_as_json(rows.to_pylist())
    if options.tsv:
        return rows_as_tsv(rows.schema.names, rows.to_pylist())
    return [rows_as_grid(rows)]


def _view_of(
    snapshot: Snapshot, only: str | None, views: Sequence[tuple[str, str, View[Any]]]
) -> tuple[str, str, View[Any]]:
    """Return the view that is asked: of the section named, else of the one that is published."""
    if only is not None:
        named = [view for view in views if view[0] == only]
        if not named:
            known = [section for section, *_ in views]
            hint = nearest(only, known) or f"; it is one of {', '.join(known)}"
            raise UsageError(f"section {only!r} does not answer `{views[0][1]}`{hint}")
        return named[0]
    there = [view for view in views if view[0] in snapshot.sections]
    if any(view[2] is not there[0][2] for view in there):  # one view of several sections reads what there is of them
        sections = ", ".join(section for section, *_ in there)
        raise UsageError(f"`{there[0][1]}` is answered by {sections}: name one by `section`")
    return (there or views)[0]


def _table_at(path: str) -> tuple[Snapshot, str] | None:
    """Return the snapshot and the table that a path such as `results/scores` names."""
    folder, _, name = path.rpartition("/")
    for _ in range(2):  # DIR/<table>, or DIR/<task>/<table>
        snapshot = find_snapshot(folder or ".")
        if snapshot is not None and name in snapshot.tables:
            return snapshot, name
        folder, _, task = folder.rpartition("/")
        name = f"{task}/{name}"
    return None


class Show(Command[Any, None]):
    """`lexbeam show`."""

    options = _options()
    examples = """\
  lexbeam show results
  lexbeam show results/scores --tsv
  lexbeam show results --top 50 --alignment cca --pair 1810-1860:1960-2010
  lexbeam show results --word plane,train --slice 1960-2010
  lexbeam show results --words words.txt --json
  lexbeam show lcp --worst 20 --scorer svr"""

    def action(self, options: Any, action: Action) -> None:
        asked = {
            name: value
            for name in options_of(type(options))
            if name not in options_of(_Look) and (value := value_of(options, name)) not in _UNSET
        }
        if asked:
            _answer(options, asked, action)
            return
        for line in shown_lines(_blocks(options)):
            _give(action, line)


log = logging.getLogger("lexbeam")


@dataclass(frozen=True, kw_only=True)
class ReportOptions(FolderOptions):
    """Options of `lexbeam report`."""

    out: str | None = option(
        None, help="file to write; DIR/report.html if not given", metavar="FILE.html", path="place"
    )
    no_text: bool = option(False, help="quote nothing, for a corpus whose text may not be passed on")
    corpus: tuple[str, ...] = option(
        (), help="corpus folders to quote, if not those that the tables were made from", metavar="DIR", path="place"
    )


class Report(Command[ReportOptions, None]):
    """`lexbeam report`."""

    options = ReportOptions
    examples = "  lexbeam report results\n  lexbeam report results --out report.html --no-text"

    def action(self, options: ReportOptions, action: Action) -> None:
        snapshot = open_snapshot(options.path)
        if options.no_text and options.corpus:
            raise UsageError("`corpus` names what is quoted, and `no_text` quotes nothing: leave out one")
        panels, heads = {}, {}
        with explaining_damage(snapshot):
            for words in COMMANDS:  # which stand in the order of the data's flow
                if (section := section_of(words)) in snapshot.sections:
                    command = load(words)
                    heads[section] = section_head(snapshot, section)
                    idle = is_idle(snapshot.section(section))
                    panels[section] = [] if idle else [*command.report(snapshot)]
                    if not (options.no_text or idle):
                        panels[section] += command.quotes(snapshot, options.corpus)
        try:
            before = snapshot_before(snapshot)
            if before is not None:
                with explaining_damage(before, snapshot):
                    panels[NAME] = [*last_change_panels(before, snapshot)]
                heads[NAME] = last_change_head(before, snapshot)
        except LexbeamError as error:  # a history or a snapshot that is damaged; the report is of this one
            log.warning("what the last publication changed is left out: %s", error)
        out = options.out or files.join(output_folder(options.path), "report.html")
        write_report(out, page_head(snapshot), panels, heads)
        action.tell(f"report: {files.shown(out)}")


@dataclass(frozen=True, kw_only=True)
class LookOptions:
    """Options of `lexbeam lexicon look`."""

    word: str = option(help="the word", metavar="WORD", positional=True)
    pos: str | None = option(None, help="part of speech, as the resources have it")
    lexicon: LexiconOptions = embedded(LexiconOptions)


def _entry_lines(held: HeldResource, word: str, pos: str | None) -> Iterator[str]:
    of = f", {held.language}" if held.language else ""
    yield f"{held.name} ({held.kind}{of})"
    lines = list(held.open().look(word, pos))
    width = max((len(label) for label, _ in lines), default=0)
    yield from (f"  {label:{width}}  {value}" for label, value in lines)
    if not lines:
        yield f"  {word!r} is not there" + (f" as {pos}" if pos else "")


class LexiconLook(Command[LookOptions, None]):
    """`lexbeam lexicon look`."""

    options = LookOptions
    examples = """\
  lexbeam lexicon look bank --resources wordnet=wordnet
  lexbeam lexicon look bank --pos n --resources 'age=aoa.csv:word=Word,value=Rating.Mean'"""

    def action(self, options: LookOptions, action: Action) -> None:
        """Tell what each resource says, in the order in which they are named.

        Raises:
            UsageError: none is named, or one is named wrongly.
            LexbeamError: a resource cannot be read.
        """
        if not options.lexicon.resources:
            raise UsageError("`resources` must be given: NAME=FILE:word=COLUMN,value=COLUMN, or NAME=wordnet, say")
        word = clean_field(options.word)  # as words of texts and of lists are
        for held in prepare(options.lexicon).held:
            for line in _entry_lines(held, word, options.pos):
                action.tell(line)
