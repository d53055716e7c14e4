"""Tables of all forms that people have, read as the csv module or pandas would."""

import bz2
import csv
import gzip
import io
import lzma

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds_opened import opened

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.lexicon.compiled import list_reading, word_list
from lexbeam.transforms.lexicon.compiled.word_list import WORDS

RATED = [("sea", 4.5), ("null", 1.25), ("NA", 2.0), ("None", 3.0), ("nan", 1e-3), ("été", -2.0)]


def read(path, options):
    return opened(WORDS, f"{path}:{options}")


def values(resource, words):
    return resource.look_up(pa.array(words))["value"].to_pylist()


def rows_of(delimiter, header="word,value", rows=RATED):
    lines = [header.replace(",", delimiter)] * bool(header)
    return "".join(f"{line}\n" for line in [*lines, *(f"{w}{delimiter}{v}" for w, v in rows)])


@pytest.mark.parametrize("delimiter", [",", "\t", ";", " ", "   "])
@pytest.mark.parametrize(
    ("header", "options"),
    [("word,value", "word=word,value=value"), ("word,value", "word=1,value=2"), ("", "word=1,value=2")],
)
def test_what_separates_cells_is_found_out(tmp_path, delimiter, header, options):
    path = tmp_path / "list"
    path.write_text(rows_of(delimiter, header), "utf-8")
    found = read(path, options)
    assert values(found, [word for word, _ in RATED]) == [value for _, value in RATED]
    assert (found.facts["rows"], found.facts["words"]) == (len(RATED), len(RATED))
    assert found.scale == (-2.0, 4.5)


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
@pytest.mark.parametrize("comments", ["", '# of me,\n# 1. "quoted\n#\n'])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_compression_encoding_comments_and_line_ends(tmp_path, compress, encoding, comments, end):
    path = tmp_path / "list.bin"
    text = (comments + rows_of(",")).replace("\n", end)
    path.write_bytes(compress(text.encode(encoding)))
    found = read(path, f"word=word,value=value,encoding={encoding}")
    assert values(found, [word for word, _ in RATED]) == [value for _, value in RATED]


CELL = st.text(st.characters(codec="utf-8", categories=("L", "N", "P")), max_size=5) | st.sampled_from(
    ["null", "a, b", 'say "so"', "a;b", "x\ty", "NA", "''"]
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=30)
@given(st.lists(st.tuples(CELL, NUMBERS, CELL), min_size=1), st.sampled_from([",", ";", "\t"]))
def test_what_the_csv_module_writes_is_read(tmp_path_factory, rows, delimiter):
    path = tmp_path_factory.mktemp("csv") / "list"
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerows([("more", "value", " word "), *((c, v, w) for w, v, c in rows)])
    path.write_text(stream.getvalue(), "utf-8", newline="")
    again = list(csv.reader(io.StringIO(stream.getvalue()), delimiter=delimiter))[1:]
    expected = {}
    for _, value, word in again:
        expected.setdefault(" ".join(word.split()), float(value))
    expected.pop("", None)
    name = {",": "comma", ";": "semicolon", "\t": "tab"}[delimiter]
    options = f"word=word,value=value,delimiter={name},duplicates=first,case=keep,comment=none"
    if not expected:
        with pytest.raises(LexbeamError, match="no row has a word and a value"):
            read(path, options)
        return
    found = read(path, options)
    assert found.facts["words"] == len(expected)
    assert values(found, list(expected)) == list(expected.values())


def test_columns_of_a_mangled_header_are_numbers(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("Word,FREQ  ,count,Lg10WF\nsea,9,8,1.5\nship,7,6,2.5\n")
    assert values(read(path, "word=1,value=4"), ["sea", "Ship"]) == [1.5, 2.5]
    assert values(read(path, "word=Word,value=FREQ"), ["sea"]) == [9.0]
    path.write_text("word,value\n1,sea,4.5\n2,ship,3.5\n")  # R names its rows, not their column
    assert values(read(path, "word=2,value=3"), ["sea"]) == [4.5]
    with pytest.raises(LexbeamError, match=r"line 2: 3 cells, but the header has 2.*by number"):
        read(path, "word=word,value=value")


def test_missing_values_are_left_out_and_counted(tmp_path):
    path = tmp_path / "list.tsv"
    cells = ["", "NA", "n/a", "#N/A", "NaN", "null", "None", " ", "4"]
    path.write_text("w\tv\tn\n" + "".join(f"w{i}\t{cell}\t5\n" for i, cell in enumerate(cells)))
    found = read(path, "word=w,value=v,n=n")
    assert values(found, [f"w{i}" for i in range(9)]) == [None] * 8 + [4.0]
    assert found.facts["without_value"] == 8
    assert found.facts["rows"] == 9
    assert found.look_up(pa.array(["w8"]))["n"].to_pylist() == [5.0]


def test_rows_of_few_people_are_left_out(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("w,v,n\na,1,0\nb,2,1\nc,3,2\nd,4,\n")
    found = read(path, "word=w,value=v,n=n,min_n=1")
    assert values(found, list("abcd")) == [None, 2.0, 3.0, None]
    assert found.facts["below_min_n"] == 2


def test_a_factor_is_exact_and_a_logarithm_is_of_base_ten(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("w;v;s\na;2,01;0,29\nb;6,32;\n")
    found = read(path, "word=w,value=v,sd=s,factor=100,decimal=comma,scale=100-700")
    assert found.look_up(pa.array(["a", "b"])).to_pylist() == [
        {"value": 201.0, "sd": 29.0, "n": None},
        {"value": 632.0, "sd": None, "n": None},
    ]
    path.write_text("a 999\nb 0\n")
    assert values(read(path, "word=1,value=2,log10=1"), ["a", "b"]) == [3.0, 0.0]
    with pytest.raises(LexbeamError, match=r"line 2: 0 \+ 0 has no logarithm"):
        read(path, "word=1,value=2,log10=0")


GOOD = "Word\tConc.M\nsea\t4.5\nship\t3.5\n"


@pytest.mark.parametrize(
    ("text", "options", "told"),
    [
        (GOOD, "word=Word,value=conc.m", "no column 'conc.m'; did you mean 'Conc.M'? (it has Word"),
        (GOOD, "word=Wrod,value=2", "no column 'Wrod'; did you mean 'Word'?"),
        (GOOD, "word=Word,value=3", "there is no column 3: the header has 2 cells"),
        (GOOD, "word=1,value=3", "there is no column 3: rows have 2 cells"),
        (GOOD, "word=0,value=2", "there is no column 0"),
        (GOOD, "word=Word,value=Conc.M,delimiter=comma", "separated by comma, the header has no"),
        (GOOD, "word=Word,value=Conc.M,header=no", "`header=no` leaves no names"),
        (GOOD, "word=2,value=1,header=yes", "line 2: 'sea' in column '1' is not a number: give"),
        (
            GOOD,
            "word=Word,value=Conc.M,scale=1-4",
            "line 2: 4.5 in column 'Conc.M' (word 'sea') is outside the scale 1-4: correct `scale=`",
        ),
        ("a,b;1,5\nc,d;2,5\n", "word=1,value=2", "cells may be separated by comma or semicolon: give `delimiter=`"),
        (
            "a;1,5\nc;2,5\n",
            "word=1,value=2,delimiter=semicolon",
            "line 2: '2,5' in column '2' is not a number: give the right column, or `decimal=comma`",
        ),
        ("w;v\na;1.234,5\n", "word=w,value=v,decimal=comma", "'1.234,5' in column 'v'"),
        ("w,v,v\na,1,2\n", "word=w,value=v", "the header has 'v' 2 times: give a number"),
        ("w,v\na,1\nb,2,3\n", "word=w,value=v", "line 3: 3 cells, but the header has 2"),
        ("a 1\nNew York 2\n", "word=1,value=2,delimiter=space", "line 2: 3 cells, but the"),
        ("w,v\na,inf\n", "word=w,value=v", "line 2: 'inf' in column 'v' is not a number"),
        ("w,v\na,1_0\n", "word=w,value=v", "line 2: '1_0' in column 'v' is not a number"),
        ('w,v\n"a"b,1\n', "word=w,value=v", "line 2: a stray quote"),
        (
            "w,v\nsea,1\nSEA,2\nsea,3\n",
            "word=w,value=v",
            "1 words have several rows: 'sea' (lines 2, 4): choose by `duplicates=`: first, last",
        ),
        ("w,v\nsea,1\nSEA,2\n", "word=w,value=v,case=lower", "'sea' (lines 2, 3)"),
        ("w,v\n", "word=w,value=v", "has no rows under its header"),
        ("", "word=w,value=v", "is empty"),
        ("# only\n", "word=w,value=v", "is empty but for lines that begin with '#' (`comment=none`)"),
        ("w,v\na,NA\n", "word=w,value=v", "no row has a word and a value in column 'v'"),
        ("w,v\na," + "1" * (1 << 20) + "\n", "word=w,value=v", "line 2: over 1048576 bytes"),
        ("w,v\na," + "1" * 140_000 + "\n", "word=w,value=v", f"line 2: {'1' * 40!r} in column"),
    ],
)
def test_what_is_wrong_is_told_with_place_and_remedy(tmp_path, text, options, told):
    path = tmp_path / "list.txt"
    path.write_text(text, "utf-8")
    with pytest.raises(LexbeamError) as failed:
        read(path, options)
    assert told in str(failed.value)
    assert str(path) in str(failed.value)


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 7])
def test_rows_are_held_in_blocks(tmp_path, monkeypatch, rows):
    monkeypatch.setattr(list_reading, "ROWS", 2)
    monkeypatch.setattr(word_list, "ROWS", 2)
    path = tmp_path / "list.csv"
    path.write_text("w,v\n" + "".join(f"w{n},{n}\n" for n in range(rows)))
    found = read(path, "word=w,value=v")
    assert found.facts["rows"] == rows
    expected = [float(n) for n in range(rows)]
    assert values(found, [f"w{n}" for n in range(rows)]) == expected
    with open(path, "a") as stream:
        stream.write("bad,x\n")
    with pytest.raises(LexbeamError, match=f"line {rows + 2}: 'x'"):
        read(path, "word=w,value=v")


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(LexbeamError, match="no file at"):
        read(tmp_path / "nowhere.csv", "word=w,value=v")
    with pytest.raises(LexbeamError, match="is a folder, not a file: name a file"):
        read(tmp_path, "word=w,value=v")
    path = tmp_path / "list.csv"
    path.write_bytes("w,v\u2028sea,1\u2028ship,2\n\na,1\n".encode())
    with pytest.raises(LexbeamError, match=r"list\.csv.*U\+2028 ends no line here"):
        read(path, "word=w,value=v")
    path.write_bytes("w,v\nété,1\n".encode("latin-1"))
    with pytest.raises(LexbeamError, match=r"line 2: .*give its encoding, such as `encoding=latin-1`"):
        read(path, "word=w,value=v")
    path.write_bytes(gzip.compress(rows_of(",").encode())[:-12])
    with pytest.raises(LexbeamError, match="cannot be read: breaks off or is damaged"):
        read(path, "word=word,value=value")


@pytest.mark.parametrize("packed", [gzip.compress, bz2.compress, lzma.compress])
def test_a_damaged_file_is_named(tmp_path, packed):
    path = tmp_path / "list.csv"
    data = packed(rows_of(",").encode())
    told = []
    for place in range(len(data)):
        for damaged in (data[:place], data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]):
            path.write_bytes(damaged)
            try:  # a flag, or a time, may be another
                read(path, "word=word,value=value")
            except LexbeamError as error:
                told.append(str(error))
    assert len(told) > len(data)
    assert [message for message in told if str(path) not in message] == []


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("value=v", "does not say which column has the word"),
        ("word=w", "does not say which column has the value"),
        ("word=w,value=v,delimiter=pipe", "delimiter=pipe: it takes tab, comma"),
        ("word=w,value=v,case=lowr", "did you mean 'lower'?"),
        ("word=w,value=v,scale=7-1", "scale=7-1: it takes LOW-HIGH, such as 1-7, or read"),
        ("word=w,value=v,scale=1", "scale=1: it takes LOW-HIGH"),
        ("word=w,value=v,min_n=1", "min_n=1 needs n="),
        ("word=w,value=v,duplicates=most", "duplicates=most needs n="),
        ("word=w,value=v,sd=s,log10=0", "sd= has no meaning"),
        ("word=w,value=v,factor=0", "factor=0"),
        ("word=w,value=v,factor=ten", "factor=ten: it takes a number"),
        ("word=w,value=v,encoding=utf-9", "no text encoding is called 'utf-9'"),
    ],
)
def test_options_that_make_no_sense_are_told_before_anything_is_read(options, told):
    with pytest.raises(UsageError) as failed:
        WORDS.parse(f"nowhere.csv:{options}")
    assert told in str(failed.value)


def test_the_language_decides_whose_rows_it_is_for_and_nothing_else():
    plain = WORDS.parse("s3://norms/a.csv:word=w,value=v")
    german = WORDS.parse("s3://norms/a.csv:word=w,value=v,language=de")
    assert (plain.language, german.language) == (None, "de")
    assert plain.options == german.options
    assert plain.paths == german.paths == ("s3://norms/a.csv",)
