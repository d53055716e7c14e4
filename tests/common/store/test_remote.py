"""Files that are no objects of `objects`: what Beam's file systems serve, and what is made when it is read."""

import pyarrow as pa
import pytest
from apache_beam.io.filesystem import BeamIOError
from object_store import STORE, Store

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.snapshots import find_snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.objects import StoreFailed
from lexbeam.transforms.common.store.remote import ROWLESS
from lexbeam.transforms.common.store.tables import read_table, write_part


def test_what_is_made_when_it_is_read_can_be_put_anywhere(store, tmp_path):
    rows = pa.table({"word": ["a"], "forms": [["b", "c"]]})
    made = write_part(Artefact(str(tmp_path / "a")), rows.schema, [rows])
    none = write_part(Artefact(str(tmp_path / "none")), rows.schema, [])
    for target in (str(tmp_path / "copy.parquet"), f"{STORE}/copy.parquet"):
        files.link_or_copy(ROWLESS + made.file.path, target)
        assert files.read_bytes(target) == files.read_bytes(none.file.path)
        files.link_or_copy(ROWLESS + target, target + "2")
        assert files.read_bytes(target + "2") == files.read_bytes(target)
    assert files.exists(ROWLESS + made.file.path)
    assert read_table([ROWLESS + made.file.path]).schema.names == ["word", "forms"]
    with pytest.raises(LexbeamError, match=r"no file system for 'other://'.*there are (?!.*rowless)"):
        files.exists("other://a")


def test_a_store_that_fails_has_no_missing_files(store, monkeypatch):
    path = f"{STORE}/a"
    uses = (
        find_snapshot,
        files.exists,
        files.size,
        files.modified,
        files.read_bytes,
        files.open_read,
        files.list_folder,
        files.list_files,
        files.remove,
        lambda path: files.update_bytes(path, lambda _: b"x"),
    )
    assert find_snapshot(path) is None
    assert not files.exists(path)

    def failing(_, place):
        raise BeamIOError("Operation failed", {place: LookupError("ContainerNotFound")})

    monkeypatch.setattr(Store, "_list", failing)
    monkeypatch.setattr(Store, "exists", failing)
    for use in uses:
        with pytest.raises(
            StoreFailed, match=r"'store://.*': the file system fails: .*ContainerNotFound; check the path"
        ):
            use(path)
    assert store == {}
