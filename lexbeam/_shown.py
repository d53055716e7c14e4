"""What Python returns, readable where it is shown: lines as a text, rows as a table, both as HTML in a notebook.

Views of published tables: asked by name, and as the methods of `lexbeam.views`.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from lexbeam._given import given_as_files
from lexbeam._groups import keep_silent
from lexbeam._pandas import explain_missing_pandas
from lexbeam._signatures import as_function, option_values
from lexbeam.pipelines.frame.blocks import shown_lines
from lexbeam.pipelines.frame.registry import COMMANDS, available, command_of, section_of
from lexbeam.pipelines.shown.rows import as_html, first_rows
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import from_mapping, options_of
from lexbeam.transforms.common.publish.snapshots import Snapshot, View
from lexbeam.transforms.common.shown import Block, amount

SHOWN = 20  # rows of a table

explain_missing_pandas()
keep_silent()


class Lines(list[str]):
    """The lines that a command tells or a view answers: a list that shows as a text, and as HTML in a notebook.

    Attributes:
        warnings: what the command warned of meanwhile.
    """

    def __init__(self, blocks: Iterable[Block] = (), warnings: Iterable[str] = ()) -> None:
        self._blocks = tuple(blocks)
        self.warnings = tuple(warnings)
        super().__init__(shown_lines(self._blocks, width=0))

    def summary(self) -> "Lines":
        """Return the warnings and the lines."""
        return Lines((*(f"warning: {warning}" for warning in self.warnings), *self._blocks))

    def __repr__(self) -> str:
        return "\n".join([*(f"warning: {warning}" for warning in self.warnings), *self]).strip("\n")

    def _repr_html_(self) -> str:
        return as_html(self.summary()._blocks)


class ArrowTable:
    """Rows of a table or of a view: an Arrow table that can be read where it is shown.

    It has whatever `pyarrow.Table` has, such as `to_pandas()`. Libraries that read Arrow take it as it is; a
    function of pyarrow that insists on its own class takes `arrow`.

    Attributes:
        arrow: the rows as pyarrow has them.
    """

    def __init__(self, arrow: pa.Table, blocks: Callable[[], Iterable[Block]] | None = None) -> None:
        """Take rows.

        Args:
            arrow: the rows.
            blocks: what a person reads of them; None: the first rows.
        """
        self.arrow = arrow
        self._shown = blocks

    def __getattr__(self, name: str) -> Any:
        if name in ("arrow", "_shown"):  # of one that is being copied
            raise AttributeError(name)
        found = getattr(self.arrow, name)
        if not callable(found):
            return found

        @functools.wraps(found)
        def call(*arguments: Any, **named: Any) -> Any:
            values = {key: _arrow_of(value) for key, value in named.items()}
            made = found(*map(_arrow_of, arguments), **values)
            return ArrowTable(made) if isinstance(made, pa.Table) else made

        return call

    def __getitem__(self, key: str | int) -> pa.ChunkedArray:
        return self.arrow[key]

    def __len__(self) -> int:
        return len(self.arrow)

    def __eq__(self, other: object) -> bool:
        return bool(self.arrow == _arrow_of(other))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return ArrowTable, (self.arrow,)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.arrow)})

    def __repr__(self) -> str:
        return "\n".join(shown_lines(self._blocks(), width=0)).strip("\n")

    def _repr_html_(self) -> str:
        return as_html(self._blocks())

    def _blocks(self) -> Iterable[Block]:
        if self._shown is not None:
            yield from self._shown()
            yield f"{amount(len(self), 'rows')}; columns: {', '.join(self.arrow.column_names)}"
            return
        if rows := self.arrow.slice(0, SHOWN).to_pylist():
            yield first_rows(rows, 0, empty=True)
        first = f"the first {SHOWN} of " if len(self) > SHOWN else ""
        yield f"{first}{amount(len(self), 'rows')}, {amount(self.arrow.num_columns, 'columns')}"


def _arrow_of(value: object) -> object:
    return value.arrow if isinstance(value, ArrowTable) else value


class KnownView(NamedTuple):
    """A view with the sections that have it, and whether Lexbeam brings it, or another package does."""

    view: View[Any]
    sections: tuple[str, ...]
    is_ours: bool


def answer_table(snapshot: Snapshot, sections: Sequence[str], name: str, values: Mapping[str, object]) -> ArrowTable:
    """Return the answer of a view as a table; of several sections the first published one is asked.

    What it shows where it is displayed is what `lexbeam show` prints.

    Raises:
        LexbeamError: no section is published, it is empty, or the view finds nothing.
        UsageError: the section has no such view, or an option is wrong.
    """
    view = _view(snapshot, sections, name)
    with given_as_files(view.options, values) as given:
        options = _options(view, given)
        blocks = None if view.blocks is None else functools.partial(view.blocks, snapshot, options)
        return ArrowTable(view.table(snapshot, options), blocks)


def answer_lines(snapshot: Snapshot, sections: Sequence[str], name: str, values: Mapping[str, object]) -> Lines:
    """Return the answer of a view as lines for a person; raises as `answer_table`."""
    view = _view(snapshot, sections, name)
    assert view.blocks is not None
    with given_as_files(view.options, values) as given:
        return Lines(view.blocks(snapshot, _options(view, given)))


def _view(snapshot: Snapshot, sections: Sequence[str], name: str) -> View[Any]:
    section = next((section for section in sections if section in snapshot.sections), sections[0])
    snapshot.filled(section)
    command = command_of(section)
    known = command.views if command is not None else {}
    if name not in known:
        raise UsageError(f"section {section} has no view {name!r}{nearest(name, known)}")
    return known[name]


def _options(view: View[Any], values: Mapping[str, object]) -> object:
    return from_mapping(view.options, option_values(view.options, values))


def views() -> dict[str, KnownView]:
    """Return every view by its name: Lexbeam's first, then those of other packages that add a name.

    Raises:
        ValueError: two of Lexbeam's commands have different views of one name.
    """
    known: dict[str, KnownView] = {}
    for section, name, view, is_ours in sorted(_all_views(), key=lambda row: not row[3]):
        before = known.get(name, KnownView(view, (), is_ours))
        if before.view is view:
            known[name] = before._replace(sections=(*before.sections, section))
        elif is_ours:
            raise ValueError(f"{section} and {before.sections[0]} have different views {name!r}")
    return known


def _all_views() -> Iterator[tuple[str, str, View[Any], bool]]:
    """Yield the section, the name and the view, and whether it is Lexbeam's own, in the order of the commands."""
    for words, command in available():
        ours = command.views.ours() if words in COMMANDS.ours() else {}
        for name, view in command.views.items():
            yield section_of(words), name, view, name in ours


def view_methods() -> dict[str, Callable[..., Any]]:
    """Return the methods of `Views` by name: `top` for the rows of a view, `tell_top` for its lines."""
    methods = {}
    for view_name, known in views().items():
        entries = list(options_of(known.view.options).values())
        answers: list[tuple[str, Callable[..., object], tuple[object, str]]] = [
            ("", answer_table, (ArrowTable, "The answer as rows."))
        ]
        if known.view.blocks is not None:
            answers.append(("tell_", answer_lines, (Lines, "The answer as lines for a person.")))
        for prefix, answer, returns in answers:
            name = prefix + view_name.replace("-", "_")
            run = _as_method(answer, known.sections, view_name)
            place = ("lexbeam.views", f"Views.{name}")
            methods[name] = as_function(place, entries, known.view.doc, returns, run, method=True)
    return methods


def _as_method(
    answer: Callable[..., object], sections: Sequence[str], view_name: str
) -> Callable[[dict[str, Any]], object]:
    return lambda values: answer(values.pop("self").snapshot, sections, view_name, values)
