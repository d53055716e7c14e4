from pathlib import Path

import pytest

from lexbeam.pipelines.commands.folder.forget import remove_reports
from lexbeam.transforms.common.publish.layout import ARTEFACTS, make_marked_folder
from lexbeam.transforms.common.store import files
from lexbeam.transforms.report.page import is_report

REPORT = '<!DOCTYPE html>\n<html><meta name="generator" content="lexbeam">a dog</html>'


@pytest.fixture
def out(tmp_path):
    """A folder with reports and other files, and another output folder in it."""
    for name in ("report.html", "deep/er/SEEN", "nested/report.html"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(REPORT)
    (tmp_path / "deep/page.py").write_text(f'"""A module."""\n{REPORT}')
    make_marked_folder(str(tmp_path), ARTEFACTS)
    make_marked_folder(str(tmp_path / "nested"), ARTEFACTS)
    return tmp_path


def test_reports_go_wherever_they_lie_but_not_those_of_another_folder(out):
    assert remove_reports(str(out)) == (["report.html", "deep/er/SEEN"], ["deep/page.py"])
    assert is_report(str(out / "nested/report.html"))
    assert (out / "deep/page.py").exists()


def test_what_may_not_be_read_or_removed_is_named(out, monkeypatch):
    real = files.list_folder

    def list_folder(path):
        if Path(path).name == "er":
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    def remove(path):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(files, "list_folder", list_folder)
    monkeypatch.setattr(files, "remove", remove)
    assert remove_reports(str(out)) == ([], ["report.html", "deep/page.py", "deep/er/"])
