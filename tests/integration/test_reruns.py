"""The benchmark of reruns on a small sample: that it measures what it says, not how fast it is.

`python -m benchmarks.reruns` takes a larger one, see docs/reliability.md.
"""

import pytest

from benchmarks.reruns import BOUND, TARGETS, Disk, RerunFigures, RerunInput, SecondsTaken, exceeding, measure, report
from lexbeam.pipelines.cli import main
from lexbeam.transforms.common.publish.snapshots import open_snapshot


def found_of(*seconds):
    disk = Disk(300, 50, 10)
    return RerunFigures(SecondsTaken(100, 90), {"a": [SecondsTaken(s, 5) for s in seconds]}, disk, disk)


def test_the_median_share_decides():
    assert exceeding(found_of(1, 100 * BOUND, 100)) == []
    assert exceeding(found_of(1, 100 * BOUND + 1, 100)) == ["a"]


def test_tables_are_printed():
    lines = "\n".join(report(found_of(2, 5, 7))).splitlines()
    assert "| a | 2.0, 5.0, 7.0 | 2 to 7 % |" in lines
    assert lines[-1].startswith("| after `lexbeam clean` |")
    assert "30.0 times the text" in lines[-1]
    assert "5.0 times the text" in lines[-1]


@pytest.mark.slow
def test_all_reruns_are_run_and_nothing_is_trained_in_them(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for year in range(1810, 1890, 20):
        body = f"The ship sails over the sea and the sailor sings of the land in {year}. "
        (folder / f"{year}.txt").write_text(body * 30)
    source = RerunInput(str(folder / "*.txt"), r"name:^(\d+)", "1800-1849,1850-1900")
    receipts = tmp_path / "out" / "_artefacts" / "change" / "train"
    trained, told = [], []

    def command(*words):
        more = ["--dim", "5", "--epochs", "1"] if words[0] == "change" else []
        told.append(words)
        assert main([*words, *more]) == 0
        trained.append(len(list(receipts.glob("*.json"))))

    found = measure(tmp_path, source, command, of_a_kind=1)
    assert [words[0] for words in told] == ["corpus", *["change"] * 4, "clean"]
    assert trained == [0, *[6] * 5]
    assert [len(runs) for runs in found.reruns.values()] == [1, 1, 1]
    published = open_snapshot(str(tmp_path / "out"))
    assert len(published.section("change")["targets"]) == 1
    assert list(found.reruns)[-1] == TARGETS
    assert found.before.published == found.after.published < found.after.folder
    assert found.after.folder < found.before.folder
    assert found.before.text == sum(path.stat().st_size for path in folder.iterdir())
