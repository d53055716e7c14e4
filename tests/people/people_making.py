"""Sheets like those of the tasks, rows for them, and people who fill them in."""

import csv
import io
from collections import Counter

import pyarrow as pa

from lexbeam.transforms.people.answered_sheets import read_answers
from lexbeam.transforms.people.answers import Answer
from lexbeam.transforms.people.sheets import Sheet, SheetColumn, sheet_text

COMPLEXITY = Sheet(
    name="complexity",
    version="1",
    instructions=("How hard is the marked word to understand?",),
    columns=(
        SheetColumn("sentence", "the sentence", mark=("start", "end")),
        SheetColumn("hint", "where it is from", checked=False),
    ),
    answers=(
        Answer(
            name="rating",
            help="how hard",
            kind="scale",
            values=(("1", "very easy"), ("2", "easy"), ("3", "neutral"), ("4", "difficult"), ("5", "very difficult")),
        ),
        Answer(name="comment", help="anything to add", kind="text", optional=True),
    ),
)
SENTENCES = [
    ('"Hard" words, he said.', 1, 5),
    ("=SUM is no [word]", 1, 4),
    ("Zwei Sätze.\nUnd hier\tein Tab ", 5, 10),
    ("3/4", 0, 1),
]


ALL = {"r0": 1, "r1": 2, "r2": 3, "r3": 4}  # what people answer


def rows_of(sentences=SENTENCES):
    return pa.table(
        {
            "id": [f"r{number}" for number in range(len(sentences))],
            "sentence": [text for text, _, _ in sentences],
            "start": [start for _, start, _ in sentences],
            "end": [end for _, _, end in sentences],
            "hint": ["book"] * len(sentences),
        }
    )


ROWS = rows_of()


def cells_of(text):
    """Read a file as a spreadsheet does: rows of cells, the header comments among them."""
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), "excel-tab"))


def filled(sheet, rows, answers, **options):
    """Return the cells of a sheet with answers, `{id: {column: cell}}`, filled in."""
    table = cells_of(sheet_text(sheet, rows, **options))
    at = next(number for number, row in enumerate(table) if row[0] == sheet.key[0])
    header = table[at]
    for row in table[at + 1 :]:
        for name, cell in answers.get(row[0].lstrip("'"), {}).items():
            row[header.index(name)] = cell
    return table


RATINGS = {f"r{n}": {"rating": str(n + 1)} for n in range(len(SENTENCES))}


def rated(answers=RATINGS, rows=ROWS):
    return filled(COMPLEXITY, rows, answers)


def text_from(table, **dialect):
    """Write cells as a program does."""
    out = io.StringIO()
    csv.writer(out, **{"dialect": "excel-tab", **dialect}).writerows(table)
    return out.getvalue()


def back(folder, content, sheet=COMPLEXITY, rows=ROWS, name="complexity.anna.tsv", **options):
    """Read a file of these bytes, or of these cells, and check that every row is accounted for."""
    if isinstance(content, list):
        content = text_from(content)
    if isinstance(content, str):
        content = content.encode()
    path = folder / name
    path.write_bytes(content)
    found = read_answers(sheet, rows, [str(path)], **options)
    placed = [reject for reject in found.rejects if reject.position]
    assert found.rows == found.table.num_rows + len(placed)
    return found


def ratings(found):
    return dict(zip(found.table["id"].to_pylist(), found.table["rating"].to_pylist(), strict=True))


def reasons(found):
    return dict(Counter(reject.reason for reject in found.rejects))
