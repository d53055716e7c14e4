"""Views of published tables, asked by name, and as the methods of `lexbeam.views`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from lexbeam._given import given
from pipelines.frame.blocks import shown_lines
from pipelines.frame.registry import COMMANDS, available, command_of, section_of
from transforms.common.errors import UsageError, nearest
from transforms.common.options.fields import from_mapping, options_of
from transforms.common.publish.snapshots import Snapshot
from transforms.common.publish.views import View

__all__ = ["ask", "tell", "view_methods", "views"]


def ask(snapshot: Snapshot, section: str | Sequence[str], name: str, values: Mapping[str, Any]) -> pa.Table:
    """Return the answer of a section's view as a table; of several, the one that is published.

    Raises:
        LexbeamError: the section is not published, or the view finds nothing.
        UsageError: an option is wrong.
    """
    view = _view(snapshot, section, name)
    return view.table(snapshot, _options(view, values))


def tell(snapshot: Snapshot, section: str | Sequence[str], name: str, values: Mapping[str, Any]) -> list[str]:
    """Return the answer of a section's view as lines for a person; raises as `ask`."""
    view = _view(snapshot, section, name)
    assert view.blocks is not None
    return list(shown_lines(view.blocks(snapshot, _options(view, values)), width=0))


def _view(snapshot: Snapshot, several: str | Sequence[str], name: str) -> View[Any]:
    sections = (several,) if isinstance(several, str) else several
    section = next((one for one in sections if one in snapshot.sections), sections[0])
    snapshot.section(section)
    command = command_of(section)
    known = command.views if command is not None else {}
    if name not in known:
        raise UsageError(f"section {section} has no view {name!r}{nearest(name, known)}")
    return known[name]


def _options(view: View[Any], values: Mapping[str, Any]) -> Any:
    return from_mapping(view.options, given(view.options, values))


def views() -> dict[str, tuple[tuple[str, ...], View[Any]]]:
    """Return every view by its name, and the sections that have it: Lexbeam's first, the others where they add a name.

    Raises:
        ValueError: two of Lexbeam's commands have different views of one name.
    """
    found: dict[str, tuple[tuple[str, ...], View[Any]]] = {}
    for words, command in available():
        for name, view in command.views.items():
            sections, known = found.get(name, ((), view))
            if known is view:
                found[name] = ((*sections, section_of(words)), view)
            elif words in COMMANDS:
                raise ValueError(f"{words} and {sections[0]} have different views {name!r}")
    return found


def view_methods() -> dict[str, Callable[..., Any]]:
    """Return the methods of `Views` by name: `top` for the rows of a view, `tell_top` for its lines."""
    from lexbeam._signatures import as_function

    made = {}
    for view_name, (sections, view) in views().items():
        entries = list(options_of(view.options).values())
        answers: list[tuple[str, Callable[..., Any], tuple[Any, str]]] = [("", ask, (pa.Table, "The answer as rows."))]
        if view.blocks is not None:
            answers.append(("tell_", tell, (list[str], "The answer as lines for a person.")))
        for prefix, answer, returns in answers:
            name = prefix + view_name.replace("-", "_")

            def run(
                values: dict[str, Any], answer: Any = answer, view_name: str = view_name, sections: Any = sections
            ) -> Any:
                return answer(values.pop("self").snapshot, sections, view_name, values)

            made[name] = as_function(("lexbeam.views", f"Views.{name}"), entries, view.help, returns, run, method=True)
    return made
