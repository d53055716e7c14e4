import pyarrow as pa
import pytest

from lexbeam.transforms.report.panels import SectionTable, TableColumn, counts_panel

TABLE = SectionTable(
    "Readers",
    "How good they are.",
    (
        TableColumn("kind", "what is asked", pa.string()),
        TableColumn("n", "questions", head="questions"),
        TableColumn("mrr", "mean reciprocal rank", pa.float64(), "MRR"),
    ),
)
ROWS = [{"kind": "a", "n": 2, "mrr": 0.25, "other": 1}, {"kind": "", "n": 0, "mrr": None, "other": 2}]


def test_what_is_told_and_the_report_have_the_same_cells():
    grid, panel = TABLE.grid(ROWS), TABLE.panel(ROWS)
    assert grid.heads == ("kind", "questions", "MRR")
    assert grid.rows == (("a", "2", "0.250"), ("-", "0", "-"))
    assert (grid.right, grid.indent) == ({1, 2}, 2)
    assert (panel.title, panel.text) == (TABLE.title, TABLE.text)
    assert panel.rows.to_pylist() == [{name: row[name] for name in ("kind", "n", "mrr")} for row in ROWS]
    assert panel.rows.schema.field("mrr").metadata == {b"doc": b"mean reciprocal rank"}


def test_columns_can_be_left_out():
    grid = TABLE.grid(ROWS, without=("kind",))
    assert (grid.heads, grid.right) == (("questions", "MRR"), {0, 1})
    assert TABLE.panel(ROWS, without=("kind",)).rows.column_names == ["n", "mrr"]


@pytest.mark.parametrize("rows", [[], ROWS])
def test_the_types_of_columns_do_not_depend_on_the_rows(rows):
    assert TABLE.panel(rows).rows.schema.types == [pa.string(), pa.int64(), pa.float64()]


def test_counts_are_shown_with_what_their_names_mean():
    panel = counts_panel("Flags", "All rows are kept.", {"odd": 2}, {"odd": "it is odd"}, name="flag", of="pairs")
    assert panel.rows.to_pylist() == [{"flag": "odd", "pairs": 2, "what it says": "it is odd"}]
    assert counts_panel("Flags", "", {}, name="flag", of="pairs").rows.schema.types == [pa.string(), pa.int64()]
