import io
import sys
from dataclasses import dataclass

from pipelines.progress import watching
from transforms.common.artefacts import Stage, Workspace, announce, make


@dataclass(frozen=True)
class Made:
    """A receipt that stands for no file."""

    number: int


def _identity(number, options):
    return number


def _build(artefact, number, options):
    return Made(number)


TRAIN = Stage(name="toy/train", receipt=Made, identity=_identity, build=_build)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def work_in(folder, stream, monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream)
    space = Workspace(str(folder))
    with watching(str(folder), ["toy/ingest", TRAIN.name]):
        announce(space, TRAIN.name, 3)
        for number in range(3):
            make(space, TRAIN, number, None)
    return stream.getvalue()


def test_a_terminal_shows_stages_done_of_those_planned(tmp_path, monkeypatch):
    shown = work_in(tmp_path, Terminal(), monkeypatch)
    assert "toy/train: 100%" in shown
    assert "3/3" in shown
    assert "piece/s" in shown
    assert "ingest" not in shown


def test_what_is_no_terminal_stays_quiet(tmp_path, monkeypatch):
    assert work_in(tmp_path, io.StringIO(), monkeypatch) == ""
