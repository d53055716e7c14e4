"""Published judgments of pairs of uses (DWUG EN), read and sent out by a sheet of usage pairs."""

from collections import Counter, defaultdict

import pyarrow as pa
import pytest
from people_making import cells_of, text_from

from lexbeam.transforms.people.answered_sheets import read_answers
from lexbeam.transforms.people.answers import Answer
from lexbeam.transforms.people.sheets import Sheet, SheetColumn, sheet_text

pytestmark = pytest.mark.data

SCALE = (("4", "identical"), ("3", "closely related"), ("2", "distantly related"), ("1", "unrelated"))
COMMENT = Answer(name="comment", help="anything to add", kind="text", optional=True)
KEY = ("identifier1", "identifier2")
# As they published them: without the texts, and with 0 for what cannot be decided.
PUBLISHED = Sheet(
    name="usage-pairs",
    version="1",
    instructions=(),
    key=KEY,
    columns=(SheetColumn("lemma", "the word", checked=False),),
    answers=(Answer(name="judgment", help="how near", kind="scale", values=SCALE, undecided="0"), COMMENT),
)
SENT = Sheet(
    name="usage-pairs",
    version="2",
    key=KEY,
    instructions=("How near are the meanings of the marked words?",),
    columns=(
        SheetColumn("context1", "one use", mark=("start1", "end1")),
        SheetColumn("context2", "another use", mark=("start2", "end2")),
    ),
    answers=(Answer(name="judgment", help="how near", kind="scale", values=SCALE, undecided="-"), COMMENT),
)


def plain(path):
    """Read a published file without any of our readers: tab-separated, no quoting."""
    header, *lines = path.read_text("utf-8").removesuffix("\n").split("\n")
    return [dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines]


@pytest.fixture(scope="module")
def lemmas(data):
    folders = sorted((data / "dwug-en" / "data").iterdir())
    assert len(folders) == 30
    return {folder.name: folder for folder in folders}


@pytest.mark.parametrize(
    ("names", "judgments"),
    [
        pytest.param(("bar_nn", "rally_nn"), 7_848, id="two lemmas"),
        pytest.param((), 44_110, id="all lemmas", marks=pytest.mark.soak),
    ],
)
def test_every_published_judgment_is_an_answer_or_a_reject(lemmas, names, judgments):
    judged = Counter()
    for name in names or lemmas:
        folder = lemmas[name]
        published = plain(folder / "judgments.csv")
        pairs = sorted({(row[KEY[0]], row[KEY[1]]) for row in published})
        rows = pa.table({KEY[0]: [a for a, _ in pairs], KEY[1]: [b for _, b in pairs], "lemma": [name] * len(pairs)})
        found = read_answers(PUBLISHED, rows, [str(folder / "judgments.csv")])
        assert found.rows == len(published)

        # What is there more than once: one of equal ones counts, none of those that differ.
        groups = defaultdict(list)
        for row in published:
            comment = " ".join(row["comment"].split()) or None
            groups[row[KEY[0]], row[KEY[1]], row["annotator"]].append((int(row["judgment"]), comment))
        kept = {key: given[0] for key, given in groups.items() if len(set(given)) == 1}
        answers = {
            (row[KEY[0]], row[KEY[1]], row["annotator"]): (row["judgment"] or 0, row["comment"])
            for row in found.table.to_pylist()
        }
        assert answers == kept
        assert len(answers) == found.table.num_rows
        left = Counter(one.reason for one in found.rejects)
        assert left["contradictory"] == sum(len(given) for given in groups.values() if len(set(given)) > 1)
        assert left["doubled"] == sum(len(given) - 1 for given in groups.values() if len(set(given)) == 1)
        assert left.total() == left["contradictory"] + left["doubled"]
        assert all(note.startswith("round: ") for note in found.table["notes"].to_pylist())
        judged.update(judgment for judgment, _ in answers.values())
        judged["rejects"] += left.total()
    assert judged.total() == judgments
    assert 0 < judged["rejects"] < 100
    assert set(judged) == {0, 1, 2, 3, 4, "rejects"}


def test_real_uses_survive_a_spreadsheet_with_the_judgments_of_real_people(lemmas, tmp_path):
    folder = lemmas["bar_nn"]  # of which one comment holds quotes
    uses = {row["identifier"]: row for row in plain(folder / "uses.csv")}
    judgments = [row for row in plain(folder / "judgments.csv") if row["annotator"] == "annotator10"]
    judgments = list({(row[KEY[0]], row[KEY[1]]): row for row in judgments}.values())
    assert any('"' in row["comment"] for row in judgments)
    columns = defaultdict(list)
    for row in judgments:
        for side in ("1", "2"):
            use = uses[row["identifier" + side]]
            start, _, end = use["indexes_target_token"].partition(":")
            columns["identifier" + side].append(row["identifier" + side])
            columns["context" + side].append(use["context"])
            columns["start" + side].append(int(start))
            columns["end" + side].append(int(end))
    rows = pa.table(columns)
    text = sheet_text(SENT, rows, annotator="annotator10", seed=1)
    table = cells_of(text)
    at = next(number for number, row in enumerate(table) if row[0] == KEY[0])
    given = {(row[KEY[0]], row[KEY[1]]): row for row in judgments}
    for row in table[at + 1 :]:
        judgment = given[row[0], row[1]]
        row[-2] = {"0": "–"}.get(judgment["judgment"], judgment["judgment"] + ",0")
        row[-1] = judgment["comment"]
    path = tmp_path / "usage-pairs.annotator10.txt"
    path.write_bytes(text_from(table).removeprefix("\ufeff").encode("utf-16"))
    found = read_answers(SENT, rows, [str(path)])
    assert found.rejects == ()
    assert {
        (row[KEY[0]], row[KEY[1]]): (str(row["judgment"] or 0), row["comment"] or "") for row in found.table.to_pylist()
    } == {key: (row["judgment"], row["comment"].strip()) for key, row in given.items()}
    assert found.rows == len(judgments) > 50
