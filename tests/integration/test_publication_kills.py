"""A publication that is killed, or that meets errors, at any call that changes files.

Whatever the call: readers see what was published before or what is published then, each whole; the
same publication again ends as if nothing had happened; and files of others stay as they are. What
was gone through, as docs/reliability.md has it:

    python -m pytest tests/integration/test_publication_kills.py -n 0 -s | grep '^|'
"""

import contextlib
import functools
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).parent / "faults"))

from injector import (
    MODES,
    Injector,
    Ran,
    Shelf,
    compiled,
    environment_with,
    publish_made,
    remember_kernels,
    run_whole,
)

from pipelines import clean
from transforms.common import publish as publication
from transforms.common.errors import LexbeamError
from transforms.common.layout import SNAPSHOTS, read_record, snapshot_name
from transforms.common.sections import Made
from transforms.common.snapshots import open_snapshot

TABLES = ("documents", "neighbours", "scores", "sentences")
# A name as we give it to temporary files, but of a file that we would never write.
NOT_OURS = "letter.0123456789abcdef.tmp"

# What a reader sees: the digests of each table's parts.
Seen = dict[str, list[str]]


class Case(NamedTuple):
    """A publication on a folder where others came before.

    Attributes:
        before: labels of what was published before, see `Shelf`.
        then: the label of what is published in the test.
        keep: how many snapshots are kept.
        whole: whether a command's whole run is meant, that makes artefacts and frees them.
    """

    before: tuple[str, ...]
    then: str
    keep: int = 2
    whole: bool = False


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
def no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bring nothing to the disk: a kill loses nothing that the system has."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
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


def prepared(folder: Path, case: Case, publish: Callable[[Path, str], Path]) -> Path:
    """Make the folder as it is before the publication, with files of others everywhere."""
    out = folder / "before"
    out.mkdir()
    for label in case.before:
        publish(out, label)
    places = [out, out / "mine"]
    if case.before:
        places += [out / SNAPSHOTS, out / SNAPSHOTS / "mine", out / SNAPSHOTS / ("f" * 32)]
        snapshots = [out / SNAPSHOTS / name for name in read_record(str(out)).snapshots]
        places += [*snapshots, *(snapshot / "documents" for snapshot in snapshots)]
    if case.whole:
        places += [out / "_artefacts", out / "_artefacts" / "corpus" / "merge"]
    for place in places:
        place.mkdir(exist_ok=True)
        (place / "_theirs.txt").write_text(f"theirs, in {place.name}")
    (out / NOT_OURS).write_text("theirs")
    return out


def copied(source: Path, target: Path) -> Path:
    """Make a folder of the same files: links to them, for nothing is ever to be written in them."""
    for place, folders, names in os.walk(source):
        there = target / Path(place).relative_to(source)
        os.mkdir(there)
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        for name in [*links, *names]:
            os.link(os.path.join(place, name), there / name, follow_symlinks=False)
    return target


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def visible(folder: Path) -> list[str]:
    """Return the digests of the files that readers of folders read, in the order of names."""
    return [sha256(path) for path in sorted(folder.iterdir()) if path.name[0] not in "._"]


def seen(out: Path) -> Seen:
    """Return what a reader sees that asks for the snapshot; fail if the ways to see it differ."""
    if snapshot_name(str(out)) is None:
        assert not [table for table in TABLES if (out / table).exists()]
        return {}
    snapshot = open_snapshot(str(out))
    assert snapshot.damaged() == []
    found = {table: [part.sha256 for part in snapshot.parts(table)] for table in snapshot.tables}
    for table in TABLES:
        assert visible(Path(snapshot.folder, table)) == found[table] if table in found else True
        if (out / table).exists():
            assert visible(out / table) == found[table]
    return found


def by_name(out: Path) -> set[str]:
    """Return the tables that can be read as DIR/<table>."""
    return {table for table in TABLES if (out / table).exists()}


def tree(out: Path) -> dict[str, str]:
    """Return what lies in a folder: every path, with a file's digest or a link's target.

    Receipts of artefacts are left out, and notes that their files were freed: they stay.
    """
    found = {}
    for place, folders, names in os.walk(out):
        for path in (Path(place, name) for name in [*folders, *names]):
            if place.endswith("/_artefacts/corpus/merge") and path.suffix in (".json", ".freed"):
                continue
            if path.is_symlink():
                what = f"-> {os.readlink(path)}"
            elif path.name.endswith(".log.json"):
                # Inodes and times stand in it too.
                log = json.loads(path.read_text("utf-8"))
                what = json.dumps([log["sections"], log["manifest"]], sort_keys=True)
            else:
                what = "folder" if path.is_dir() else sha256(path)
            found[str(path.relative_to(out))] = what
    return found


def theirs(out: Path) -> dict[str, str]:
    """Return the files of others, with their content."""
    paths = [*out.rglob("_theirs.txt"), *out.glob(NOT_OURS)]
    # Not by way of our links, which come and go.
    return {str(p.relative_to(out)): p.read_text() for p in paths}


def cleaned(out: Path) -> Path:
    # A run that came to nothing has left nothing to clean.
    with contextlib.suppress(LexbeamError), contextlib.redirect_stdout(io.StringIO()):
        clean.run(clean.CleanOptions(path=str(out)))
    return out


class Sweep:
    """One publication, with each call in turn as its last or as one that fails."""

    def __init__(
        self, folder: Path, case: Case, injector: Injector, mode: str, shelf: Path | None = None
    ) -> None:
        self.folder, self.case, self.injector, self.mode = folder, case, injector, mode
        self.shelf = Shelf(shelf or folder / "shelf")
        self.shelf.folder.mkdir()
        self.made = functools.cache(self.shelf.made)
        self.action = run_whole if case.whole else publish_made
        self.before = prepared(folder, case, self.publish)
        self.old, self.theirs = seen(self.before), theirs(self.before)
        self.numbers = iter(range(10**9))
        self.failures: list[str] = []
        self.wrong: Counter[str] = Counter()

    def copy(self, source: Path) -> Path:
        # Under a name of its own: what a process knows of files, it knows by their paths.
        return copied(source, self.folder / f"out{next(self.numbers)}")

    def arguments(self, out: Path, label: str) -> tuple[str, Any, int]:
        return str(out), label if self.case.whole else self.made(label), self.case.keep

    def publish(self, out: Path, label: str) -> Path:
        self.action(*self.arguments(out, label))
        return out

    def publish_others(self, out: Path) -> Path:
        """Publish so often that nothing before is kept."""
        return self.publish(self.publish(out, "c12"), "d12")

    def run(self) -> int:
        """Go through all calls and return their number."""
        out = self.copy(self.before)
        ran = self.injector.run(self.action, *self.arguments(out, self.case.then))
        self.new = seen(out)
        self.end = tree(cleaned(self.copy(out)))
        self.end_of_others = tree(cleaned(self.publish_others(out)))
        before = [tree(self.before), tree(self.shelf.folder)]
        for number in range(1, len(ran.calls) + 1):
            self.disturb(number)
            for path in self.folder.glob("out*"):
                shutil.rmtree(path)
        after = [tree(self.before), tree(self.shelf.folder)]
        assert after == before, "a file was written that has other names"
        return len(ran.calls)

    def disturb(self, number: int) -> None:
        """Publish with one call as the last, or failing, and look at what comes then."""
        out = self.copy(self.before)
        arguments = self.arguments(out, self.case.then)
        ran = self.injector.run(self.action, *arguments, at=number, mode=self.mode)
        assert ran.killed == self.mode.startswith("killed")
        checks = {
            "readers": lambda: self.check_readers(out, ran),
            "files of others": lambda: self.check_theirs(out),
            "again": lambda: self.check_again(self.copy(out)),
        }
        # The other kills and errors leave nothing that these do not.
        if self.mode == "killed before":
            checks["cleaned, again"] = lambda: self.check_cleaning(self.copy(out))
            checks["others, then"] = lambda: self.check_others(self.copy(out))
        for name, check in checks.items():
            try:
                check()
            except Exception as error:
                place = ran.calls[number - 1].replace(str(out), "DIR")
                text = (str(error) or repr(error)).partition("\n")[0]
                self.failures.append(f"call {number}, {place}: {name}: {text}")
                self.wrong[name] += 1

    def check(self, told: str) -> None:
        """Go through all calls, print how many there were, and fail if anything was wrong."""
        calls = self.run()
        wrong = ", ".join(f"{name}: {number}" for name, number in self.wrong.items())
        print(f"\n| {told} | {calls} | {wrong or 'nothing'} |")
        assert not self.failures, "\n".join(self.failures)

    def check_readers(self, out: Path, ran: Ran) -> None:
        found = seen(out)
        assert found in (self.old, self.new), "readers see neither the old nor the new"
        assert ran.killed or ran.error or found == self.new, "not published, and nothing said so"
        lacking = (set(self.old) & set(self.new)) - by_name(out)
        assert not lacking, f"{lacking} cannot be read by name"

    def check_theirs(self, out: Path) -> None:
        lost = sorted(set(self.theirs.items()) - set(theirs(out).items()))
        assert not lost, f"files of others are elsewhere or other: {lost[0][0]}"

    def check_again(self, out: Path) -> None:
        self.publish(out, self.case.then)
        assert seen(out) == self.new, "readers do not see the new"
        assert by_name(out) == set(self.new), "tables cannot be read by name"
        self.check_theirs(out)
        check_tree(tree(cleaned(out)), self.end)

    def check_cleaning(self, out: Path) -> None:
        found = seen(out)
        assert seen(cleaned(out)) == found, "readers see something else, once it is cleaned"
        self.check_again(out)

    def check_others(self, out: Path) -> None:
        check_tree(tree(cleaned(self.publish_others(out))), self.end_of_others)


class Mending(Sweep):
    """What is published is published again, after some of it was damaged."""

    def __init__(self, folder: Path, case: Case, injector: Injector, mode: str) -> None:
        super().__init__(folder, case, injector, mode)
        snapshot = Path(open_snapshot(str(self.before)).folder)
        missing, *_ = sorted((snapshot / "documents").glob("part-*"))
        missing.unlink()
        for path in (
            sorted((snapshot / "sentences").glob("part-*"))[-1],
            snapshot / "manifest.json",
        ):
            path.unlink()  # artefacts may share its bytes
            path.write_bytes(b"damaged")
        (self.before / "scores").unlink()
        self.damaged = self.parts(self.before)

    def parts(self, out: Path) -> dict[str, str]:
        folder = out / "current"
        return {
            str(path.relative_to(folder)): sha256(path)
            for path in folder.glob("*/*")
            if path.name[0] not in "._"
        }

    def check_readers(self, out: Path, ran: Ran) -> None:
        whole = open_snapshot(str(out))
        wanted = {
            os.path.relpath(part.path, whole.folder): part.sha256
            for table in whole.tables
            for part in whole.parts(table)
        }
        found = self.parts(out)
        assert set(found) <= set(wanted), f"files that are no parts: {set(found) - set(wanted)}"
        assert set(self.damaged) <= set(found), f"lost: {set(self.damaged) - set(found)}"
        worse = {p for p in found if found[p] not in (wanted[p], self.damaged.get(p))}
        assert not worse, f"neither as before nor whole: {worse}"
        assert ran.killed or ran.error or found == wanted, "not mended, and nothing said so"

    def check_cleaning(self, out: Path) -> None:
        self.check_again(cleaned(out))


def check_tree(found: dict[str, str], wanted: dict[str, str]) -> None:
    """Check that a folder is as it should be; if not, name the first of what differs."""
    other = sorted({path for path, _ in set(found.items()) ^ set(wanted.items())})
    assert not other, f"{len(other)} paths are not as if undisturbed, {other[0]}"


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
    seen = [call.partition("(")[0] for call in seen
            if not READING.match(call) and not call.startswith(f"write({match[1]},")]  # fmt: skip
    counted = [line.partition(" ")[0] for line in log.read_text().splitlines()]
    # Closing is watched for its errors alone, and syncing is not done while calls are counted.
    counted = [name for name in counted if name not in ("close", "fsync")]
    assert [COUNTED_AS.get(name, name) for name in seen] == counted
    assert len(counted) > 50


# A run is long, and these do there what the others do.
LEFT_OUT = {"a whole run": ("killed after", "EIO")}
SWEEPS = [(name, mode) for name in CASES for mode in MODES if mode not in LEFT_OUT.get(name, ())]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mode"), SWEEPS)
def test_a_publication_is_whole_or_not_at_all(name, mode, injector, room):
    Sweep(room, CASES[name], injector, mode).check(f"{name} | {mode}")


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_mending_makes_nothing_worse(mode, injector, room):
    Mending(room, Case(("z12", "a12"), "a12"), injector, mode).check(f"mending | {mode}")


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_parts_that_cannot_be_linked_are_copied_whole(mode, injector, room, tmp_path):
    if os.stat(room).st_dev == os.stat(tmp_path).st_dev:
        pytest.skip("needs two file systems: /dev/shm and that of temporary folders")
    case = Case(("a12",), "b12")
    Sweep(room, case, injector, mode, shelf=tmp_path / "shelf").check(
        f"copies instead of links | {mode}"
    )


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
