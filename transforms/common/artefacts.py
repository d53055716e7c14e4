"""Artefacts: files of unfinished work, named by the digest of all that they are made from.

A worker asks for an artefact by its identity; if its receipt is there, an earlier run (or another
worker) has made it, and the receipt is all that is needed. So resume, refresh and late writers are
one mechanism. The receipt is written last: while it is missing, nothing of the artefact counts.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple

from transforms.common import files
from transforms.common.fingerprints import canonical_json, code_digest, digest, environment

__all__ = ["Artefact", "Workspace", "plan", "produce"]


class Workspace(NamedTuple):
    """Where artefacts of a run lie: one folder per stage below `root`."""

    root: str

    def stage(self, name: str) -> str:
        """Return the folder of a stage."""
        return files.join(self.root, name)


class Artefact(NamedTuple):
    """An artefact being made: `path` gives its files' paths, `writing` opens one."""

    stem: str

    def path(self, suffix: str) -> str:
        """Return the path of the artefact's file with this suffix."""
        return f"{self.stem}{suffix}"

    @contextmanager
    def writing(self, suffix: str) -> Iterator[BinaryIO]:
        """Open one of the artefact's files for writing."""
        with files.writing(self.path(suffix)) as stream:
            yield stream


def produce(
    workspace: Workspace, stage: str, identity: Any, build: Callable[[Artefact], Any]
) -> Any:
    """Return the receipt of the artefact with this identity, making the artefact if needed.

    Args:
        workspace: where artefacts lie.
        stage: the stage, a folder's name.
        identity: plain values: every input's digest and every option that can change the result.
            The digests of the code and of the environment are added here.
        build: makes the files and returns the receipt, plain values that JSON keeps as they are.
    """
    name = digest([code_digest(), environment(), stage, identity])
    artefact = Artefact(files.join(workspace.stage(stage), name))
    receipt_path = artefact.path(".json")
    text = _read(receipt_path)
    if text is not None:
        files.touch(receipt_path)  # `lexbeam status` tells by the time what is of this run
    else:
        files.make_folder(workspace.stage(stage))
        # Paths are kept relative to the work folder, which may be moved before a resume.
        text = canonical_json(build(artefact)).replace(_quoted(workspace.root), HERE)
        files.write_bytes(receipt_path, text)
    return json.loads(text.replace(HERE, _quoted(workspace.root)))


HERE = b'"work:/'


def _quoted(root: str) -> bytes:
    """Return how a path in `root` begins in JSON."""
    return canonical_json(root.rstrip("/") + "/")[:-1]


def _read(path: str) -> bytes | None:
    try:
        return files.read_bytes(path)
    except FileNotFoundError:
        return None
    except OSError:
        if files.exists(path):
            raise
        return None


def plan(workspace: Workspace, stage: str, artefacts: int) -> None:
    """Note how many artefacts a stage is to make, for whoever watches the work."""
    files.make_folder(workspace.stage("plan"))
    files.write_bytes(files.join(workspace.stage("plan"), stage), str(artefacts).encode())
