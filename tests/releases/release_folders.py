"""Folders as releases have made them: a small world of each kind of task, published twice, in an archive.

    python tests/releases/release_folders.py          # `make fixture`: those of the code that is installed

Later versions are to read and refresh them, see `tests/integration/test_upgrades.py`.
"""

import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
RELEASES = sorted((path.name for path in HERE.iterdir() if path.is_dir() and path.name[:1].isdigit()), reverse=True)
# A cache is remade wherever it is not, and a lock names a process.
LEFT_OUT = ("cache", ".lock")


def kinds_of(release: str) -> list[str]:
    """Return the kinds of worlds that there are of a release, see `refreshed.KINDS`."""
    return sorted(path.name.partition(".")[0] for path in (HERE / release).glob("*.tar.xz"))


def unpacked(release: str, kind: str, folder: Path) -> Path:
    """Unpack the world of a release into a folder; return its own, with `config.yaml`, inputs and `out`."""
    with tarfile.open(HERE / release / f"{kind}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder / kind


def _make() -> None:
    sys.path[:0] = [str(HERE.parent / name) for name in ("integration", "lexicon", "")]
    import refreshed

    said = subprocess.run([sys.executable, "-m", "lexbeam.pipelines.cli", "--version"], capture_output=True, text=True)
    release = HERE / said.stdout.split()[1]
    release.mkdir(exist_ok=True)
    top = Path(tempfile.mkdtemp())
    for kind, how in refreshed.KINDS.items():
        (top / kind).mkdir()
        world = refreshed.make_world(top / kind, kind)
        assert refreshed.refresh(world) == 0
        more = random.Random("more")
        if how.files == "texts":
            (world / "texts" / "1900_9.txt").write_text(refreshed.text_of(more))
        else:
            refreshed.write_labelled(world / how.files, more)
        assert refreshed.refresh(world, *refreshed.ANY) == 0
        with tarfile.open(release / f"{kind}.tar.xz", "w:xz", preset=9) as archive:
            archive.add(world, kind, filter=_ours)
    shutil.rmtree(top)


def _ours(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Return a member of an archive, of nobody's; None for what is left out."""
    if member.name.rpartition("/")[2] in LEFT_OUT:
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    _make()
