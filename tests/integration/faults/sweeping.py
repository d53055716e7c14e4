"""Goes through a publication call by call: each in turn is its last, or fails.

    Sweep(folder, Case(("a12",), "b12"), injector, "killed before").check("what is told")

or every eighth from the third: `check("what is told", slice(2, None, 8))`.

After each, what readers see is looked at, then what the same publication, `lexbeam clean` and other
publications make of it.
"""

import contextlib
import functools
import hashlib
import io
import itertools
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from injector import Injector, Ran, Shelf, publish_made, run_whole

from lexbeam.pipelines.commands.folder.survey import CleanOptions
from lexbeam.pipelines.frame.running import run_command
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.history import read_history
from lexbeam.transforms.common.publish.layout import HISTORY, RUN_LOG, SNAPSHOTS, read_record, snapshot_name
from lexbeam.transforms.common.publish.snapshots import open_snapshot

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
            elif path.name.endswith(RUN_LOG):
                what = "what stages took"
            elif path.name == HISTORY:
                # Which publications were disturbed stands in it, and when.
                history = read_history(str(out))
                names = [each.snapshot for each in history.publications]
                assert all(one != next for one, next in itertools.pairwise(names)), "one is noted twice"
                what = f"{names[-1]} {history.tags}"
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
        run_command("clean", CleanOptions(path=str(out)), tell=print)
    return out


class Sweep:
    """One publication, with each call in turn as its last or as one that fails."""

    def __init__(self, folder: Path, case: Case, injector: Injector, mode: str, shelf: Path | None = None) -> None:
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

    def run(self, which: slice) -> int:
        """Go through the calls, all or some of them, and return their number."""
        out = self.copy(self.before)
        ran = self.injector.run(self.action, *self.arguments(out, self.case.then))
        self.new = seen(out)
        self.end = tree(cleaned(self.copy(out)))
        self.end_of_others = tree(cleaned(self.publish_others(out)))
        before = [tree(self.before), tree(self.shelf.folder)]
        numbers = range(1, len(ran.calls) + 1)[which]
        for number in numbers:
            self.disturb(number)
            for path in self.folder.glob("out*"):
                shutil.rmtree(path)
        after = [tree(self.before), tree(self.shelf.folder)]
        assert after == before, "a file was written that has other names"
        return len(numbers)

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

    def check(self, told: str, which: slice = slice(None)) -> None:
        """Go through the calls, print how many there were, and fail if anything was wrong."""
        calls = self.run(which)
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
        for path in (sorted((snapshot / "sentences").glob("part-*"))[-1], snapshot / "manifest.json"):
            path.unlink()  # artefacts may share its bytes
            path.write_bytes(b"damaged")
        (self.before / "scores").unlink()
        self.damaged = self.parts(self.before)

    def parts(self, out: Path) -> dict[str, str]:
        folder = out / "current"
        return {str(path.relative_to(folder)): sha256(path) for path in folder.glob("*/*") if path.name[0] not in "._"}

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
