"""Large files, made on the spot and never on disk, are read in little memory."""

import subprocess
import sys

import pytest

SCRIPT = """
import gzip, io, random, resource, sys, tarfile
from transforms.formats.base import ReaderOptions
from transforms.formats.registry import read_file

kind, megabytes = sys.argv[1], int(sys.argv[2])
rng = random.Random(1)
words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(5000)]
text = [" ".join(rng.choices(words, k=100)) for _ in range(1500)]
piece = {
    "jsonl": lambda: "".join('{"text": "%s"}\\n' % t for t in text),
    "csv": lambda: "".join('1\\t"%s"\\n' % t for t in text),
    "lines": lambda: "".join(t + "\\n" for t in text),
    "tar": lambda: "".join(t + "\\n" for t in text),
    "conllu": lambda: "".join(
        "\\n".join(f"{n}\\t{w}\\t{w}" + "\\t_" * 7 for n, w in enumerate(t.split(), 1)) + "\\n\\n"
        for t in text[:100]
    ),
}[kind]().encode()

def blocks():
    times = megabytes * 2**20 // len(piece)
    if kind == "csv":
        yield b"n\\ttext\\n"
    if kind != "tar":
        yield from (piece for _ in range(times))
        return
    # Members of gzip follow each other as members of tar do.
    info = tarfile.TarInfo("big.txt")
    info.size = len(piece) * times
    yield gzip.compress(info.tobuf())
    packed = gzip.compress(piece)
    yield from (packed for _ in range(times))
    yield gzip.compress(bytes(-info.size % 512 + 1024))

class Made(io.RawIOBase):
    def __init__(self):
        self.blocks, self.left = blocks(), b""
    def readable(self):
        return True
    def readinto(self, buffer):
        self.left = self.left or next(self.blocks, b"")
        data, self.left = self.left[: len(buffer)], self.left[len(buffer):]
        buffer[: len(data)] = data
        return len(data)

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

before, count = peak(), 0
options = ReaderOptions(delimiter="tab")
reader = "lines" if kind == "tar" else kind
for source, entry in read_file("f", "f", format=reader, options=options, open=Made):
    count += len(entry.sentences) if entry.sentences else 1
print(count, peak() - before)
"""

MEGABYTES = 256


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["jsonl", "csv", "lines", "tar", "conllu"])
def test_memory_does_not_grow_with_the_file(kind):
    command = [sys.executable, "-c", SCRIPT, kind, str(MEGABYTES)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    count, grown = map(int, result.stdout.split())
    assert count > 100 * MEGABYTES
    assert grown < 100
