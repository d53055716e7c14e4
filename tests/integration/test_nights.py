"""Thirty nights with a hook that fails every third night: each publication is told, and the disk stays flat."""

import random
import shlex
import sys

import pytest
import yaml
from small_runs import call, published

from lexbeam.transforms.common.publish.history import read_history

NIGHTS = 30
KEEP = "published"
WORDS = "ship sea captain sail wind harbour gold letter news king war".split()  # noqa: SIM905
HOOK = """
import os
with open({told!r}, "a") as file:
    print(os.environ["LEXBEAM_SNAPSHOT"], os.environ["LEXBEAM_TOKEN"], file=file)
raise SystemExit(os.path.exists({fails!r}))
"""


def text_of(random_):
    """A text, as long as any other."""
    return "\n\n".join(" ".join(random_.choices(WORDS, k=8)).capitalize() + "." for _ in range(3))


def on_disk(out):
    """Bytes of a folder, each file once however many names it has, and the number of its files; without the history."""
    found = {}
    for path in out.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.name != ".history":
            state = path.stat()
            found[state.st_ino] = state.st_size
    return sum(found.values()), len(found)


@pytest.mark.soak
def test_thirty_nights_tell_each_publication_and_leave_the_disk_flat(tmp_path, capsys):
    random_ = random.Random(30)
    texts, out, told, fails = (tmp_path / name for name in ("texts", "out", "told", "fails"))
    texts.mkdir()
    for number in range(20):
        (texts / f"1800_{number}.txt").write_text(text_of(random_))
    corpus = {"inputs": "texts", "engine": "builtin:en", "dates": "name:^(\\d{4})_", "language": "en"}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump({"out": "out", "parts": 2, "corpus": corpus}))
    hook = shlex.join([sys.executable, "-c", HOOK.format(told=str(told), fails=str(fails))])
    words = ["refresh", tmp_path / "config.yaml", "--keep", KEEP, "--max-change", 1, "--on-publish", hook]
    disk, retries = [], 0
    for night in range(NIGHTS):
        # One text comes, one goes, so that the corpus stays as large as it is; every seventh night nothing does.
        if night % 7:
            (texts / f"1801_{night}.txt").write_text(text_of(random_))
            next(iter(sorted(texts.iterdir()))).unlink()
        if night % 3 == 2:
            fails.touch()
        before = len(read_history(str(out)).publications)
        code = call(*words)
        publications = read_history(str(out)).publications
        untold = [each for each in publications if each.untold]
        changed = len(publications) > before
        assert changed == bool(night == 0 or night % 7)
        if fails.exists():
            assert code == bool(changed), night
            assert len(untold) == changed
            # The scheduler tries again, and it stays red.
            for _ in range(2):
                retries += 1
                assert call(*words) == code
            if night % 2:  # else it is for the next night
                fails.unlink()
                assert call(*words) == 0
                assert not any(each.untold for each in read_history(str(out)).publications)
        else:
            assert (code, untold) == (0, []), night
        fails.unlink(missing_ok=True)
        disk.append(on_disk(out))
    assert call(*words) == 0
    publications = read_history(str(out)).publications
    tokens = [each.token for each in publications]
    assert len(set(tokens)) == len(tokens) == NIGHTS - len(range(7, NIGHTS, 7))
    heard = [line.split() for line in told.read_text().splitlines()]
    assert {tuple(each) for each in heard} == {(each.snapshot, each.token) for each in publications}
    first_heard = list(dict.fromkeys(token for _, token in heard))
    assert first_heard == tokens, "in the order in which they were published"
    assert not any(each.untold for each in publications)
    # Equal to a rebuild, and no larger than after ten nights.
    assert call("run", tmp_path / "config.yaml", "--out", tmp_path / "fresh") == 0
    assert published(out) == published(tmp_path / "fresh")
    # A night shares more or fewer parts with the one before.
    (bytes_then, files_then), (bytes_now, files_now) = (
        tuple(map(max, zip(*some, strict=True))) for some in (disk[5:15], disk[20:])
    )
    with capsys.disabled():
        print(f"\n{NIGHTS} nights, keep {KEEP}: {len(tokens)} publications, {len(heard)} calls of the hook,", end=" ")
        print(f"{retries} retries; at most {bytes_then} bytes in {files_then} files in nights 6 to 15,", end=" ")
        print(f"{bytes_now} in {files_now} in nights 21 to {NIGHTS}")
    assert bytes_now <= 1.1 * bytes_then
    assert files_now <= 1.1 * files_then
    assert (out / "_snapshots" / ".history").stat().st_size <= 1000 * len(publications)
