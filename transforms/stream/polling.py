"""Which of the files that a look finds are handed on: those that have settled, and have not landed.

    polling = Polling(apart=..., most=..., again=...)
    for each look: ready = polling.look(files, at, landed)

Nothing of this has to outlive the process: a file is handed on until it has landed, which the artefacts say, and one
that is handed on twice lands once. Of files that have landed, 16 bytes each are kept; of others, at most `TRACKED`
windows full.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice

from lexbeam.transforms.annotation.landed import Landed, SortedKeys, receipts_since
from lexbeam.transforms.annotation.landing import LAND, file_key
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.batches import BatchReader
from lexbeam.transforms.common.store.receipts import Damaged
from lexbeam.transforms.formats.ingest.listing import GRANULARITY
from lexbeam.transforms.formats.ingest.settling import FileLook, SettlingFile, look_at
from lexbeam.transforms.formats.ingest.stage import InputFile

TRACKED = 4  # times as many files as are on their way are watched until they settle
_CHUNK = 1 << 12


class LandedFiles:
    """The files that have landed under some options.

    Args:
        workspace: where artefacts lie.
        intake: see `landing.intake_of`.
    """

    def __init__(self, workspace: Workspace, intake: str) -> None:
        self._workspace = workspace
        self._intake = intake
        self._seen: set[str] = set()
        self._keys = SortedKeys()

    def look(self) -> None:
        """Take in what has landed since."""
        root = self._workspace.root
        for receipt in receipts_since(root, self._workspace.stage(LAND.name), self._seen):
            if receipt.intake == self._intake:
                self._take(receipt)

    def _take(self, receipt: Landed) -> None:
        with suppress(Damaged, FileNotFoundError), BatchReader() as reader:
            self._keys.add(reader.read(receipt.files, 0)["file"].to_pylist())

    def missing(self, files: Iterable[InputFile]) -> Iterator[InputFile]:
        """Yield those of some files that have not landed."""
        files = iter(files)
        while chunk := list(islice(files, _CHUNK)):
            places = self._keys.find([file_key(file) for file in chunk])
            yield from (file for file, place in zip(chunk, places, strict=True) if place is None)


class Polling:
    """What is known of files that have not landed.

    Args:
        apart: nanoseconds between two looks that agree.
        most: files that are handed on and have not landed, at most: so what waits in the pipeline is bounded.
        again: nanoseconds after which a file that has not landed is handed on again, as after a failure.
    """

    def __init__(self, apart: int, most: int, again: int) -> None:
        self._apart = apart
        self._most = most
        self._again = again
        self._states: dict[str, SettlingFile] = {}
        self._handed: dict[str, tuple[int, InputFile]] = {}

    def look(self, missing: Iterable[InputFile], at: int) -> list[InputFile]:
        """Return the files to hand on now, by name.

        Args:
            missing: the files that are there and have not landed.
            at: when they were listed, in nanoseconds.
        """
        states: dict[str, SettlingFile] = {}
        handed: dict[str, tuple[int, InputFile]] = {}
        ready: dict[str, InputFile] = {}
        limit = (1 + TRACKED) * self._most
        new: list[InputFile] = []
        for file in missing:
            before = self._states.get(file.name)
            if before is None:
                if len(self._states) + len(new) < limit:
                    new.append(file)
                continue
            # A file that was changed a moment ago, or on a store without times, has none.
            apart = self._apart if file.changed else max(self._apart, 2 * GRANULARITY)
            state, settled = look_at(before, FileLook(at, file.size, file.changed), apart)
            states[file.name] = state
            if state.taken:
                sent = self._handed.get(file.name)
                if not settled and sent is not None and at - sent[0] < self._again:
                    handed[file.name] = sent
                else:
                    ready[file.name] = file
        for file in new:
            states[file.name], _ = look_at(None, FileLook(at, file.size, file.changed), 0)
        now = sorted(ready)[: max(0, self._most - len(handed))]
        for name in now:
            handed[name] = at, ready[name]
        self._states, self._handed = states, handed
        return [ready[name] for name in now]
