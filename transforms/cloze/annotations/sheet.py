"""The sheet by which people answer questions, and its rows.

Zheng et al. (2021), appendices A and E: workers choose an option, mark evidence in passage and
summary, and say how hard the question is. (The script itself is not in the paper's text.)
"""

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from lexbeam.transforms.cloze.questions.question import LETTERS
from lexbeam.transforms.people.answers import Answer
from lexbeam.transforms.people.cells import CELL_LIMIT, cell_of
from lexbeam.transforms.people.sheets import Sheet, SheetColumn

DIFFICULTIES = ("easy", "medium", "hard")

ANSWER = Answer(
    name="answer",
    help="which word fills the gap",
    values=tuple((letter, "") for letter in LETTERS),
    undecided="-",
    by_text=True,
)

SHEET = Sheet(
    name="cloze",
    version="1",
    instructions=(
        "Which of the five words stands in the place of @placeholder?",
        "The question sums up the passage; read the passage first.",
        "Copy the words of the passage and those of the question that tell you so.",
    ),
    columns=(
        SheetColumn("passage", "a text"),
        SheetColumn("question", "a summary of it, with a gap"),
        *(SheetColumn(letter, "an option") for letter in LETTERS),
    ),
    answers=(
        ANSWER,
        Answer(
            name="difficulty",
            help="how hard the question is",
            values=tuple((level, "") for level in DIFFICULTIES),
            optional=True,
        ),
        Answer(name="span_passage", help="evidence in the passage", kind="text", optional=True),
        Answer(name="span_summary", help="evidence in the question", kind="text", optional=True),
        Answer(name="explained", help="why, in a few words", kind="text", optional=True),
    ),
    key=("question_id", "kind"),
)

# Columns of table cloze/questions that the sheet needs.
SHEET_COLUMNS = ("question_id", "kind", "split", "article", "question", "options", "kept")


class SheetRows(NamedTuple):
    """Rows of the sheet, and how many questions have a text that no cell holds."""

    rows: pa.Table
    too_long: int


def asked_rows(rows: pa.Table, kinds: Sequence[str], splits: Sequence[str]) -> SheetRows:
    """Return the questions that people are asked about, as rows of the sheet.

    Args:
        rows: of table cloze/questions, with `SHEET_COLUMNS`.
        kinds: of these kinds; none: of all.
        splits: of these splits; none: of all.
    """
    sheet_rows, too_long = [], 0
    for row in rows.filter(rows["kept"]).to_pylist():
        if (kinds and row["kind"] not in kinds) or (splits and row["split"] not in splits):
            continue
        if any(_units(row[name]) > CELL_LIMIT for name in ("article", "question")):
            too_long += 1
            continue
        sheet_rows.append(
            {
                "question_id": row["question_id"],
                "kind": row["kind"],
                "passage": row["article"],
                "question": row["question"],
                **dict(zip(LETTERS, row["options"], strict=True)),
            }
        )
    names = [*SHEET.key, *(column.name for column in SHEET.columns)]
    schema = pa.schema([(name, pa.string()) for name in names])
    return SheetRows(pa.Table.from_pylist(sheet_rows, schema), too_long)


def _units(text: str) -> int:
    """Return how long a text is in a cell, as spreadsheets count."""
    return len(cell_of(text).encode("utf-16-le", "surrogatepass")) // 2
