import bz2
import errno
import gzip
import io
import lzma
import tarfile
import zipfile

import pyarrow as pa
import pytest
from reading import read, summary

from lexbeam.transforms.common.names import member_of
from lexbeam.transforms.formats.readers.registry import read_file

COMPRESS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: bytes(pa.Codec("zstd").compress(data, asbytes=True)),
}


def tar(members, links=()):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for name in links:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(info)
    return out.getvalue()


def zipped(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def outcome(data, name, **options):
    return [
        (source, getattr(entry, "text", None) or entry.reason) for source, entry in read(data, name=name, **options)
    ]


MEMBERS = [
    ("dir/", b""),
    ("dir/a.txt", b"one"),
    ("b.jsonl", b'{"text": "two"}\n{"text": "three"}\n'),
    (".hidden", b"no"),
    ("__MACOSX/a.txt", b"no"),
    ("empty.txt", b""),
    ("c.txt.gz", gzip.compress(b"four")),
    ("../d.txt", b"five"),
    ("../.d.txt", b"five"),
    (".x/../../d.txt", b"five"),
    ("..\\d.txt", b"five"),
    ("/e.txt", b"six"),
    ("f.tar", tar([("x.txt", b"seven")])),
    ("last.xml", b"<TEI><text><body><p>eight</p></body></text></TEI>"),
]
EXPECTED = [
    ("dir/a.txt", "one"),
    ("b.jsonl", "two"),
    ("b.jsonl", "three"),
    ("empty.txt", "empty"),
    ("c.txt.gz", "four"),
    ("../d.txt", "unsafe"),
    ("../.d.txt", "unsafe"),
    (".x/../../d.txt", "unsafe"),
    ("..\\d.txt", "unsafe"),
    ("/e.txt", "unsafe"),
    ("f.tar", "unreadable"),
    ("last.xml", "eight"),
]


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compression_is_undone(suffix):
    data = COMPRESS[suffix](b'{"text": "one"}\n{"text": "two"}')
    assert summary(data, name="a.jsonl" + suffix) == ["one", "two"]
    assert summary(data, name="named-otherwise", format="jsonl") == ["one", "two"]
    assert summary(data[:-3], name="a.txt" + suffix, format="text") == [("", "malformed")]
    assert summary(b"plain", name="a.txt" + suffix) == [("", "malformed")]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_what_comes_before_a_break_is_kept(suffix):
    lines = b"".join(b'{"text": "%d"}\n' % (n * n * 7919) for n in range(50_000))
    found = summary(COMPRESS[suffix](lines)[:-50], name="a.jsonl" + suffix)
    assert len(found) > 10_000 or suffix == ".bz2"
    assert found[-1] == ("", "malformed")
    assert all(isinstance(text, str) for text in found[:-2])


def test_members_of_a_zip_archive():
    data = zipped(MEMBERS)
    assert outcome(data, "z.zip") == [(member_of("z.zip", name), what) for name, what in EXPECTED]


@pytest.mark.parametrize("suffix", ["", *COMPRESS])
def test_members_of_a_tar_archive(suffix):
    data = tar(MEMBERS[1:], links=["link"])
    data = COMPRESS[suffix](data) if suffix else data
    name = "t.tar" + suffix
    expected = [(member_of(name, member), what) for member, what in [*EXPECTED, ("link", "unsafe")]]
    assert outcome(data, name) == expected


def test_a_tar_archive_is_read_from_a_stream_that_only_runs_forward():
    from lexbeam.transforms.formats.readers.registry import read_file

    class Pipe(io.RawIOBase):
        def __init__(self, data):
            self.inner = io.BytesIO(data)

        def readable(self):
            return True

        def readinto(self, buffer):
            data = self.inner.read(min(len(buffer), 1000))
            buffer[: len(data)] = data
            return len(data)

    data = gzip.compress(tar([("a.txt", b"x" * 5000), ("b.txt", b"y")]))
    found = list(read_file("t", "t.tar.gz", open=lambda: Pipe(data)))
    assert [len(entry.text) for _, entry in found] == [5000, 1]


def test_broken_archives_are_one_reject_more():
    data = tar([("a.txt", b"one"), ("b.txt", b"two" * 1000), ("c.txt", b"three")])
    cut_in_member = data[:2048]
    assert outcome(cut_in_member, "t.tar") == [("t.tar!a.txt", "one"), ("t.tar!b.txt", "malformed")]
    cut_at_member = data[:1024]
    assert outcome(cut_at_member, "t.tar") == [("t.tar!a.txt", "one"), ("t.tar", "malformed")]
    damaged = bytearray(data)
    damaged[1024:1030] = b"\xff" * 6  # the second header: its checksum fails
    assert outcome(bytes(damaged), "t.tar") == [("t.tar!a.txt", "one"), ("t.tar", "malformed")]
    packed = bytearray(gzip.compress(data))
    packed[-6] ^= 1
    assert outcome(bytes(packed), "t.tar.gz")[-1] == ("t.tar.gz", "malformed")
    assert outcome(b"nonsense" * 100, "t.tar") == [("t.tar", "malformed")]
    assert outcome(b"nonsense" * 100, "t.tgz") == [("t.tgz", "malformed")]
    assert outcome(tar([]), "t.tar") == [("t.tar", "empty")]
    whole = zipped([("a.txt", b"one" * 100), ("b.txt", b"two")])
    assert outcome(whole[:-30], "z.zip") == [("z.zip", "malformed")]
    flipped = bytearray(whole)
    flipped[40] ^= 0xFF
    assert outcome(bytes(flipped), "z.zip") == [("z.zip!a.txt", "malformed"), ("z.zip!b.txt", "two")]
    assert outcome(zipped([]), "z.zip") == [("z.zip", "empty")]
    assert outcome(b"7z\xbc\xaf'\x1c...", "x.7z") == [("x.7z", "unreadable")]


def bomb(suffix):
    return COMPRESS[suffix](b"\n" * (17 << 20))


@pytest.mark.parametrize("suffix", COMPRESS)
def test_an_archive_bomb_is_stopped_by_ratio(suffix):
    data = bomb(suffix)
    assert summary(data, name="a.txt" + suffix) == [("", "unsafe")]


def test_bombs_within_archives_are_stopped():
    data = zipped([("a.txt", b"0 " * (10 << 20)), ("b.txt", b"one")])
    assert outcome(data, "z.zip") == [("z.zip!a.txt", "unsafe"), ("z.zip!b.txt", "unsafe")]
    data = gzip.compress(tar([("a.txt", b"0 " * (10 << 20)), ("b.txt", b"one")]))
    assert outcome(data, "t.tar.gz") == [("t.tar.gz!a.txt", "unsafe")]


def test_the_size_of_what_comes_out_is_limited():
    data = gzip.compress(b"one two")
    assert summary(data, name="a.txt.gz", max_expanded_bytes=5) == [("", "unsafe")]


def test_an_encrypted_member_is_a_reject():
    data = bytearray(zipped([("a.txt", b"one")]))
    data[6] |= 1
    at = data.index(b"PK\x01\x02")
    data[at + 8] |= 1
    assert outcome(bytes(data), "z.zip") == [("z.zip!a.txt", "unreadable")]


class OneByOne(io.RawIOBase):
    """A stream that gives a byte at a time, as a pipe may."""

    def __init__(self, data):
        self.inner = io.BytesIO(data)

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, offset, whence=0):
        if whence == 0 and offset < 0:
            raise OSError(errno.EINVAL, "Invalid argument")  # as files do
        return self.inner.seek(offset, whence)

    def tell(self):
        return self.inner.tell()

    def readinto(self, buffer):
        return self.inner.readinto(memoryview(buffer)[:1])


def read_slowly(data, name):
    found = read_file(name, name, open=lambda: OneByOne(data))
    return [(shown, getattr(entry, "reason", "document")) for shown, entry in found]


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz", "zst", "tar", "zip"])
def test_what_a_file_is_does_not_depend_on_how_many_bytes_come_first(kind):
    """A gzip file whose first byte came alone was `not compressed that way`, or a text."""
    text = b"Dogs bark."
    if kind in ("tar", "zip"):
        data = tar([("b.txt", text)]) if kind == "tar" else zipped([("b.txt", text)])
        assert read_slowly(data, f"a.{kind}") == [(f"a.{kind}!b.txt", "document")]
    else:
        name = f"a.txt.{kind}"
        assert read_slowly(COMPRESS["." + kind](text), name) == [(name, "document")]


def test_a_member_before_its_archive_is_malformed_from_a_file_as_from_memory():
    """Damage to the end of a zip file over 8 MiB was `unreadable: Invalid argument`."""
    data = zipped([("b.txt", b"Dogs bark."), ("c.txt", b"Cats.")])
    damaged = data[:35] + data[45:]  # by its end, the first member would begin before it
    assert summary(damaged, name="a.zip") == [("", "malformed"), "Cats."]
    assert read_slowly(damaged, "a.zip") == [("a.zip!b.txt", "malformed"), ("a.zip!c.txt", "document")]
