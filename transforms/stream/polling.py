"""Which of the files that a look finds are handed on, and the signs by which it is seen that a stream goes on looking.

    polling = Polling(apart=..., most=..., again=...)
    for each look: ready = polling.look(files, at, landed)

Those are handed on that have settled, and have not landed. Nothing of this has to outlive the process: a file is handed
on until it has landed, which the artefacts say, and one that is handed on twice lands once. Of files that have landed,
16 bytes each are kept; of others, at most `TRACKED` windows full.

    sign = LookSign(root)                  # in the worker that looks
    for each look: sign.give()
    watch = LookWatch(root, seconds)       # in whoever has started the stream, and waits
    now and then: watch.check()
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice

from lexbeam.transforms.annotation.landed_texts import Landed, SortedKeys, receipts_since
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.batches import BatchReader
from lexbeam.transforms.common.store.receipts import Damaged
from lexbeam.transforms.formats.ingest.file_changes import FileLook, SettlingFile, look_at
from lexbeam.transforms.formats.ingest.ingestion import InputFile
from lexbeam.transforms.formats.ingest.input_listing import GRANULARITY
from lexbeam.transforms.stream.landing_windows import Land, file_key

TRACKED = 4  # times as many files as are on their way are watched until they settle
_CHUNK = 1 << 12


class LandedFiles:
    """The files that have landed under some options.

    Args:
        workspace: where artefacts lie.
        intake: see `landing_windows.intake_of`.
    """

    def __init__(self, workspace: Workspace, intake: str) -> None:
        self._workspace = workspace
        self._intake = intake
        self._seen: set[str] = set()
        self._keys = SortedKeys()

    def look(self) -> None:
        """Take in what has landed since."""
        root = self._workspace.root
        for receipt in receipts_since(root, self._workspace.stage(Land.name), self._seen):
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


_SIGN = "stream.looked"
_OFTEN = 15.0  # seconds between two signs at least: a look may come each second, and an object store wants money
_PATIENCE = 600.0  # seconds without a look, at least, after which a stream is taken for dead


class LookSign:
    """Gives a sign of each look, not too often.

    Args:
        root: the folder of artefacts.
    """

    def __init__(self, root: str) -> None:
        self._path = files.join(root, _SIGN)
        self._given = float("-inf")

    def give(self) -> None:
        """Note that the inputs have been looked at."""
        if time.monotonic() - self._given >= _OFTEN:
            files.write_bytes(self._path, f"{time.time():.6f}\n".encode())
            self._given = time.monotonic()


def last_look(root: str) -> float | None:
    """Return when a stream last looked at its inputs, in seconds since 1970, to some 15 s; None: it is not known."""
    with suppress(OSError, LexbeamError, ValueError):
        return float(_sign(root))
    return None


def _sign(root: str) -> bytes:
    return files.read_bytes(files.join(root, _SIGN))


def patience(every: float) -> float:
    """Return after how many seconds without a look a stream that is to look each `every` seconds is taken for dead."""
    return max(_PATIENCE, 60 * every)


class LookWatch:
    """Sees whether a stream goes on looking. Only that signs differ counts, so no two clocks are compared.

    Args:
        root: the folder of artefacts.
        seconds: how long to wait for the next sign.
    """

    def __init__(self, root: str, seconds: float) -> None:
        self._root = root
        self._seconds = seconds
        self._seen = b""
        self._seen = self._look()
        self._at = time.monotonic()

    def _look(self) -> bytes:
        with suppress(OSError, LexbeamError):  # there is none yet, or a store does not answer for once
            return _sign(self._root)
        return self._seen

    def check(self) -> None:
        """Look for a new sign.

        Raises:
            LexbeamError: there has been none for too long.
        """
        sign = self._look()
        if sign != self._seen:
            self._seen, self._at = sign, time.monotonic()
        elif (waited := time.monotonic() - self._at) > self._seconds:
            raise LexbeamError(
                f"the stream has not looked at its inputs for {waited:.0f} s: the runner has lost the step that does, "
                "or has no worker for it. What has landed stays; give the command again, and it goes on"
            )
