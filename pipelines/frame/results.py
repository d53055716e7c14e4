"""What a pipeline hands back to the driver: small JSON files in a folder of this run alone."""

import os
import secrets
from collections.abc import Mapping
from typing import Any, TypeVar

from transforms.common.publish.removing import RESULTS
from transforms.common.store import files
from transforms.common.store.receipts import ArtefactPath, decode
from transforms.common.store.tables import Part

__all__ = ["ResultFiles"]

T = TypeVar("T")


class ResultFiles:
    """The result files of one run.

    The folder has a name of its own, so that neither an earlier run nor a job that outlives its
    driver can be taken for this one; nothing of the name is published.
    """

    def __init__(self, work: str) -> None:
        self._folder = files.join(work, RESULTS, secrets.token_hex(8))
        files.make_folder(self._folder)
        self._names: list[str] = []

    def path(self, name: str) -> str:
        """Return where the pipeline is to write the result of this name."""
        self._names.append(name)
        return files.join(self._folder, f"{name}.json")

    def write(self, handed: Mapping[str, Any]) -> None:
        """Let a pipeline write collections of small rows, by name."""
        from transforms.common.store.ptransforms import WriteResult  # with Beam, which takes seconds

        for name, rows in handed.items():
            rows | f"HandBack{name.title()}" >> WriteResult(self.path(name))

    def parts(self) -> tuple[Part, ...]:
        """Return the parts of tables, of the name `parts`, as artefacts."""
        found = self.read("parts", Part)
        return tuple(part._replace(path=ArtefactPath(part.path)) for part in found)

    def read(self, name: str, row: type[T]) -> list[T]:
        """Return the rows of a result, each of type `row`; a pipeline with no row writes none."""
        path = files.join(self._folder, f"{name}.json")
        return decode(files.read_bytes(path), list[row]) if files.exists(path) else []  # type: ignore[valid-type]

    def remove(self) -> None:
        """Remove the files, which are of no use after the run."""
        for name in self._names:
            files.remove(files.join(self._folder, f"{name}.json"))
        if files.is_local(self._folder):
            os.rmdir(self._folder)
