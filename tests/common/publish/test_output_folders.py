"""Where a command may write: every place that is none is told as what it is."""

import os
import socket
from pathlib import Path

import pytest
from hostile_making import locked

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.publish.leases import check_output_folder, make_output_folder


def make_nothing(path):
    pass


def make_pipe(path):
    os.mkfifo(path)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))


PLACES = {
    "link": (lambda path: path.symlink_to("nowhere"), "", "link that leads nowhere .to 'nowhere'"),
    "link to a file": (lambda path: (path.with_name("f").touch(), path.symlink_to("f")), "", "is a link to a file"),
    "link to itself": (lambda path: path.symlink_to(path.name), "", "links lead in a circle"),
    "file": (Path.touch, "", "is a file: give a folder"),
    "below a file": (Path.touch, "/a/b", "lies below '.*/x', which is a file"),
    "below a dangling link": (
        lambda path: path.symlink_to("nowhere"),
        "/a",
        "lies below '.*/x', which is a link that leads nowhere",
    ),
    "pipe": (make_pipe, "", "is a pipe"),
    "socket": (make_socket, "", "is a socket"),
    "device": (lambda path: path.symlink_to("/dev/full"), "", "is a link to a device"),
    "a long name": (make_nothing, "/" + "x" * 256, "the name is too long"),
    "a long path": (make_nothing, "/" + "x/" * 2500, "the name is too long"),
    "no UTF-8": (make_nothing, "/\udc80", "the path is not UTF-8"),
}


@pytest.mark.parametrize("kind", PLACES)
def test_what_is_no_folder(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make, below, message = PLACES[kind]
    make(tmp_path / "x")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UsageError, match=f"`out` .*{message}"):
        make_output_folder(str(tmp_path / "x") + below)
    assert sorted(tmp_path.iterdir()) == before


def test_the_root_folder_and_home_are_none(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "link").symlink_to(tmp_path)
    for place in (tmp_path, tmp_path / "link", f"{tmp_path}/x/.."):
        with pytest.raises(UsageError, match="is your home folder: give a folder in it"):
            check_output_folder(str(place))
    for place in ("/", "//", "/tmp/.."):
        with pytest.raises(UsageError, match="is the root folder of the file system"):
            check_output_folder(place)


def test_a_folder_that_is_there_or_not_or_behind_a_link_is_one(tmp_path):
    odd = tmp_path / " a\nb%?#*[x] "
    (tmp_path / "link").symlink_to(odd, target_is_directory=True)
    for path in (odd, odd, odd / "x" / "y", tmp_path / "link", tmp_path / "link" / "z"):
        make_output_folder(str(path))
        assert path.is_dir()


@pytest.mark.parametrize("below", ["", "new"])
def test_a_folder_without_permission_is_told(below, tmp_path):
    folder = tmp_path / "x"
    folder.mkdir()
    with locked(folder), pytest.raises(UsageError, match=r"`out` .* cannot be .*no permission"):
        make_output_folder(str(folder / below) if below else str(folder))
    make_output_folder(str(folder))


def test_object_stores_have_no_folders():
    check_output_folder("gs://bucket")
