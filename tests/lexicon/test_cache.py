"""The cache of compiled resources: shared, killed, damaged, cleaned."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import toy_kind

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.machine import default_cache
from lexbeam.transforms.common.store import receipts
from lexbeam.transforms.common.store.files import list_files
from lexbeam.transforms.lexicon import resource_cache
from lexbeam.transforms.lexicon.resource_cache import KINDS, clean_cache


def compiling(toy):
    """Start a process that compiles the toy."""
    command = [sys.executable, toy_kind.__file__, str(toy.cache), str(toy.path)]
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{os.environ.get('PYTHONPATH')}"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def until(happened):
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def files_of(toy, ending):
    walked = os.walk(toy.cache)  # which passes over what another process renames meanwhile
    return sorted(Path(at, name) for at, _, names in walked for name in names if name.endswith(ending))


@pytest.mark.slow
def test_two_processes_at_once_compile_once(toy):
    (toy.folder / "toy.txt.wait").touch()
    first = compiling(toy)
    until(lambda: (toy.folder / "toy.txt.compiled").exists())
    second = compiling(toy)
    time.sleep(0.5)  # it comes to the lock, or would compile
    (toy.folder / "toy.txt.wait").unlink()
    told = [process.communicate(timeout=60)[0] for process in (first, second)]
    assert told == [f"{toy.prepare().compiled.digest} [2.0, None]\n"] * 2
    assert toy.compiled == 1


@pytest.mark.slow
def test_of_two_processes_one_is_killed_and_the_other_makes_it_whole(toy):
    (toy.folder / "toy.txt.wait").touch()
    first = compiling(toy)
    until(lambda: files_of(toy, ".arrow"))  # half of it is there, and no receipt
    second = compiling(toy)
    time.sleep(0.5)
    assert second.poll() is None
    first.send_signal(signal.SIGKILL)
    first.communicate()
    (toy.folder / "toy.txt.wait").unlink()
    told, _ = second.communicate(timeout=60)
    assert told == f"{toy.prepare().compiled.digest} [2.0, None]\n"
    assert toy.compiled == 2
    # A third finds it whole.
    assert compiling(toy).communicate(timeout=60)[0] == told
    assert toy.compiled == 2


@pytest.mark.slow
def test_cleaning_leaves_what_is_being_made(toy):
    (toy.folder / "toy.txt.wait").touch()
    process = compiling(toy)
    until(lambda: files_of(toy, ".arrow"))
    half = files_of(toy, "")
    clean_cache(str(toy.cache))
    assert files_of(toy, "") == half
    (toy.folder / "toy.txt.wait").unlink()
    told, _ = process.communicate(timeout=60)
    assert told == f"{toy.prepare().compiled.digest} [2.0, None]\n"
    assert toy.compiled == 1


def test_a_source_that_changes_while_it_is_compiled_is_not_kept_under_its_old_name(toy, monkeypatch):
    old = toy.path.read_text()

    def compile_changing(paths, options):
        toy.path.write_text("one 10\ntwo 2\n")
        yield from toy_kind.compile_toy(paths, options)

    monkeypatch.setitem(KINDS, "toy", toy_kind.TOY._replace(compile=compile_changing))
    with pytest.raises(LexbeamError, match=r"resource 'toy': .*changed while it was compiled"):
        toy.prepare()
    toy.path.write_text(old)
    monkeypatch.setitem(KINDS, "toy", toy_kind.TOY)
    assert toy.prepare().open().look_up(["one"]) == [1]


def forget(monkeypatch):
    monkeypatch.setattr(receipts, "_SOUND", {})


def flip(path, *, keep_time):
    before = path.stat()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    if keep_time:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def cut(path, *, keep_time):
    path.write_bytes(path.read_bytes()[:-1])


def remove(path, *, keep_time):
    path.unlink()


@pytest.mark.parametrize("damage", [flip, cut, remove])
@pytest.mark.parametrize("keep_time", [True, False])
@pytest.mark.parametrize("ending", [".arrow", ".npy", ".json"])
def test_what_is_damaged_is_made_anew(toy, monkeypatch, damage, keep_time, ending):
    whole = toy.prepare()
    (path,) = files_of(toy, ending)
    damage(path, keep_time=keep_time)
    forget(monkeypatch)
    mended = toy.prepare()
    assert toy.compiled == 2
    assert mended == whole
    assert mended.open().look_up(["two", "none"]) == [2, None]


def test_a_digest_is_taken_once_per_machine(toy, monkeypatch):
    toy.prepare()
    forget(monkeypatch)
    monkeypatch.setattr(receipts, "stream_digest", None)  # nothing is hashed, or this would fail
    assert toy.prepare().open().look_up(["four"]) == [4]
    assert toy.compiled == 1


def test_content_and_options_name_an_entry_and_its_place_does_not(toy):
    first = toy.prepare()
    toy.path = toy.path.rename(toy.folder / "moved.txt")
    assert toy.prepare().compiled == first.compiled
    assert not (toy.folder / "moved.txt.compiled").exists()
    twice = toy.prepare("factor=2")
    assert twice.compiled != first.compiled
    assert twice.open().look_up(["two"]) == [4]
    assert first.open().look_up(["two"]) == [2]
    toy.path.write_text("two 7\nseven 1\n")
    assert toy.prepare().open().look_up(["two"]) == [7]


def test_a_source_that_breaks_off_leaves_no_half_of_it(toy):
    with pytest.raises(LexbeamError, match="4 rows where 5 were announced"):
        toy.prepare("broken=1")  # after the table of words was written
    assert not files_of(toy, ".arrow")


def test_a_source_that_is_wrong_leaves_nothing_and_says_which(toy):
    toy.path.write_text("one 1 1\n")
    with pytest.raises(LexbeamError, match=r"resource 'toy': .*toy.txt: a line is not"):
        toy.prepare()
    assert not files_of(toy, ".json")
    toy.path.unlink()
    with pytest.raises(LexbeamError, match=r"toy\.txt"):
        toy.prepare()


@pytest.mark.parametrize(("place", "message"), [("gs://bucket/cache", "of this machine"), ("toy.txt", "LEXBEAM_CACHE")])
def test_a_cache_that_cannot_be_one_is_an_error_with_a_remedy(toy, monkeypatch, place, message):
    if "://" not in place:
        place = str(toy.folder / place)
    monkeypatch.setenv("LEXBEAM_CACHE", place)
    with pytest.raises(UsageError, match=message):
        toy.prepare()


def test_a_cache_that_may_only_be_read_is_an_error_with_a_remedy(toy, monkeypatch):
    toy.prepare()

    def refused(path, *_):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(resource_cache.os, "open", refused)  # of locks: root may write anywhere
    assert toy.prepare().open().look_up(["four"]) == [4]  # it is there, and whole
    for use in (lambda: toy.prepare("factor=2"), lambda: clean_cache(str(toy.cache))):
        with pytest.raises(UsageError, match=r"cache' cannot be written to \(Permission denied\)"):
            use()


def test_the_default_is_the_variable_or_the_users_cache(monkeypatch):
    monkeypatch.setenv("LEXBEAM_CACHE", "/somewhere")
    assert default_cache() == "/somewhere"
    monkeypatch.delenv("LEXBEAM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/users/cache")
    assert default_cache() == "/users/cache/lexbeam"


def test_cleaning_is_of_folders_of_this_machine(toy, monkeypatch):
    with pytest.raises(UsageError, match="must be a folder of this machine"):
        clean_cache("store://bucket/cache")
    toy.prepare()
    walk = os.walk

    def late(root, **options):  # what another process renames while it is counted
        for folder, folders, names in walk(root, **options):
            yield folder, folders, [*names, "gone.tmp"]

    monkeypatch.setattr(resource_cache.os, "walk", late)
    assert clean_cache(str(toy.cache)) > 0


def test_cleaning_removes_what_is_ours_and_nothing_else(toy):
    toy.prepare()
    folder = files_of(toy, ".arrow")[0].parent
    foreign = [toy.cache / "mine.txt", folder / "mine.arrow", folder / "notes.lock"]
    for path in foreign:
        path.write_text("mine")
    model = toy.cache / "encoders" / ("a" * 64)
    model.mkdir(parents=True)
    (model / "config.json").write_text("{}")
    (folder / f"{'0' * 32}-words.arrow.{'1' * 16}.tmp").write_text("of a killed process")
    held = files_of(toy, ".lock")[0]
    used = set(folder.glob(f"{held.stem}*"))
    with open(held, "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert clean_cache(str(toy.cache)) > 0
        assert {Path(entry.path) for entry in list_files(str(toy.cache))} == {*foreign, *used}
    assert clean_cache(str(toy.cache)) > 0
    assert {Path(entry.path) for entry in list_files(str(toy.cache))} == set(foreign)
    assert clean_cache(str(toy.cache)) == 0
    assert toy.prepare().open().look_up(["one"]) == [1]
    assert toy.compiled == 2
    assert clean_cache(str(toy.folder)) == 0


def test_a_new_cache_is_its_users_alone_and_one_that_is_there_stays_as_it_is(toy):
    toy.prepare()
    assert toy.cache.stat().st_mode & 0o777 == 0o700
    toy.cache.chmod(0o755)
    toy.prepare("factor=2")
    assert toy.cache.stat().st_mode & 0o777 == 0o755
