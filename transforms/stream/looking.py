"""When a stream last looked at its inputs: whoever has started it sees by a small file that it goes on.

sign = LookSign(root)                  in the worker that looks
for each look: sign.give()
watch = LookWatch(root, seconds)       in whoever waits
now and then: watch.check()
"""

import time
from contextlib import suppress

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files

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
