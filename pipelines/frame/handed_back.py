"""What a pipeline hands back to the driver: small files in a folder of one run."""

import os
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from lexbeam.transforms.common.publish.removing import RESULTS
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import ArtefactPath, decode
from lexbeam.transforms.common.store.tables import Part

if TYPE_CHECKING:
    import apache_beam as beam

T = TypeVar("T")
DONE = "done"


class ResultFiles:
    """What a pipeline hands back to the driver: small JSON files in a folder of this run alone.

    The folder's name is random, so that neither an earlier run nor a job that outlives its driver can
    be taken for this one; the name is not published.

    Attributes:
        name: the folder's name, 16 hexadecimal digits.
        folder: its path.
    """

    def __init__(self, work: str, name: str = "") -> None:
        """Make a new folder, or name one that an earlier call has made."""
        self.name = name or secrets.token_hex(8)
        self.folder = files.join(work, RESULTS, self.name)
        if not name:
            files.make_folder(self.folder)

    def path(self, name: str) -> str:
        """Return the file that the pipeline writes the result of this name to."""
        return files.join(self.folder, f"{name}.json")

    def write(self, collections: Mapping[str, "beam.PCollection"]) -> None:
        """Let a pipeline write collections of small rows, by name."""
        from lexbeam.transforms.common.store.ptransforms import WriteResult  # with Beam, which takes seconds

        for name, rows in collections.items():
            rows | f"HandBack{name.title()}" >> WriteResult(self.path(name))

    def write_marked(self, pipeline: "beam.Pipeline", collections: Mapping[str, "beam.PCollection"], mark: str) -> None:
        """Do as `write`, and let the pipeline write a mark when all of them are written."""
        import apache_beam as beam

        from lexbeam.transforms.common.store.ptransforms import WriteResult

        # Nothing follows from them: the mark is written when they have ended.
        written = []
        for name, rows in collections.items():
            ended = rows | f"HandBack{name.title()}" >> WriteResult(self.path(name))
            written.append(ended | f"Follow{name.title()}" >> beam.Filter(bool))
        marks = (pipeline | "Mark" >> beam.Create([mark]), *written)
        marks | "FollowAll" >> beam.Flatten() | "HandBackMark" >> WriteResult(self.path(DONE))

    def mark(self) -> str:
        """Return the mark of a pipeline that has written all of its results; empty until then."""
        return "".join(self.read(DONE, str))

    @property
    def wanted(self) -> str:
        """The file by which the pipeline says that it could not make all, since something was freed that it needs."""
        return self.path("wanted")

    def parts(self) -> tuple[Part, ...]:
        """Return the result `parts`: the parts of tables, as artefacts."""
        return tuple(part._replace(path=ArtefactPath(part.path)) for part in self.read("parts", Part))

    def read(self, name: str, row: type[T]) -> list[T]:
        """Return the rows of a result, each of type `row`; a pipeline with no row writes none."""
        path = self.path(name)
        return decode(files.read_bytes(path), list[row]) if files.exists(path) else []  # type: ignore[valid-type]

    def remove(self) -> None:
        """Remove the files, which are of no use after the run."""
        for name in files.list_folder(self.folder).files:
            files.remove(files.join(self.folder, name))
        if files.is_local(self.folder):
            os.rmdir(self.folder)
