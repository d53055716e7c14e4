import hashlib
import os

import pytest

from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.formats.ingest import ingestion
from lexbeam.transforms.formats.ingest.file_changes import AllKnown, KnownDigests, number_of
from lexbeam.transforms.formats.ingest.ingestion import Ingest, IngestOptions
from lexbeam.transforms.formats.ingest.input_listing import InputPatterns, ListedUnit, find_files, unit_of

OLD = 1_000_000_000


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for name in "ab":
        (folder / f"{name}.txt").write_text(f"Text {name}.")
    return folder


def found(folder, monkeypatch, later=10):
    """The unit of a folder's files as a listing so many seconds after now has them."""
    from lexbeam.transforms.formats.ingest import input_listing

    now = input_listing.time.time_ns()
    with monkeypatch.context() as patch:
        patch.setattr(input_listing.time, "time_ns", lambda: now + later * 1_000_000_000)
        return unit_of(find_files(InputPatterns((str(folder),), (), "/out")))


def known(unit):
    return [bool(file.known) for file in unit.files]


def digests(tmp_path, bits=2, bucket=1):
    return KnownDigests(Workspace(str(tmp_path / "work")), ListedUnit(bits, bucket, 1, ()))


def kept(tmp_path, unit, **place):
    noted = digests(tmp_path, **place)
    assert noted.fill(unit) == unit
    noted.keep(unit.files, unit.readings)


def test_a_file_that_is_as_it_was_is_not_read_again(texts, tmp_path, monkeypatch):
    unit = found(texts, monkeypatch)
    kept(tmp_path, unit)
    again = digests(tmp_path).fill(found(texts, monkeypatch))
    assert [file.known for file in again.files] == [
        hashlib.sha256(f"Text {name}.".encode()).hexdigest() for name in "ab"
    ]
    monkeypatch.setattr(ingestion, "first_reading", None)  # it would be called
    assert again.content_digests() == [file.known for file in again.files]


def test_all_that_is_known_of_files_is_known_of_each(texts, tmp_path, monkeypatch):
    unit = found(texts, monkeypatch)
    kept(tmp_path, unit)
    every = AllKnown(str(tmp_path / "work"))
    for file, sha256 in zip(unit.files, unit.content_digests(), strict=True):
        assert every.holds(file, number_of(sha256))
        assert not every.holds(file, number_of("0" * 64))
        for other in (file._replace(size=1), file._replace(changed=0), file._replace(changed=1)):
            assert not every.holds(other, number_of(sha256))
    assert not AllKnown(str(tmp_path / "none")).holds(unit.files[0], 0)


def test_what_was_written_since_is_read(texts, tmp_path, monkeypatch):
    kept(tmp_path, found(texts, monkeypatch))
    (texts / "a.txt").write_text("Text A.")
    # Of the same size, and with the time of another: its inode has changed since.
    os.utime(texts / "a.txt", ns=(OLD, OLD))
    assert known(digests(tmp_path).fill(found(texts, monkeypatch))) == [False, True]


def test_times_shortly_before_the_listing_are_not_trusted(texts, tmp_path, monkeypatch):
    unit = found(texts, monkeypatch, later=0)
    kept(tmp_path, unit)
    assert known(digests(tmp_path).fill(found(texts, monkeypatch))) == [False, False]


@pytest.mark.parametrize("place", [{"bits": 3, "bucket": 2}, {"bits": 5, "bucket": 15}, {"bits": 1, "bucket": 0}])
def test_units_that_were_halved_or_joined_ask_those_before(place, texts, tmp_path, monkeypatch):
    kept(tmp_path, found(texts, monkeypatch))
    moved = digests(tmp_path, **place)
    unit = moved.fill(found(texts, monkeypatch))
    assert known(unit) == [True, True]
    moved.keep(unit.files, unit.readings)
    assert len(list((tmp_path / "work" / "listing").iterdir())) == 2


def test_damaged_digests_are_unknown(texts, tmp_path, monkeypatch):
    kept(tmp_path, found(texts, monkeypatch))
    (path,) = (tmp_path / "work" / "listing").iterdir()
    path.write_bytes(path.read_bytes()[:100])
    kept(tmp_path, found(texts, monkeypatch))
    assert known(digests(tmp_path).fill(found(texts, monkeypatch))) == [True, True]


def test_a_wrong_digest_is_found_when_the_file_is_read(texts, tmp_path, monkeypatch):
    right = found(texts, monkeypatch)
    wrong = unit_of(file._replace(known="0" * 64) for file in right.files)
    workspace = Workspace(str(tmp_path / "w"))
    assert make(workspace, Ingest(IngestOptions()), wrong).reasons == {}
    receipts = [make(Workspace(str(tmp_path / w)), Ingest(IngestOptions()), u) for w, u in (("w", wrong), ("x", right))]
    assert receipts[0].keys.sha256 == receipts[1].keys.sha256


def test_what_cannot_be_read_is_not_noted(tmp_path, monkeypatch):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "gone.txt").symlink_to("nowhere")
    unit = found(tmp_path / "texts", monkeypatch)
    kept(tmp_path, unit)
    assert known(digests(tmp_path).fill(unit)) == [False]
