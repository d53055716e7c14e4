"""What a pipeline hands back to the driver: small JSON files in a folder of this run alone."""

import json
import secrets
from typing import Any

from transforms.common import files

__all__ = ["Results"]


class Results:
    """The result files of one run.

    The folder has a name of its own, so that neither an earlier run nor a job that outlives its
    driver can be taken for this one; nothing of the name is published.
    """

    def __init__(self, work: str) -> None:
        self._folder = files.join(work, f"results-{secrets.token_hex(8)}")
        files.make_folder(self._folder)

    def path(self, name: str) -> str:
        """Return where the pipeline is to write the result of this name."""
        return files.join(self._folder, f"{name}.json")

    def read(self, name: str) -> list[Any]:
        """Return the rows of a result; a pipeline with no row for it writes none."""
        path = self.path(name)
        return json.loads(files.read_bytes(path)) if files.exists(path) else []
