"""Large files that are cut: their pieces, read one after another, give what the file gives."""

import gzip
import io
import random
import stat
import tarfile
import warnings
import zipfile
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fuzz_formats import MAKERS
from reading import reader_options

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.formats.readers import text
from lexbeam.transforms.formats.readers.registry import READERS, cutter_of, read_file, read_piece
from lexbeam.transforms.formats.records.base import ReaderOptions, Reject, Source, Uncuttable
from lexbeam.transforms.formats.sources.content import HEAD

CUTTABLE = [name for name, entry in READERS.items() if entry.cut is not None]
LINED = [name for name in CUTTABLE if name != "parquet"]


def whole(data, format, options):
    notes = Counter()
    opened = lambda: io.BytesIO(data)  # noqa: E731
    return list(read_file("/there/a", "a", format=format, options=options, open=opened, notes=notes)), +notes


def pieces_of(data, format, options, size):
    source = Source("a", lambda: io.BufferedReader(io.BytesIO(data)), "/there/a")
    name, cut = cutter_of(source, data[:HEAD], format, options)
    return name, cut(source, options, size)


def in_pieces(data, format, options, size):
    """Return what pieces give, each read by itself, and how many there are."""
    if not data:
        raise Uncuttable("empty")
    name, pieces = pieces_of(data, format, options, size)
    opened = lambda: io.BytesIO(data)  # noqa: E731
    found, notes = [], Counter()
    for piece in pieces:
        how = {"format": name, "options": options, "open": opened, "notes": notes}
        found += read_piece("/there/a", "a", piece, **how)
    return (found, +notes), len(pieces)


def check(data, format, options, sizes):
    """Compare pieces of some sizes with the file; return how many pieces there were at most."""
    expected, most = whole(data, format, options), 0
    for size in sizes:
        try:
            found, number = in_pieces(data, format, options, size)
        except Uncuttable:
            continue
        assert found == expected, (size, data[:200])
        most = max(most, number)
    return most


@pytest.mark.parametrize("format", CUTTABLE)
def test_pieces_give_what_the_file_gives(format, monkeypatch):
    """Of files as they are made for the fuzzing of readers: several in a row, some with rare options."""
    monkeypatch.setattr(text, "BLOCK", 3)
    rng = random.Random(5)
    maker = MAKERS[format]
    cut = 0
    for _ in range(150):
        data = b"".join(maker.make(rng) for _ in range(rng.choice([1, 1, 2, 5])))
        try:
            options = ReaderOptions(**(maker.options(rng) if rng.random() < maker.share else {}))
        except UsageError:
            continue
        cut += check(data, format, options, (1, 7, 60, 500)) > 1
    assert cut > (10 if format == "parquet" else 30)


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b"\n\n \n", b"\xef\xbb\xbf\n\n"])
@pytest.mark.parametrize("format", LINED)
def test_marks_blank_lines_and_ends_count_as_in_the_file(format, start, ending, monkeypatch):
    monkeypatch.setattr(text, "BLOCK", 2)
    lines = LINES[format]
    for data in (ending.join(lines), ending.join([*lines, b""]), ending.join([*lines, b"", b" ", b""])):
        assert check(start + data, format, ReaderOptions(max_line_bytes=60), range(1, 90)) > 2


JSON = [b'{"text": "%s"}' % word for word in (b"a", b"b" * 9, b"", b"c" * 99, b"d\xff")]
WORD = b"\t".join([b"1", b"ship", b"ship", *[b"_"] * 7])
LINES = {
    "csv": [
        b"text,title",
        b"a,t",
        b"\xff,t",
        b"",
        b"c" * 99,
        b"d",
        b",",
        b'"e, f",t',
        b'"g ""h""",t',
        b"i,t,,",
        b'j"k,t',
        b'"l"m,t',
        b'"n",""',
    ],
    "conllu": [
        *(b"# a = 1", b"# newdoc", WORD, b"", WORD, b" ", b"# b = 2", b"# newdoc id = \xff", WORD, b""),
        *(b"# newdoc", b"# c = 3", b"", WORD, b"", b"", b"# newdoc", WORD, b"", b"# newdoc id = 4", b"", b"# newdoc"),
        *(b"1\tbroken", b"", b"# c", b"", b"# newdoc", WORD, b"", b"# " + b"d" * 80, b"# newdoc", WORD),
    ],
    "vertical": [
        *(
            b"<!-- positional-attributes: word pos lemma -->",
            b'<doc year="1850">',
            b"<text>",
            b"<s>",
            b"A\tDT\ta",
            b"</s>",
        ),
        *(b"B\tNN\tb", b"", b"C\tSENT\tc", b"</text>", b"<text>", b"D\tNN\td", b"</doc>", b"E\tNN\te", b"<doc>"),
        *(b"<text>", b"\xff\tNN\tf", b"G\tNN", b"</s>", b"<doc \xff>", b"H\tNN\th", b"<doc id='2'>", b"<text>"),
        *(
            b"<text a=1><s>",
            b"I\tNN\ti",
            b"<doc>",
            b"<doc>",
            b"J\tNN\tj",
            b"k" * 80,
            b"<doc",
            b"<doc><text>",
            b"L\tNN\tl",
        ),
    ],
    "jsonl": [*JSON, b"[]", b"", b"\xef\xbb\xbf" + JSON[0], b"{", b"1", b"  ", JSON[1]],
    "lines": [b"a b", b"\xff", b"", b"c" * 99, b"d e", b"\x00", b"  ", b"f", b"g\xc2\xa0h", b"", b"", b"i"],
}


@pytest.mark.parametrize("format", LINED)
def test_a_file_without_records_is_one_reject(format):
    for data in (b"\n" * 50, b" \n\n" * 9, b"\xef\xbb\xbf\n\n"):
        assert check(data, format, ReaderOptions(), [2]) < 2


DAMAGED = "an archive that is damaged, or has what is rare"


@pytest.mark.parametrize(
    ("name", "data", "options", "why"),
    [
        ("a.jsonl.gz", b"\x1f\x8b", {}, "compressed (.gz)"),
        ("a.jsonl", b"\x1f\x8b", {}, "compressed (.gz)"),
        ("a.tgz", b"", {}, "compressed (.tgz)"),
        ("a.zip", b"PK\x03\x04", {}, DAMAGED),
        ("a.zip", b'{"text": "a"}\n' * 9, {}, "an archive"),
        ("a.tar", b"ustar" * 300, {}, DAMAGED),
        ("a", b"Rar!\x1a\x07" * 99, {}, "an archive"),
        ("a.json", b"[", {}, "JSON"),
        ("a.xml", b"<TEI/>", {}, "TEI"),
        ("a.txt", b"a", {}, "plain text"),
        ("a.pdf", b"%PDF-1.4\n1 0 obj\n<<", {}, "PDF, not text; convert it: pdftotext FILE"),
        ("a.csv", b"text,b\n" + b"a,b\n" * 9 + b'"c\nd",e\n', {}, "a cell of it goes on in the next line"),
        ("a.csv", b'text\ta\nb\tc\nd\t"e "" f', {}, "a cell of it goes on in the next line"),
        ("a.csv", b"a,b\nc,d\n", {}, "no column 'text' in the header; there are a, b"),
        ("a.csv", "text,b\nc,d\n".encode("utf-16"), {}, "its encoding is utf-16"),
        ("a.jsonl", "{}".encode("utf-16"), {}, "its encoding is utf-16"),
        ("a.jsonl", b"{}", {"encoding": "utf-16-le"}, "its encoding is utf-16-le"),
        ("a.jsonl", b"{}", {"encoding": "utf-7"}, "its encoding is utf-7"),
        ("a", b"a", {"format": "lines", "lines_hold": "text"}, "its lines are one text"),
    ],
)
def test_why_a_file_is_not_cut(name, data, options, why):
    options = {"format": "auto", **options}
    format = options.pop("format")
    source = Source(name, lambda: io.BufferedReader(io.BytesIO(data)), "/there/a")
    with pytest.raises(Uncuttable) as error:
        _, cut = cutter_of(source, data, format, reader_options(**options))
        cut(source, reader_options(**options), 1)
    assert str(error.value) == why


@pytest.mark.parametrize("records", ["", "parts[]"])
def test_row_groups_of_parquet_are_read_by_themselves(records):
    made = [{"text": f"text {n}", "parts": [{"text": f"part {m}"} for m in range(n % 3)]} for n in range(95)]
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(made), out, row_group_size=10)
    assert check(out.getvalue(), "parquet", ReaderOptions(records=records), (1, 500, 2000, 1 << 20)) == 10


def test_a_piece_of_a_damaged_file_is_a_reject_where_it_begins():
    out = io.BytesIO()
    rows = pa.table({"text": [f"text {n} " * 50 for n in range(30)]})
    pq.write_table(rows, out, row_group_size=10, compression="none", use_dictionary=False, data_page_size=400)
    data = bytearray(out.getvalue())
    place = data.index(b"text 17")
    data[place - 200 : place] = bytes(200)
    (found, _), number = in_pieces(bytes(data), "parquet", ReaderOptions(), 1)
    assert number == 3
    rejects = [entry.position for _, entry in found if isinstance(entry, Reject)]
    assert rejects == ["11"]
    assert len(found) >= 21


MEMBERS = [
    *((f"t/{number}.txt", f"A ship, {number}.\n\n".encode() * 30) for number in range(12)),
    ("t/", b""),
    ("a.jsonl", b"\n".join(JSON)),
    ("a.csv.gz", gzip.compress(b"text,title\n" + b"a,t\n" * 50, mtime=0)),
    (".hidden", b"a"),
    ("__MACOSX/t/0.txt", b"a"),
    ("empty.txt", b""),
    ("x" * 180 + "/\u00e9 \u0416!.txt", b"long"),
    ("../out.txt", b"a"),
    ("a.pdf", b"%PDF-1.4\n1 0 obj\n<<"),
    ("broken.gz", b"\x1f\x8b\x08" + b"a" * 20),
    ("inner.zip", b"PK\x03\x04" + b"a" * 20),
    ("a.conllu", b"# newdoc\n" + WORD + b"\n\n# newdoc\n" + WORD + b"\n"),
    ("a.html", b"<html><head><title>a</title></head><body><p>A page.</p></body></html>"),
    ("last.txt", b"the last"),
]


def zipped(members, compression=zipfile.ZIP_DEFLATED, comment=b""):
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", compression) as archive:
        warnings.simplefilter("ignore")  # names that are there twice
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, compression)
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "nowhere")
        archive.comment = comment
    return out.getvalue()


def tarred(members, format, headers=None):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format, pax_headers=headers) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name.rstrip("/"))
            info.size = len(content)
            info.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            archive.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "nowhere"
        archive.addfile(link)
    return out.getvalue()


ARCHIVES = {
    "zip": zipped(MEMBERS),
    "zip of stored members": zipped(MEMBERS, zipfile.ZIP_STORED, b"a comment"),
    "tar of GNU": tarred(MEMBERS, tarfile.GNU_FORMAT),
    "tar of POSIX": tarred(MEMBERS, tarfile.PAX_FORMAT, {"comment": "a commit"}),
}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_archives_are_cut_between_members(kind):
    for format in ("auto", "text"):
        assert check(ARCHIVES[kind], format, ReaderOptions(), (1, 300, 700, 3000, 1 << 20)) > 10


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (tarred([*MEMBERS[:3], *MEMBERS[:2]], tarfile.GNU_FORMAT), "an archive with several members of one name"),
        (zipped([*MEMBERS[:3], *MEMBERS[:2]]), "an archive with several members of one name"),
        (b"#!/bin/sh\n" + zipped(MEMBERS[:3]), "bytes of no known format; see --format"),
        (zipped(MEMBERS[:3])[:-30], DAMAGED),
        (zipped([("mimetype", b"application/epub+zip"), *MEMBERS]), "a document that is an archive"),
        (zipped([("a.txt", bytes(1 << 24))]), "an archive that expands too much"),
        (tarred(MEMBERS, tarfile.GNU_FORMAT)[:-9000], DAMAGED),
        (tarred(MEMBERS, tarfile.GNU_FORMAT) + b"more", DAMAGED),
        (tarred(MEMBERS, tarfile.PAX_FORMAT, {"hdrcharset": "BINARY"}), DAMAGED),
    ],
)
def test_which_archives_are_not_cut(data, why):
    with pytest.raises(Uncuttable) as error:
        pieces_of(data, "auto", ReaderOptions(), 500)
    assert str(error.value) == why
