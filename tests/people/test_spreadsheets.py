"""Files as programs write them back: dialects, encodings, and what programs take cells for."""

import csv
import io
import re
import unicodedata

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from people_making import (
    ALL,
    COMPLEXITY,
    RATINGS,
    ROWS,
    back,
    cells_of,
    filled,
    rated,
    ratings,
    reasons,
    rows_of,
    text_from,
)

from lexbeam.transforms.people.sheets import sheet_text

DIALECTS = {
    "as Excel writes tabs": {"lineterminator": "\r\n"},
    "as LibreOffice writes": {"lineterminator": "\n"},
    "every cell quoted": {"quoting": csv.QUOTE_ALL},
    "semicolons": {"delimiter": ";"},
    "commas": {"delimiter": ",", "quoting": csv.QUOTE_ALL},
    "commas, few quotes": {"delimiter": ","},
    "no quoting": {"quoting": csv.QUOTE_NONE, "quotechar": None},
    "old line ends": {"lineterminator": "\r"},
}


# No program is known to write UTF-16 with old line ends.
WRITTEN = [
    (dialect, encoding)
    for dialect in DIALECTS
    for encoding in ("utf-8", "utf-8-sig", "utf-16")
    if (dialect, encoding) != ("old line ends", "utf-16")
]


@pytest.mark.parametrize(("dialect", "encoding"), WRITTEN)
def test_every_dialect_and_encoding_gives_the_same_answers(tmp_path, dialect, encoding):
    comments = {"r1": {"rating": "2", "comment": 'say "more"; or, less'}}
    content = text_from(rated({**RATINGS, **comments}), **DIALECTS[dialect])
    found = back(tmp_path, content.removeprefix("\ufeff").encode(encoding))
    assert ratings(found) == ALL
    assert found.table["comment"].to_pylist() == [None, 'say "more"; or, less', None, None]
    assert found.rejects == ()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_must_be_named(tmp_path, encoding):
    content = text_from(rated()).removeprefix("\ufeff").encode(encoding)
    assert ratings(back(tmp_path, content, encoding=encoding)) == ALL


def test_half_a_file_of_utf_16(tmp_path):
    content = text_from(rated()).removeprefix("\ufeff").encode("utf-16")
    found = back(tmp_path, content[:-31])
    assert ratings(found).items() <= ALL.items()
    assert reasons(found)["undecodable"] == 1


def test_answers_of_several_lines_and_with_quotes(tmp_path):
    comments = ['two\nlines, "quoted"', '"', '"all of it"', 'an "open\tone']
    answers = {f"r{n}": {"rating": "1", "comment": comments[n]} for n in range(4)}
    found = back(tmp_path, rated(answers))
    assert found.table["comment"].to_pylist() == [*comments[:3], 'an "open one']


def test_stray_quotes_of_a_program_that_knows_no_quoting(tmp_path):
    comments = ['"open', '"no" means "no"', "fine", 'end"']
    answers = {f"r{n}": {"rating": "1", "comment": comments[n]} for n in range(4)}
    table = [[cell.replace("\n", " ") for cell in row] for row in rated(answers)]
    content = "".join("\t".join(row) + "\n" for row in table)
    found = back(tmp_path, content)
    assert found.table["comment"].to_pylist() == comments
    assert found.rejects == ()


def test_numbers_as_spreadsheets_show_them(tmp_path):
    shown = ["1.0", "2,0", " 3", "\u00a04\u00a0"]
    assert ratings(back(tmp_path, rated({f"r{n}": {"rating": shown[n]} for n in range(4)}))) == ALL


def spoiled(cell):
    """What a spreadsheet makes of a cell that it takes for something else than text."""
    text = cell.strip()
    if re.match("[=+@-]", text):
        return "#NAME?"
    if re.fullmatch(r"[\d., ]*\d[\d., ]*([eE][+-]?\d+)?", text):
        return f"{float(re.sub('[, ]', '', text) or 0):.5g}" if text.count(".") < 2 else text
    if re.fullmatch(r"\d+[-/.: ]\d+([-/.: ]\d+)?|\d* ?[A-Z][a-z]{2,8}[ -]?\d+", text):
        return "45000"
    if text.lower() in ("true", "false"):
        return text.upper()
    return text


@settings(max_examples=30)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
        | st.from_regex(r"[-=+@]?[0-9]{1,5}[-/., :]?[0-9]{0,4}", fullmatch=True)
        | st.sampled_from(["true", "False", "SEPT2", "1e5", "5 May", "[[x]]", "'", '"', "¶", "\\t"]),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(sorted(DIALECTS)),
    st.sampled_from(["NFC", "NFD"]),
)
def test_any_text_survives_a_spreadsheet(tmp_path_factory, texts, dialect, form):
    rows = rows_of([(text + "x", 0, 1) for text in texts])
    shown = rows.set_column(1, "sentence", [texts])
    sheet_of = {"r" + str(n): {"rating": "3"} for n in range(len(texts))}
    for these in (rows, shown.drop_columns(["start", "end"])):
        sheet = COMPLEXITY if these is rows else UNMARKED
        table = filled(sheet, these, sheet_of)
        table = [[unicodedata.normalize(form, spoiled(cell)) for cell in row] for row in table]
        content = text_from(table, **DIALECTS[dialect])
        found = back(tmp_path_factory.mktemp("sheet"), content, sheet, these)
        assert found.rejects == ()
        assert found.table["rating"].to_pylist() == [3] * len(texts)


UNMARKED = COMPLEXITY.__class__(
    name="complexity",
    version="1",
    instructions=(),
    answers=COMPLEXITY.answers,
    columns=tuple(column._replace(mark=None) for column in COMPLEXITY.columns),
)


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_NONE])
def test_pandas_reads_and_writes_it_either_way(tmp_path, quoting):
    text = sheet_text(COMPLEXITY, ROWS).removeprefix("\ufeff")
    at = next(n for n, line in enumerate(text.splitlines()) if line.startswith("id\t"))
    frame = pd.read_csv(io.StringIO(text), sep="\t", skiprows=at, quoting=quoting, keep_default_na=False, dtype=str)
    assert frame["sentence"].tolist() == [row[1] for row in cells_of(text)[at + 1 :]]
    frame["rating"] = [1.0, 2.0, 3.0, 4.0]
    content = frame.to_csv(sep="\t", index=False, quoting=quoting, quotechar='"')
    assert ratings(back(tmp_path, content)) == ALL
