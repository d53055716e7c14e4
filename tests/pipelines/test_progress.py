import io
import sys

from pipelines.progress import watching
from transforms.common.artefacts import Workspace, plan, produce


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def work_in(folder, stream, monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream)
    space = Workspace(str(folder))
    with watching(str(folder), ["ingest", "train"]):
        plan(space, "train", 3)
        for number in range(3):
            produce(space, "train", [number], lambda artefact: None)
    return stream.getvalue()


def test_a_terminal_shows_stages_done_of_those_planned(tmp_path, monkeypatch):
    shown = work_in(tmp_path, Terminal(), monkeypatch)
    assert "train: 100%" in shown
    assert "3/3" in shown
    assert "piece/s" in shown
    assert "ingest" not in shown


def test_what_is_no_terminal_stays_quiet(tmp_path, monkeypatch):
    assert work_in(tmp_path, io.StringIO(), monkeypatch) == ""
