"""docs/reference/people.md, block by block."""

import re
from pathlib import Path

from people_making import cells_of, text_from

from lexbeam.schemas.common_tables import ANSWER_REASONS as REASONS
from lexbeam.transforms.people.answers import KINDS

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "people.md").read_text("utf-8")
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_example_is_what_it_makes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (kind, define), (_, file), (_, read), (_, printed) = BLOCK.findall(PAGE)
    assert kind == "python"
    names = {"__name__": "page"}
    exec(compile(define, "docs/reference/people.md", "exec"), names)
    path = Path(names["path"])
    assert path.read_text("utf-8-sig") == file

    table = cells_of(file)
    table[-2][2] = "4,0"
    table[-2].append("(a remark)")
    path.write_text(text_from(table), "utf-8")
    exec(compile(read, "docs/reference/people.md", "exec"), names)
    assert capsys.readouterr().out == printed


def test_reasons_and_kinds_are_those_of_the_page():
    for reason, meaning in REASONS.items():
        assert f"| `{reason}` | {meaning} |" in PAGE
    kinds = re.findall(r"^\| `(\w+)` \|.*\|.*\|$", PAGE.partition("## Answers")[2], re.MULTILINE)
    assert kinds[: len(KINDS)] == list(KINDS)
