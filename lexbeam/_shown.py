"""What Python returns, readable where it is shown: lines as a text, rows as a table, both as HTML in a notebook."""

import functools
from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa

from lexbeam._groups import keep_silent
from lexbeam._pandas import explain_missing_pandas
from lexbeam.pipelines.frame.blocks import shown_lines
from lexbeam.pipelines.shown.rows import as_html, first_rows
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
