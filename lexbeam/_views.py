"""Views of published tables: asked by name, and as the methods of `lexbeam.views`."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lexbeam._given import given_as_files
from lexbeam._shown import ArrowTable, Lines
from lexbeam._signatures import as_function, option_values
from lexbeam.pipelines.frame.registry import COMMANDS, available, command_of, section_of
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import from_mapping, options_of
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.publish.views import View


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
