"""Units of files: which files are taken in together follows from each file's name, and from how many there are.

A file of `UNIT_BYTES` or more is a unit by itself. The others are dealt out to 2 ** bits buckets by the digest of
their names, so that a file that comes, changes or goes touches its own unit. How many bits there are follows from
the files' number and bytes; a number that was used before stays as long as it is at most one off.
"""

from collections.abc import Iterable

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.formats.ingest.stage import InputFile, Unit

UNIT_BYTES = 4 << 20
UNIT_FILES = 1000  # however small they are: units are what is dealt out, resumed and kept in memory
KEY_BITS = 63  # of a key, which a signed integer of 64 bits holds


def key_of(name: str) -> int:
    """Return the number, 0 to 2 ** 63 - 1, whose first bits say the bucket of a file with this published name."""
    return int(digest(name)[:16], 16) >> 64 - KEY_BITS


def bits_for(files: int, size: int, kept: int | None = None) -> int:
    """Return how many bits of keys say the bucket of files that are no units by themselves.

    There are the fewest buckets with which one has at most `UNIT_BYTES` and `UNIT_FILES` on average.

    Args:
        files: how many there are.
        size: their bytes.
        kept: how many bits an earlier run took.
    """
    least = max(-(-files // UNIT_FILES), -(-size // UNIT_BYTES), 1)
    bits = (least - 1).bit_length()
    return kept if kept is not None and abs(kept - bits) <= 1 else bits


def units_of(files: Iterable[InputFile], bits: int | None = None) -> list[Unit]:
    """Return files in units that are taken in together, in the order of their first names.

    Args:
        files: the files.
        bits: how many bits of keys say the bucket; None: as many as `bits_for` says.
    """
    small: list[InputFile] = []
    units = []
    for file in files:
        if file.size >= UNIT_BYTES:
            units.append(unit_of([file]))
        else:
            small.append(file)
    if bits is None:
        bits = bits_for(len(small), sum(file.size for file in small))
    buckets: dict[int, list[InputFile]] = {}
    for file in small:
        buckets.setdefault(key_of(file.name) >> KEY_BITS - bits, []).append(file)
    units += map(unit_of, buckets.values())
    return sorted(units, key=lambda unit: unit.files[0].name)


def unit_of(files: Iterable[InputFile]) -> Unit:
    """Return the unit of some files, whatever their order."""
    held = sorted(files, key=lambda file: file.name)
    return Unit(tuple(held), sum(file.size for file in held))
