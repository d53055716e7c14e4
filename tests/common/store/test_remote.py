"""Files that Beam's file systems serve: a store that fails says nothing of a file."""

import pytest
from apache_beam.io.filesystem import BeamIOError
from object_store import STORE, Store

from transforms.common.publish.snapshots import find_snapshot
from transforms.common.store import files
from transforms.common.store.objects import StoreFailed


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
