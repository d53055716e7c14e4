"""Views of published tables, asked by name: what the methods of `lexbeam.views` do."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from lexbeam._given import given
from pipelines.registry import command_of
from pipelines.tables_shown import shown_lines
from transforms.common.errors import UsageError, nearest
from transforms.common.options import from_mapping
from transforms.common.snapshots import Snapshot
from transforms.common.views import View

__all__ = ["ask", "tell"]


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
    assert view.told is not None
    return list(shown_lines(view.told(snapshot, _options(view, values)), width=0))


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
