import pyarrow as pa
import pytest

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.complexity.labels.judgments import (
    RATINGS,
    SHEET,
    JudgmentFileOptions,
    instances_to_judge,
    read_judgments,
    value_of_rating,
)
from lexbeam.transforms.people.sheets import write_sheet

INSTANCES = pa.table(
    {
        "instance_id": ["a1", "b2", "c3"],
        "kind": ["single", "single", "mwe"],
        "token": ["cat", "null", "old sea"],
        "sentence": ['A "cat" sat.', None, "The old sea."],
        "start": [3, None, 4],
        "end": [6, None, 11],
        "flags": pa.array([[], ["no_sentence"], ["duplicate"]], pa.list_(pa.string())),
    }
)


@pytest.fixture
def write(tmp_path):
    """A function that writes a file of judgments, and returns its path."""

    def written(text, name="crowd.csv"):
        (tmp_path / name).write_text(text, "utf-8")
        return str(tmp_path / name)

    return written


def read(paths, **options):
    paths = [paths] if isinstance(paths, str) else paths
    return read_judgments(paths, INSTANCES, JudgmentFileOptions(**options))


def rows_of(found):
    return [(one.instance_id, one.annotator, one.group, one.value) for one in found.judgments]


def test_a_table_with_numbers_and_words(write):
    text = (
        "instance_id,annotator,rating,group\na1,x,1,l1\na1,y,Very Difficult,\nb2,,3.0,l2\nc3,x,-,\nzz,x,very_easy,l1\n"
    )
    assert rows_of(read(write(text))) == [
        ("a1", "x", "l1", 0),
        ("a1", "y", None, 1),
        ("b2", "", "l2", 0.5),
        ("c3", "x", None, None),
        ("zz", "x", "l1", 0),
    ]


def test_columns_by_other_names(write):
    path = write("# by hand\nid\twho\tscore\na1\tx\teasy\n", "x.tsv")
    found = read(path, id_column="id", rating_column="score", annotator_column="who")
    assert rows_of(found) == [("a1", "x", None, 0.25)]


def test_groups_of_annotators_are_read_from_the_column_that_is_named(write):
    path = write("instance_id,annotator,rating,group,first_language\na1,x,1,l1,es\n")
    assert rows_of(read(path)) == [("a1", "x", "l1", 0)]
    assert rows_of(read(path, group_column="first_language")) == [("a1", "x", "es", 0)]
    assert rows_of(read(path, group_column="absent")) == [("a1", "x", None, 0)]


def test_rows_that_give_no_judgment_are_rejects(write):
    path = write("instance_id,rating\na1,6\na1,\n,3\na1,2\na1\n")
    found = read(path)
    assert [(row.position, row.reason) for row in found.rejects] == [
        ("2", "wrong_answer"),
        ("3", "empty"),
        ("4", "empty"),
        ("6", "empty"),
    ]
    assert len(found.judgments) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("instance,rating\na,1\n", r"crowd\.csv: no column 'instance_id'.*`id_column`"),
        ("instance_id,value\na,1\n", "no column 'rating'.*`rating_column`"),
        ("instance_id,rating,rating\na,1,2\n", "several columns 'rating'"),
        ("", "has no rows"),
    ],
)
def test_a_table_without_its_columns(write, text, said):
    with pytest.raises(LexbeamError, match=said):
        read(write(text))


def fill(path, ratings):
    with open(path, encoding="utf-8-sig") as stream:
        lines = stream.read().splitlines()
    filled = []
    for line in lines:
        cells = line.split("\t")
        if (name := cells[0].lstrip("'")) in ratings:
            cells[3] = ratings[name]
        filled.append("\t".join(cells))
    with open(path, "w", encoding="utf-8") as stream:
        stream.write("\n".join(filled))


def test_sheets_and_tables_together_and_groups_of_people(tmp_path, write):
    anna, bob = (write_sheet(SHEET, INSTANCES, str(tmp_path), annotator=n) for n in ("anna", "bob"))
    fill(anna, {"a1": "1", "b2": "very difficult", "c3": "-"})
    fill(bob, {"a1": "2", "b2": "7"})
    table = write("instance_id,annotator,rating,group\nb2,bob,4,own\n")
    groups = write("anna\tnative\nbob\tother\n", "groups.txt")
    found = read([anna, bob, table], groups=groups)
    assert sorted(rows_of(found), key=str) == [
        ("a1", "anna", "native", 0),
        ("a1", "bob", "other", 0.25),
        ("b2", "anna", "native", 1),
        ("b2", "bob", "own", 0.75),
        ("c3", "anna", "native", None),
    ]
    assert [row.reason for row in found.rejects] == ["wrong_answer", "empty"]


def test_a_sheet_of_some_instances_that_lost_its_comments(tmp_path):
    path = write_sheet(SHEET, INSTANCES.slice(1), str(tmp_path), annotator="cy")
    fill(path, {"b2": "3", "c3": "4"})
    lines = (tmp_path / "complexity.cy.tsv").read_text("utf-8").splitlines()
    kept = [line for line in lines if not line.lstrip("\ufeff").startswith("#")]
    (tmp_path / "complexity.cy.tsv").write_text("\n".join(kept), "utf-16")
    found = read(path)
    assert rows_of(found) == [("b2", "cy", None, 0.5), ("c3", "cy", None, 0.75)]
    assert found.rejects == []


@pytest.mark.parametrize("text", ["anna\n", "anna\tx\nanna\ty\n", "anna\t\n"])
def test_a_file_of_groups_that_is_none(write, text):
    path = write("instance_id,rating\na1,1\n")
    with pytest.raises(UsageError, match=r"groups.*line"):
        read(path, groups=write(text, "groups.txt"))


def test_ratings_are_the_five_of_complex():
    assert [value_of_rating(n) for n in RATINGS] == [0, 0.25, 0.5, 0.75, 1]
    with pytest.raises(ValueError, match="1 to 5"):
        value_of_rating(0)


@pytest.mark.parametrize(
    ("kind", "duplicates", "ids"),
    [
        ("all", True, ["a1", "b2", "c3"]),
        ("all", False, ["a1", "b2"]),
        ("mwe", True, ["c3"]),
        ("mwe", False, []),
        ("single", False, ["a1", "b2"]),
    ],
)
def test_who_is_asked_about(kind, duplicates, ids):
    found = instances_to_judge(INSTANCES, kind, duplicates=duplicates)
    assert found["instance_id"].to_pylist() == ids
