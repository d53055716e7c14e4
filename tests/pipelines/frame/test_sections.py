"""The rows of tables that say what was wrong, as lines for a person."""

import csv
import itertools

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lexbeam.pipelines.frame.sections import Explained, explain, rows_as_lines
from lexbeam.schemas.common_tables import REJECTS
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store.tables import Part

ROWS = sorted(
    (source, position, "ingest", "empty", detail)
    for source, position, detail in itertools.product(
        ["=1+1", "a\tb.txt", "ä.txt", "z!\U0001f600", '"q', "@x", "-2", "line\nend"],
        ["", "1", "12"],
        ["", "+sum", "a\\b"],
    )
)


def parts(folder, number):
    paths = []
    for place in range(number):
        rows = ROWS[place::number]
        path = folder / f"{number}-{place}.parquet"
        columns = [list(column) for column in zip(*rows, strict=True)]
        pq.write_table(pa.table(columns, REJECTS.schema().names), path)
        paths.append(str(path))
    return paths


def back_of(cell):
    return cell.removeprefix("'").replace("\\t", "\t").replace("\\n", "\n")


def test_rows_are_in_one_order_however_many_parts_there_are(tmp_path):
    made = [list(rows_as_lines(REJECTS, parts(tmp_path, number))) for number in (1, 2, 7)]
    assert made[0] == made[1] == made[2]
    header, *lines = made[0]
    assert header == "source\tposition\tstage\treason\tdetail\n"
    back = [tuple(back_of(cell) for cell in line[:-1].split("\t")) for line in lines]
    assert back == ROWS
    assert [tuple(row) for row in csv.reader(lines, delimiter="\t")] == [tuple(line[:-1].split("\t")) for line in lines]
    for line in lines:
        assert not any(cell.startswith(("=", "+", "-", "@", '"')) for cell in line.split("\t"))


@pytest.mark.parametrize("kind", [LexbeamError, UsageError])
def test_the_error_names_the_file_and_stays_what_it_is(tmp_path, kind):
    (path,) = parts(tmp_path, 1)
    error = kind("too many")
    part = Part("rejects", 0, path, len(ROWS), 0, "")
    out = tmp_path / "out"
    out.mkdir()
    explain(error, str(out), [Explained("corpus.a", REJECTS, (part,))])
    written = out / "_failed" / "corpus.a-rejects.tsv"
    assert str(error) == f"too many\nTable rejects is kept in {written} (rows: {len(ROWS)})"
    assert written.read_text("utf-8").count("\n") == len(ROWS) + 1


def test_an_error_while_it_is_kept_hides_nothing(tmp_path, caplog):
    error = LexbeamError("too many")
    gone = Part("rejects", 0, str(tmp_path / "gone.parquet"), 3, 0, "")
    explain(error, str(tmp_path), [Explained("corpus", REJECTS, (gone,))])
    assert str(error) == "too many"
    assert "cannot be kept" in caplog.text
    none = Part("rejects", 0, "nowhere", 0, 0, "")
    explain(error, str(tmp_path), [Explained("corpus", REJECTS, (none,))])
    assert str(error) == "too many"
