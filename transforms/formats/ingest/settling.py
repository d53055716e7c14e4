"""When a file that appears is whole: once two looks, some time apart, have found the same size and time of change.

    state = None
    for look in looks:
        state, settled = look_at(state, look, apart=2_000_000_000)

Whoever writes a file beside its place and renames it is not waited for longer than that. What a look finds is all
that is kept of a file, and the times are given, so that a test needs no clock.
"""

from typing import NamedTuple


class FileLook(NamedTuple):
    """What a look at a file found.

    Attributes:
        at: when it was looked at, in nanoseconds, by a clock that does not go back while a file is waited for.
        size: its bytes.
        changed: when it was changed last, in nanoseconds since 1970; 0: nobody knows, and the size alone tells.
    """

    at: int
    size: int
    changed: int


class SettlingFile(NamedTuple):
    """What is known of a file.

    Attributes:
        first: the first look that found it as it is now.
        taken: whether it has been told of as settled since.
    """

    first: FileLook
    taken: bool = False


def look_at(before: SettlingFile | None, look: FileLook, apart: int) -> tuple[SettlingFile, bool]:
    """Return what is known of a file after a look, and whether this look is the one by which it has settled.

    A file that is changed later settles anew. Looks may come twice, or in another order than they were made in: an
    older one tells nothing.

    Args:
        before: what was known of it; None: nothing.
        look: the look.
        apart: nanoseconds that must lie between the two looks that agree; what writes a file may rest meanwhile,
            and file systems note times in steps of up to two seconds.
    """
    if before is None or (look.at > before.first.at and look[1:] != before.first[1:]):
        return SettlingFile(look), False
    if before.taken or look[1:] != before.first[1:] or look.at - before.first.at < apart:
        return before, False
    return before._replace(taken=True), True
