"""A publication that is killed, or that meets errors, at any call that changes files.

Whatever the call: readers see what was published before or what is published then, each whole; the
same publication again ends as if nothing had happened; and files of others stay as they are. The
suite tries a sample of the calls. All of them, as docs/reliability.md has it:

    python -m pytest tests/integration/test_publication_kills.py -m soak -n 0 -s | grep '^|'
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from injector import MODES, Injector, Shelf, compiled, environment_with, publish_made, remember_kernels
from sweeping import Case, Mending, Sweep, copied, seen

from lexbeam.transforms.common.publish import publication
from lexbeam.transforms.common.publish.layout import SNAPSHOTS
from lexbeam.transforms.common.publish.sections import Made
from lexbeam.transforms.common.publish.snapshots import open_snapshot

CASES = {
    "the first": Case((), "a12"),
    "another, and the snapshot before the last goes": Case(("z12", "a12"), "b12"),
    "another, and the last snapshot goes": Case(("a12",), "b12", 1),
    "a section beside others": Case(("a1",), "a2"),
    "a section that takes another along": Case(("z12", "a12"), "b1"),
    "the same again": Case(("z12", "a12"), "a12"),
    "what was published before the last": Case(("a12", "b12"), "a12"),
    "a whole run": Case(("a12",), "b12", whole=True),
}


@pytest.fixture(scope="module")
def injector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Injector]:
    with Injector(compiled(tmp_path_factory.mktemp("faults"))) as made:
        yield made


@pytest.fixture(autouse=True)
def kernels_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for the kernels of BLAS once: what is counted are calls of publication."""
    monkeypatch.setattr(publication, "blas_kernels", publication.blas_kernels)  # put back then
    remember_kernels()


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Path]:
    """A folder for thousands of small folders: in memory where the system has room there."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


# The system's calls that change files; those by which the test finds its way come first.
WATCHED = (
    "stat,newfstatat,openat,open,creat,write,pwrite64,writev,pwritev,sendfile,copy_file_range,"
    "splice,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,"
    "rmdir,truncate,ftruncate,fallocate,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,utime,"
    "utimes,utimensat,futimesat,mknod,mknodat,setxattr,fsetxattr"
)
COUNTED_AS = {"openat": "open64", "open": "open64", "creat": "open64", "sendfile": "sendfile64"}
READING = re.compile(r"\w*stat(at)?\(|open(at)?\((?!.*(O_CREAT|O_TRUNC|O_WRONLY|O_RDWR))")


@pytest.mark.slow
def test_no_call_that_changes_files_goes_uncounted(tmp_path):
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    library, log = compiled(tmp_path), tmp_path / "counted"
    (tmp_path / "shelf").mkdir()
    code = f"import injector; injector.watched('{tmp_path}/out', '{tmp_path}/shelf', '{log}')"
    command = f"strace -f -o {tmp_path}/seen -e trace={WATCHED} env LD_PRELOAD={library}"
    environment = {**environment_with(library), "LD_PRELOAD": ""}
    subprocess.run([*command.split(), sys.executable, "-c", code], env=environment, check=True)
    text = (tmp_path / "seen").read_text()
    match = re.search(r'"/from here, noted in (\d+)".*\n((?:.*\n)*?).*"/to here"', text)
    assert match is not None
    seen = [line.split(maxsplit=1)[1] for line in match[2].splitlines()]
    seen = [
        call.partition("(")[0] for call in seen if not READING.match(call) and not call.startswith(f"write({match[1]},")
    ]
    counted = [line.partition(" ")[0] for line in log.read_text().splitlines()]
    # Closing is watched for its errors alone, and syncing is not done while calls are counted.
    counted = [name for name in counted if name not in ("close", "fsync")]
    assert [COUNTED_AS.get(name, name) for name in seen] == counted
    assert len(counted) > 50


# A run is long, and these do there what the others do.
LEFT_OUT = {"a whole run": ("killed after", "ENOSPC", "EIO")}
SWEEPS = [(name, mode) for name in CASES for mode in MODES if mode not in LEFT_OUT.get(name, ())]
# Of forty calls the suite tries one, in each sweep others.
STEP = 40
all_or_some = pytest.mark.parametrize("step", [STEP, pytest.param(1, marks=pytest.mark.soak)])


def sample(step: int, *sweep: str) -> slice:
    """Return which calls are tried: with a step of 1 all."""
    return slice(int(hashlib.sha256(" ".join(sweep).encode()).hexdigest(), 16) % step, None, step)


@pytest.mark.slow
@all_or_some
@pytest.mark.parametrize(("name", "mode"), SWEEPS)
def test_a_publication_is_whole_or_not_at_all(name, mode, step, injector, room):
    Sweep(room, CASES[name], injector, mode).check(f"{name} | {mode}", sample(step, name, mode))


@pytest.mark.slow
@all_or_some
@pytest.mark.parametrize("mode", MODES)
def test_mending_makes_nothing_worse(mode, step, injector, room):
    sweep = Mending(room, Case(("z12", "a12"), "a12"), injector, mode)
    sweep.check(f"mending | {mode}", sample(step, "mending", mode))


@pytest.mark.slow
@all_or_some
@pytest.mark.parametrize("mode", MODES)
def test_parts_that_cannot_be_linked_are_copied_whole(mode, step, injector, room, tmp_path):
    if os.stat(room).st_dev == os.stat(tmp_path).st_dev:
        pytest.skip("needs two file systems: /dev/shm and that of temporary folders")
    sweep = Sweep(room, Case(("a12",), "b12"), injector, mode, shelf=tmp_path / "shelf")
    sweep.check(f"copies instead of links | {mode}", sample(step, "copies", mode))


def call_of(injector: Injector, out: Path, made: list[Made], ending: str) -> int:
    """Return which call of a publication makes a path with this ending; nothing is published."""
    with tempfile.TemporaryDirectory(dir=out.parent) as folder:
        copy = copied(out, Path(folder, "out"))
        calls = injector.run(publish_made, str(copy), made).calls
    return next(n for n, call in enumerate(calls, 1) if re.search(ending + "$", call))


def test_a_damaged_snapshot_is_still_ours_where_the_record_is_damaged_too(room):
    out, shelf = room / "out", Shelf(room)
    publish_made(str(out), shelf.made("a12"))
    for path in (out / "manifest.json", out / SNAPSHOTS / ".lexbeam"):
        path.resolve().write_bytes(b"damaged")
    assert seen(out), "the manifest's copy is there"
    publish_made(str(out), shelf.made("b12"), 1)
    assert len(list((out / SNAPSHOTS).glob("*/"))) == 1, "what is no longer kept is still there"


# Between these a snapshot is there, and readers do not see it.
BUILT = rf"rename .*/{SNAPSHOTS}/[0-9a-f]{{32}}"
NOTED = rf"rename .*/{SNAPSHOTS}/.lexbeam"


@pytest.mark.parametrize("place", [BUILT, NOTED], ids=["built", "noted"])
def test_what_readers_have_is_kept_though_three_runs_were_killed(place, injector, room):
    out, shelf = room / "out", Shelf(room)
    publish_made(str(out), shelf.made("a12"))
    read = open_snapshot(str(out))
    for label in ("b12", "c12", "d12"):
        made = shelf.made(label)
        at = call_of(injector, out, made, place)
        assert injector.run(publish_made, str(out), made, at=at, mode="killed after").killed
    publish_made(str(out), shelf.made("b12"))
    assert open_snapshot(str(out)).name != read.name
    assert read.damaged() == []
    publish_made(str(out), shelf.made("c12"))
    assert len(list((out / SNAPSHOTS).glob("*/manifest.json"))) == 2, "more than two are kept"


@pytest.mark.parametrize("place", [BUILT, NOTED], ids=["built", "noted"])
def test_what_was_never_published_counts_as_no_snapshot_that_is_kept(place, injector, room):
    out, shelf = room / "out", Shelf(room)
    publish_made(str(out), shelf.made("z12"))
    read = open_snapshot(str(out))
    publish_made(str(out), shelf.made("a12"))
    made = shelf.made("b12")
    at = call_of(injector, out, made, place)
    assert injector.run(publish_made, str(out), made, at=at, mode="killed after").killed
    publish_made(str(out), shelf.made("a12"))
    assert read.damaged() == [], "of the last two that were published, one is gone"
