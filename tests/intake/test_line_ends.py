"""Any sequence of line ends gives the rows of line feeds, in every file of people but corpora and resources."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from line_ending import ended
from people_making import COMPLEXITY

from lexbeam.transforms.change.scores.gold import table_of
from lexbeam.transforms.cloze.answers.five_way import read_answers
from lexbeam.transforms.cloze.pairs.pair_layouts import LAYOUTS as PAIRS
from lexbeam.transforms.cloze.pairs.pair_layouts import ReadOptions
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.options.small_texts import word_lines
from lexbeam.transforms.common.store import files
from lexbeam.transforms.complexity.instances.labelled_layouts import LAYOUTS
from lexbeam.transforms.complexity.instances.official_files import read_scores
from lexbeam.transforms.formats.readers.delimited import quotes_settled, rows
from lexbeam.transforms.formats.records.base import ReaderOptions, Source
from lexbeam.transforms.intake.row_files import About
from lexbeam.transforms.people.answer_tables import Roles, table_rows
from lexbeam.transforms.people.answered_sheets import file_rows, open_sheet
from lexbeam.transforms.simplification.evaluation.submissions import read_gold, read_predictions
from lexbeam.transforms.simplification.instances.instance_rows import READERS, RuleOptions

ROLES = Roles({"word": ["word"], "note": ["note"]}, ["word"], "")
SENTENCES = ["A cat sat.\tcat\tpet\tanimal", "", 'A "dog ran.\tdog\thound', "A dog\tcat\tx", "no row"]
CWI2018 = ["a1\tA cat sat.\t2\t5\tcat\t1\t1\t1\t0\t1\t0.5", "", 'a2\tA "dog.\t3\t6\tdog\t1\t1\t0\t0\t0\t0.0', "a\tb"]
RECAM = [
    '{"article": "A cat sat.", "question": "A @placeholder sat.", "option_0": "cat", "option_1": "dog", '
    '"option_2": "cow", "option_3": "ox", "option_4": "hen", "label": 0}',
    "",
    "{",
    '{"article": "A\\u2028b"}',
]


def cell_rows(path):
    source = Source(path.name, lambda: io.BytesIO(path.read_bytes()), str(path))
    with quotes_settled(source, ReaderOptions()) as reader:
        yield from rows(source, reader)


def instances(layout):
    return lambda path: READERS[layout].read(cell_rows(path), About(path.name, None, "en"), RuleOptions())


def labelled(layout):
    return lambda path: LAYOUTS[layout].read(cell_rows(path), About(path.name, None, "en"))


def sheet(path):
    file = open_sheet(COMPLEXITY, files.ListedFile(str(path), path.name, 1), ReaderOptions(), 1 << 20)
    return [file.places, *file_rows(file)]


def pairs(path):
    file = Source(path.name, lambda: io.BytesIO(path.read_bytes()), str(path))
    return PAIRS["recam"].read(file, ReadOptions(layout="recam", kind="imperceptibility"))


def scores(path):
    found = read_scores(str(path), "gold")
    return [found.ids, found.values.tolist(), found.genres, found.tokens]


# What reads a file, its name, and lines of it, among them wrong and blank ones.
FILES = {
    "sheets": (sheet, "a.csv", ["id,sentence,rating,comment", "r0,A cat.,1,", "", '"r1","A', 'dog.",2,', "r2,A b"]),
    "tables": (
        lambda path: table_rows(files.ListedFile(str(path), path.name, 1), ROLES, encoding="utf-8"),
        "a.csv",
        ["word,note", "a,b", "", '"c', 'd",e', "f", '"g"h,i'],
    ),
    "tables of JSON": (
        lambda path: table_rows(files.ListedFile(str(path), path.name, 1), ROLES, encoding="utf-8"),
        "a.jsonl",
        ['{"word": "a"}', '{"word": "b\u2028c"}', "", "{"],
    ),
    "gold of change": (lambda path: table_of(str(path), "gold").to_pylist(), "a.tsv", ["w\tx", "a\t1", "", "b\t2"]),
    "words": (lambda path: word_lines(str(path), "targets"), "a.txt", ["cat", "dog", "", "# no", " ox "]),
    "scores": (scores, "a.csv", ["a,0.5", "b,1", "", "c,x", "d,0"]),
    "answers": (lambda path: read_answers(str(path)), "a.csv", ["0,1", "1,2", "", "2,9"]),
    "answers of JSON": (lambda path: read_answers(str(path)), "a.jsonl", ['{"index": 0, "label": 1}', "", "{", "{}"]),
    "gold of simplification": (lambda path: read_gold(str(path), "tsar", []), "a.tsv", SENTENCES),
    "submissions": (lambda path: read_predictions(str(path)), "a.tsv", SENTENCES),
    "questions": (pairs, "a.jsonl", RECAM),
    **{
        f"instances, {layout}": (instances(layout), "a.tsv", CWI2018 if layout == "cwi2018" else SENTENCES)
        for layout in READERS
    },
    "labels, cwi2018": (labelled("cwi2018"), "a.tsv", CWI2018),
    "labels, complex": (
        labelled("complex"),
        "a.tsv",
        ["id\tcorpus\tsentence\ttoken\tcomplexity", "1\tb\tA cat.\tcat\t.5", "", '2\tb\tA "dog.\tdog\t1', "3\tb"],
    ),
}


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=25)
@given(st.data())
def test_line_ends_make_no_row(tmp_path_factory, name, data):
    read, file, lines = FILES[name]
    path = tmp_path_factory.mktemp("a") / file
    found = []
    for content in data.draw(ended(lines)):
        path.write_bytes(content)
        try:
            found.append(repr(list(read(path))))  # errors are equal to themselves alone
        except LexbeamError as error:
            found.append(str(error))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", FILES)
def test_returns_end_lines(tmp_path, name):
    read, file, lines = FILES[name]
    path = tmp_path / file
    path.write_bytes("\r".join(lines[:2]).encode())
    assert list(read(path))
