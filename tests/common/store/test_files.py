import glob
import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from apache_beam.io.filesystem import FileSystem
from nets import ends
from object_store import OBJECTS

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files

ROOT = Path(__file__).resolve().parents[3]

# In containers each driver may be process 1.
KILLED = """
import os, sys
os.getpid = lambda: 1
from lexbeam.transforms.common.store import files
with files.writing(sys.argv[1]) as stream:
    stream.write(b"hal")
    stream.flush()
    os._exit(9)
"""


def touch(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())


def test_a_folder_is_listed_by_relative_names_in_order(tmp_path):
    touch(tmp_path, "b.txt", "a/c.txt", ".hidden", ".git/x")
    assert [(e.name, e.size) for e in files.list_files(str(tmp_path))] == [("a/c.txt", 7), ("b.txt", 5)]


def test_a_glob_is_listed_relative_to_its_fixed_part(tmp_path):
    touch(tmp_path, "x/1.txt", "x/2.xml", "y/3.txt")
    found = files.list_files(str(tmp_path / "*" / "*.txt"))
    assert [entry.name for entry in found] == ["x/1.txt", "y/3.txt"]


def test_a_pattern_means_what_it_means_to_glob(tmp_path, monkeypatch):
    """In trees with links to folders, against the standard library, which follows circles until the system refuses."""
    top = tmp_path / "x" / "y" / "z"
    touch(
        top,
        *[
            "a.txt",
            "b.md",
            ".h.txt",
            "a/a.txt",
            "a/b/a.txt",
            "a/b/c/b.md",
            "a/.h/a.txt",
            "[x]/a.txt",
            "b[1]/b.md",
            "c/a/a.txt",
        ],
    )
    (top / "a" / "link").symlink_to(top / "c")
    (top / "gone.txt").symlink_to("nothing")
    monkeypatch.chdir(top)
    parts = ["*", "**", "a", "b", "*.txt", "[!a]*", "..", ".", ".*", "[[]x]", "a.txt"]
    starts, checked = ["", "./", f"{top}/", "a//", "*/", "**/", "../"], 0
    for pattern in map("/".join, [*itertools.product(parts), *itertools.product(parts, repeat=2)]):
        for path in filter(files.is_glob, (start + pattern for start in starts)):
            base = files._fixed_part(path)
            found = (name for name in glob.iglob(path, recursive=True) if not os.path.isdir(name) and name[-1] != "/")
            named = {os.path.relpath(name, base): os.path.abspath(name) for name in found}
            expected = {(n, p) for n, p in named.items() if not any(part.startswith(".") for part in n.split("/"))}
            try:
                listed = {(entry.name, entry.path) for entry in files.find_files(path)}
            except LexbeamError:
                listed = set()
            assert listed == expected, path
            checked += len(expected) > 1
    assert checked > 100


def test_a_pattern_is_listed_without_a_list(tmp_path, monkeypatch):
    """As is seen by what has been looked at when the first file is there."""
    touch(tmp_path, *(f"{folder}/{n}.txt" for folder in "abc" for n in range(5)))
    seen = []
    monkeypatch.setattr(os, "scandir", lambda path, scandir=os.scandir: seen.append(path) or scandir(path))
    for pattern in ("*/*.txt", "**/*.txt", "**"):
        seen.clear()
        next(files.find_files(str(tmp_path / pattern)))
        assert len(seen) <= 3
        assert not any(path.endswith(("b", "c")) for path in seen)
        files.check_there(str(tmp_path / pattern))


def test_a_pattern_does_not_follow_links_in_circles(tmp_path):
    touch(tmp_path, "a/1.txt", "b/2.txt")
    for folder in "ab":
        for target in "ab":
            (tmp_path / folder / f"to-{target}").symlink_to(tmp_path / target)
    names = [entry.name for entry in files.list_files(str(tmp_path / "**" / "*.txt"))]
    assert names == ["a/1.txt", "a/to-b/2.txt", "b/2.txt", "b/to-a/1.txt"]


def test_a_file_is_listed_by_its_name(tmp_path):
    touch(tmp_path, "a.txt")
    (entry,) = files.list_files(str(tmp_path / "a.txt"))
    assert entry.name == "a.txt"
    assert os.path.isabs(entry.path)


def test_nothing_there_is_an_error_that_names_the_path(tmp_path):
    touch(tmp_path, "a.txt")
    for path in ("nowhere", "nowhere/*.txt", "a.txt/*", "*/*/*.txt", "*.md"):
        for look in (files.list_files, files.check_there):
            with pytest.raises(files.NoFilesError, match=re.escape(path)):
                look(str(tmp_path / path))


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = str(tmp_path / "a")
    files.write_bytes(path, b"old")
    with pytest.raises(RuntimeError), files.writing(path) as stream:
        stream.write(b"ne")
        raise RuntimeError
    assert files.read_bytes(path) == b"old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("failing", [None, "first", "second"])
@pytest.mark.parametrize("ends", [("first", "second"), ("second", "first")])
def test_no_half_file_of_writers_with_equal_pids_counts(tmp_path, monkeypatch, failing, ends):
    monkeypatch.setattr(os, "getpid", lambda: 1)
    path = str(tmp_path / "a")
    killed = subprocess.run([sys.executable, "-c", KILLED, path], cwd=ROOT)
    assert killed.returncode == 9
    (left,) = os.listdir(tmp_path)
    assert left != "a"
    # Both are at work at once, and each has written half.
    writers = {name: files.writing(path) for name in ends}
    streams = {name: writer.__enter__() for name, writer in writers.items()}
    for name in ends:
        streams[name].write(name[:3].encode())
        streams[name].flush()
    assert not os.path.exists(path)
    whole = None
    for name in ends:
        streams[name].write(name[3:].encode())
        if name == failing:
            assert not writers[name].__exit__(RuntimeError, RuntimeError(), None)
        else:
            writers[name].__exit__(None, None, None)
            whole = name
        assert os.path.exists(path) == (whole is not None)
        assert whole is None or files.read_bytes(path) == whole.encode()
    assert sorted(os.listdir(tmp_path)) == ["a", left]


def test_remote_paths_go_through_beams_file_systems(tmp_path):
    path = "nosuch://bucket/file"
    for use in (files.read_bytes, files.size, files.list_folder, files.list_files, files.remove):
        with pytest.raises(
            LexbeamError, match=r"no file system for 'nosuch://' of 'nosuch://bucket/.*; there are .*s3://"
        ):
            use(path)
    with pytest.raises(LexbeamError, match="no file system for 'nosuch://'"):
        files.write_bytes(path, b"")
    assert not files.is_local("gs://bucket/file")
    assert files.join("gs://bucket", "a", "b") == "gs://bucket/a/b"


def test_a_folder_is_listed_alike_here_and_on_an_object_store(tmp_path):
    names = ["a.txt", ".hidden", "b/c.txt", "b/d/e.txt", "f[1]/g.txt", "bb"]
    touch(tmp_path, *names)
    (tmp_path / "linked").symlink_to(tmp_path / "a.txt")
    OBJECTS.clear()
    OBJECTS.update({f"store://bucket/in [x]/{name}": name.encode() for name in names})
    OBJECTS["store://bucket/in [x]y/other"] = b""
    for folder in ("", "b", "b/d", "f[1]", "nowhere", "a.txt"):
        local = files.list_folder(os.path.join(tmp_path, folder))
        assert files.list_folder(files.join("store://bucket/in [x]", folder)) == local
    assert files.list_folder(str(tmp_path)) == ((".hidden", "a.txt", "bb"), ("b", "f[1]"))
    assert files.size("store://bucket/in [x]/f[1]/g.txt") == 10


def test_an_object_that_is_not_there_is_as_a_file_that_is_not(tmp_path):
    for path in (str(tmp_path / "none"), "store://bucket/none"):
        with pytest.raises(FileNotFoundError):
            files.read_bytes(path)


def test_links_to_folders_are_followed_but_not_in_circles(tmp_path):
    touch(tmp_path, "in/a/1.txt", "elsewhere/2.txt")
    (tmp_path / "in" / "linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "in" / "a" / "circle").symlink_to(tmp_path / "in")
    (tmp_path / "elsewhere" / "back").symlink_to(tmp_path)
    (tmp_path / "in" / "nowhere.txt").symlink_to("nothing")
    found = [(entry.name, entry.size) for entry in files.list_files(str(tmp_path / "in"))]
    assert found == [("a/1.txt", 10), ("linked/2.txt", 15), ("nowhere.txt", 0)]


def test_a_folder_that_cannot_be_listed_is_an_error_that_names_it(tmp_path, monkeypatch):
    touch(tmp_path, "in/locked/1.txt")
    true = os.scandir

    def scandir(path):
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", str(path))
        return true(path)

    monkeypatch.setattr(os, "scandir", scandir)
    for path in (tmp_path, tmp_path / "*" / "*" / "*.txt", tmp_path / "**" / "*.txt"):
        with pytest.raises(LexbeamError, match=r"locked.*Permission denied"):
            files.list_files(str(path))


def test_a_pipe_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        files.read_bytes(str(tmp_path / "pipe"))


def test_folders_that_link_to_each_other_are_listed_once(tmp_path):
    touch(tmp_path, "a/1.txt", "b/2.txt")
    for number in range(3):
        (tmp_path / "a" / f"l{number}").symlink_to(tmp_path / "b")
        (tmp_path / "b" / f"l{number}").symlink_to(tmp_path / "a")
    assert [entry.name for entry in files.list_files(str(tmp_path))] == ["a/1.txt", "b/2.txt"]
    assert [entry.name for entry in files.list_files(str(tmp_path / "a"))] == ["1.txt", "l0/2.txt"]


def test_no_pattern_of_an_object_store_hangs():
    """Beam's own pattern for this one took hours."""
    OBJECTS.clear()
    names = ["a" * 200 + ".txt", "a" * 200 + "b", "ab/c.txt", "x [1].txt", "x 1.txt", "é.txt"]
    OBJECTS.update({f"store://bucket/in/{name}": b"x" for name in names})
    with ends():
        found = files.list_files("store://bucket/in/" + "*a" * 12 + "*b")
    assert [entry.name for entry in found] == [names[1]]


@pytest.mark.parametrize(
    "pattern",
    [
        "*",
        "**",
        "*.txt",
        "x*",
        "x [[]1].txt",
        "x [!1]*",
        "x ?.txt",
        "é*",
        "a*/*",
        "?.txt",
        "[a-x]*",
        "[!a]*",
        "[^a]*",
        "*[*",
        "a**.txt",
        "*]*",
        "(*",
        "x\\ 1*",
    ],
)
def test_patterns_of_an_object_store_mean_what_beams_mean(pattern):
    OBJECTS.clear()
    names = ["a.txt", "ab/c.txt", "x [1].txt", "x 1.txt", "x^.txt", "é.txt", "b]", "(x"]
    OBJECTS.update({f"store://bucket/in/{name}": b"x" for name in names})
    path = "store://bucket/in/" + pattern
    regex = re.compile(FileSystem.translate_pattern(path))
    expected = sorted(name for name in OBJECTS if regex.match(name))
    try:
        assert sorted(entry.path for entry in files.list_files(path)) == expected
    except LexbeamError:
        assert not expected


def test_writers_of_a_small_file_wait_for_each_other(tmp_path):
    path = str(tmp_path / "count")
    add = "import sys; from lexbeam.transforms.common.store.files import update_bytes\n"
    add += "for _ in range(100): update_bytes(sys.argv[1], lambda before: b'%d' % (int(before or 0) + 1))"
    writers = [subprocess.Popen([sys.executable, "-c", add, path], cwd=ROOT) for _ in range(3)]
    assert [writer.wait() for writer in writers] == [0] * 3
    assert files.read_bytes(path) == b"300"
    files.update_bytes(path, lambda before: None)
    assert os.listdir(tmp_path) == ["count"]
