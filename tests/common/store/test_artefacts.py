import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from making import BUILT, TOY, MakeToy, Toy

from lexbeam.transforms.common.code.code_identity import CodeIdentity
from lexbeam.transforms.common.store import artefacts
from lexbeam.transforms.common.store.artefacts import Step, Workspace, announce, make, make_all
from lexbeam.transforms.common.store.receipts import FREED, Damaged, checked


@pytest.fixture(autouse=True)
def _forget():
    BUILT.clear()


@pytest.fixture
def space(tmp_path):
    return Workspace(str(tmp_path / "work"))


def receipt_of(toy: Toy) -> Path:
    return Path(toy.file.path).with_suffix(".json")


def test_an_artefact_is_made_once(space):
    first = make(space, TOY, "x")
    again = make(space, TOY, "x")
    assert first == again
    assert again.rows == (1, 2)
    assert BUILT == ["x"]
    assert Path(first.file.path).read_bytes() == b"content of x"
    assert first.file.bytes == len("content of x")


def test_another_identity_is_another_artefact(space):
    names = {make(space, MakeToy(options), task).file.path for task in "ab" for options in (1, 2)}
    assert len(names) == 4


def test_other_code_is_another_artefact(space, monkeypatch):
    before = make(space, TOY, "x")
    other = CodeIdentity("0" * 32, (), ())
    monkeypatch.setattr(artefacts, "_code", lambda *_: other)
    assert make(space, TOY, "x").file.path != before.file.path


def test_products_of_other_blas_kernels_are_not_taken_up(space, monkeypatch):
    class Product(MakeToy):
        blas = True

    before = [make(space, step, "x") for step in (TOY, Product())]
    monkeypatch.setattr(artefacts, "blas_kernels", lambda: ("openblas 0.3 Elsewhere",))
    assert make(space, TOY, "x") == before[0]
    assert make(space, Product(), "x").file.path != before[1].file.path


def test_what_failed_leaves_no_receipt_and_no_half_file(space):
    with pytest.raises(RuntimeError, match="killed"):
        make(space, TOY, "fail")
    assert os.listdir(space.stage(TOY.name)) == []


def test_a_plan_is_noted_for_who_watches(tmp_path):
    announce(Workspace(str(tmp_path)), "change/train", 6)
    assert (tmp_path / "plan" / "change" / "train").read_text() == "6"


def test_the_folder_of_artefacts_may_be_moved(tmp_path):
    make(Workspace(str(tmp_path / "a")), TOY, "x")
    (tmp_path / "a").rename(tmp_path / "b")
    moved = make(Workspace(str(tmp_path / "b")), TOY, "x")
    assert moved.file.path.startswith(str(tmp_path / "b"))
    assert Path(checked(moved.file)).read_bytes() == b"content of x"
    assert BUILT == ["x"]


@pytest.mark.parametrize("name", ["work:", "a b", 'q"uote', "ü"])
def test_a_folder_of_any_name_stays_out_of_receipts(tmp_path, name):
    space = Workspace(str(tmp_path / name / "work"))
    toy = make(space, TOY, "x")
    text = receipt_of(toy).read_text("utf-8")
    assert str(tmp_path) not in text
    assert make(space, TOY, "x") == toy


@dataclass(frozen=True)
class _Pair:
    """Receipt of a step that makes several artefacts together."""

    number: int


@dataclass(frozen=True)
class MakeTogether(Step[int, _Pair]):
    name = "toy/together"
    together = True

    def make_together(self, artefacts, tasks):
        BUILT.append(tuple(tasks))
        return [_Pair(task) for task in tasks]


def test_of_several_artefacts_only_the_missing_are_made_together(space):
    assert [pair.number for pair in make_all(space, MakeTogether(), [1, 2])] == [1, 2]
    assert [pair.number for pair in make_all(space, MakeTogether(), [3, 1, 4])] == [3, 1, 4]
    assert BUILT == [(1, 2), (3, 4)]


DAMAGES = {
    "the file is gone": lambda toy: os.remove(toy.file.path),
    "the file is cut": lambda toy: os.truncate(toy.file.path, 3),
    "the file is empty": lambda toy: os.truncate(toy.file.path, 0),
    "the file is a link": lambda toy: (os.remove(toy.file.path), os.symlink("/etc", toy.file.path)),
    "the receipt is gone": lambda toy: os.remove(receipt_of(toy)),
    "the receipt is cut": lambda toy: os.truncate(receipt_of(toy), 40),
    "the receipt is empty": lambda toy: os.truncate(receipt_of(toy), 0),
    "the receipt is of another kind": lambda toy: receipt_of(toy).write_text('{"a": 1}'),
    "a digit of the receipt": lambda toy: receipt_of(toy).write_text(
        receipt_of(toy).read_text().replace('"rows":[1,2]', '"rows":[1,3]')
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_made_anew_with_a_warning(damage, space, caplog):
    toy = make(space, TOY, "x")
    DAMAGES[damage](toy)
    with caplog.at_level("WARNING"):
        assert make(space, TOY, "x") == toy
    assert BUILT == ["x", "x"]
    assert Path(checked(toy.file)).read_bytes() == b"content of x"
    assert ("made anew" in caplog.text) == (damage != "the receipt is gone")


def test_every_bit_of_a_receipt_counts(space):
    toy = make(space, TOY, "x")
    path = receipt_of(toy)
    content = path.read_bytes()
    for bit in range(0, 8 * len(content), 7):
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        assert make(space, TOY, "x") == toy


def test_a_flipped_bit_is_found_when_the_file_is_read(space):
    toy = make(space, TOY, "x")
    with open(toy.file.path, "r+b") as stream:
        stream.write(b"C")
    assert make(space, TOY, "x") == toy  # its size is right
    with pytest.raises(Damaged, match="has been discarded"):
        checked(toy.file)
    assert not os.path.exists(toy.file.path)
    assert make(space, TOY, "x") == toy
    assert Path(checked(toy.file)).read_bytes() == b"content of x"


def test_a_file_that_was_freed_is_missed_only_by_who_reads_it(space):
    toy = make(space, TOY, "x")
    os.remove(toy.file.path)
    receipt_of(toy).with_suffix(FREED).touch()
    assert make(space, TOY, "x") == toy
    assert BUILT == ["x"]
    with pytest.raises(Damaged, match="was freed, and is needed"):
        checked(toy.file)
