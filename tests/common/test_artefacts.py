from pathlib import Path

import pytest

from transforms.common import artefacts
from transforms.common.artefacts import Workspace, plan, produce


def test_an_artefact_is_made_once(tmp_path):
    made = []

    def build(artefact):
        made.append(artefact)
        with artefact.writing(".txt") as stream:
            stream.write(b"content")
        return {"path": artefact.path(".txt"), "rows": (1, 2)}

    space = Workspace(str(tmp_path))
    first = produce(space, "stage", ["identity", 1], build)
    again = produce(space, "stage", ["identity", 1], build)
    assert first == again == {"path": first["path"], "rows": [1, 2]}
    assert len(made) == 1
    assert Path(first["path"]).read_bytes() == b"content"


def test_another_identity_is_another_artefact(tmp_path):
    space = Workspace(str(tmp_path))
    names = {produce(space, "s", [n], lambda a: a.path(".x")) for n in range(3)}
    assert len(names) == 3


def test_other_code_is_another_artefact(tmp_path, monkeypatch):
    space = Workspace(str(tmp_path))
    before = produce(space, "s", [], lambda a: a.path(".x"))
    monkeypatch.setattr(artefacts, "code_digest", lambda: "other")
    assert produce(space, "s", [], lambda a: a.path(".x")) != before


def test_what_failed_leaves_no_receipt_and_no_half_file(tmp_path):
    space = Workspace(str(tmp_path))

    def fail(artefact):
        with artefact.writing(".txt") as stream:
            stream.write(b"half")
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        produce(space, "s", [], fail)
    assert list((tmp_path / "s").iterdir()) == []
    assert produce(space, "s", [], lambda a: "made") == "made"


def test_a_plan_is_noted_for_who_watches(tmp_path):
    plan(Workspace(str(tmp_path)), "train", 6)
    assert (tmp_path / "plan" / "train").read_text() == "6"


def test_a_work_folder_may_be_moved(tmp_path):
    first = produce(Workspace(str(tmp_path / "a")), "s", [], lambda a: [a.path(".x"), "other"])
    (tmp_path / "a").rename(tmp_path / "b")
    moved = produce(Workspace(str(tmp_path / "b")), "s", [], lambda a: None)
    assert moved == [first[0].replace(str(tmp_path / "a"), str(tmp_path / "b")), "other"]
