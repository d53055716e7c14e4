"""Receipts come back as they were written; damage is never read; counts of receipts are summed."""

import hashlib
import json
import os
import random
from dataclasses import dataclass
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.code.version import own_build
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import files_of
from lexbeam.transforms.common.store.receipts import (
    ArtefactPath,
    Damaged,
    File,
    checked,
    decode,
    encode,
    is_sound,
    is_sound_size,
    mapped,
    read_envelope,
    read_receipt,
    state_of,
    summed,
    write_receipt,
)
from lexbeam.transforms.common.store.tables import Part


class Row(NamedTuple):
    """A row with a file that is not the first of its fields."""

    name: str
    file: File | None


@dataclass(frozen=True)
class Receipt:
    """A receipt with all that receipts hold."""

    file: File
    rows: tuple[Row, ...]
    counts: dict[str, int]
    years: dict[int, int]
    share: float
    note: str | None


FILES = st.builds(
    File,
    st.from_regex(r"[a-z]{1,8}/[a-z:\"]{1,8}", fullmatch=True).map(lambda p: ArtefactPath("/r/" + p)),
    st.integers(0, 2**50),
    st.text("0123456789abcdef", min_size=64, max_size=64),
)
RECEIPTS = st.builds(
    Receipt,
    FILES,
    st.lists(st.builds(Row, st.text(), st.none() | FILES)).map(tuple),
    st.dictionaries(st.text(), st.integers(-(2**60), 2**60)),
    st.dictionaries(st.integers(-5000, 5000), st.integers(0, 9)),
    st.floats(allow_nan=False, allow_infinity=False),
    st.none() | st.text(),
)


@given(RECEIPTS)
def test_a_receipt_comes_back_as_it_was(receipt):
    content = encode(receipt, "/r")
    assert b"/r/" not in encode([file.path for file in files_of(receipt)], "/r")
    assert decode(content, Receipt, "/r") == receipt
    assert decode(content, Receipt, "/elsewhere").file.path.startswith("/elsewhere/")


@given(RECEIPTS)
def test_files_are_found_wherever_they_stand(receipt):
    assert list(files_of(receipt)) == [receipt.file, *(row.file for row in receipt.rows if row.file is not None)]


def test_a_path_outside_the_folder_is_an_error():
    with pytest.raises(ValueError, match="does not lie in"):
        encode(File(ArtefactPath("/elsewhere/x"), 1, "0"), "/r")


def test_a_receipt_of_another_type_counts_as_none(tmp_path, caplog):
    path = str(tmp_path / "r.json")
    write_receipt(path, "", Row("a", None), [])
    assert read_receipt(path, "", Row) == Row("a", None)
    assert read_receipt(path, "", Receipt) is None
    assert "of another kind" in caplog.text
    assert read_envelope(path).files == ()
    assert read_envelope(str(tmp_path / "none")) is None


def test_a_receipt_says_which_lexbeam_made_it_and_one_of_0_1_0_is_read_without(tmp_path):
    path = tmp_path / "r.json"
    write_receipt(str(path), "", Row("a", None), [])
    assert read_envelope(str(path)).lexbeam == str(own_build())
    content = json.loads(path.read_text())
    del content["lexbeam"]
    path.write_text(json.dumps(content, separators=(",", ":")))
    assert read_envelope(str(path)).lexbeam == ""
    assert read_receipt(str(path), "", Row) == Row("a", None)


DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize("content", [DEEP, f'{{"check": "x", "files": {DEEP}, "receipt": 1}}', '{"x": ' + DEEP + "}"])
def test_a_receipt_nested_too_deeply_is_damaged(tmp_path, caplog, content):
    (tmp_path / "a.json").write_text(content)
    assert read_envelope(str(tmp_path / "a.json")) is None
    assert read_receipt(str(tmp_path / "a.json"), str(tmp_path), Receipt) is None
    assert "is damaged" in caplog.text


def test_a_sound_envelope_around_something_nested_too_deeply_counts_as_none(tmp_path, caplog):
    content = hashlib.sha256(b"[]\n" + DEEP.encode()).hexdigest()
    text = f'{{"check": "{content}", "files": [], "receipt": {DEEP}}}'
    (tmp_path / "a.json").write_text(text)
    assert read_receipt(str(tmp_path / "a.json"), str(tmp_path), Receipt) is None
    assert "anew" in caplog.text


class Count(NamedTuple):
    kind: str
    reason: str
    words: int
    others: int


class CountingReceipt(NamedTuple):
    counts: tuple[Count, ...]


def test_counts_are_summed_by_what_they_are_of_in_the_order_of_these():
    draw = random.Random(1)
    counts = [Count(draw.choice("ab"), draw.choice("xyz"), draw.randrange(9), draw.randrange(9)) for _ in range(40)]
    receipts = [CountingReceipt(tuple(counts[:15])), CountingReceipt(()), CountingReceipt(tuple(counts[15:]))]
    expected = [
        {"reason": reason, "kind": kind, "words": sum(one.words for one in own)}
        for reason in "xyz"
        for kind in "ab"
        if (own := [one for one in counts if (one.kind, one.reason) == (kind, reason)])
    ]
    assert summed(receipts, ("reason", "kind"), ("words",)) == expected
    assert [row["others"] for row in summed(receipts, (), ("words", "others"))] == [sum(one.others for one in counts)]
    assert summed([], ("kind",), ("words",)) == []


def file_at(path, content=b"content"):
    path.write_bytes(content)
    return File(ArtefactPath(path), len(content), hashlib.sha256(content).hexdigest())


def test_a_file_is_sound_until_a_bit_changes(tmp_path):
    file = file_at(tmp_path / "f")
    assert is_sound(file)
    with open(file.path, "r+b") as stream:
        stream.write(b"C")
    assert is_sound_size(file)
    assert is_sound(file) is False


def test_no_file_and_a_link_are_neither_sound_nor_unsound(tmp_path):
    file = file_at(tmp_path / "f")
    os.rename(file.path, tmp_path / "g")
    assert is_sound(file) is None
    os.symlink("g", file.path)
    assert state_of(file.path) is None
    assert is_sound(file) is None


def test_a_file_is_hashed_once_as_long_as_it_stays(tmp_path, monkeypatch):
    file = file_at(tmp_path / "f")
    assert checked(file) == file.path
    monkeypatch.setattr("lexbeam.transforms.common.store.receipts.stream_digest", lambda _: pytest.fail("hashed"))
    assert checked(file) == file.path


def test_an_artefact_that_is_damaged_is_discarded_and_a_published_part_is_not(tmp_path):
    file = file_at(tmp_path / "f")
    os.truncate(file.path, 2)
    with pytest.raises(Damaged, match="same command again"):
        checked(file)
    assert not os.path.exists(file.path)
    path = str(tmp_path / "part")
    file_at(tmp_path / "part")
    part = Part("scores", 0, path, 1, 7, "0" * 64)
    with pytest.raises(LexbeamError, match="`verify`"):
        checked(part)
    assert os.path.exists(path)


@pytest.mark.parametrize("content", [b"content", b""])
def test_a_file_is_mapped_wherever_it_lies_and_outlives_its_name(content, tmp_path, store):
    digest = hashlib.sha256(content).hexdigest()
    store["store://bucket/a"] = content
    (tmp_path / "a").write_bytes(content)
    for path in (str(tmp_path / "a"), "store://bucket/a"):
        there = mapped(File(ArtefactPath(path), len(content), digest))
        assert there[:] == content
        with pytest.raises(Damaged):
            mapped(File(ArtefactPath(path), len(content), "0" * 64))
        assert there[:] == content
