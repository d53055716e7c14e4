"""Static vectors as gensim reads and compares them."""

import gzip
import sys
import unicodedata

import numpy as np
import pyarrow as pa
import pytest
from gensim.models import KeyedVectors
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds_opened import opened

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.lexicon.compiled import vector_formats
from lexbeam.transforms.lexicon.compiled.static_vectors import VECTORS
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING

WORDS = [*(f"w{number}" for number in range(60)), "Sea", "sea", "Ship", "null", "été", "7"]
FORMATS = {
    "word2vec": ("a.vec", {}),
    "word2vec-binary": ("a.bin", {"binary": True}),
    "glove": ("a.txt", {"write_header": False}),
}


def keyed(words, vectors):
    made = KeyedVectors(vectors.shape[1])
    made.add_vectors(words, vectors.astype(np.float32))
    return made


@pytest.fixture(scope="module")
def model():
    random = np.random.default_rng(1)
    common = random.normal(size=8)
    return keyed(WORDS, random.normal(size=(len(WORDS), 8)) + 2 * common)


@pytest.fixture(scope="module")
def folder(model, tmp_path_factory):
    """A folder with files of the model in all formats."""
    made = tmp_path_factory.mktemp("vectors")
    for name, options in FORMATS.values():
        model.save_word2vec_format(str(made / name), **options)
    return made


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("named", [False, True])
def test_files_of_gensim_hold_what_gensim_reads(folder, format, named):
    name, options = FORMATS[format]
    read = {"binary": "binary" in options, "no_header": format == "glove"}
    expected = KeyedVectors.load_word2vec_format(str(folder / name), **read)
    found = opened(VECTORS, f"{folder / name}" + f":format={format}" * named)
    assert found.facts["format"] == format
    assert found.matrix.dtype == np.float32
    rows = found.rows(pa.array(expected.index_to_key))
    assert rows.tolist() == list(range(len(WORDS)))
    assert np.array_equal(found.matrix, expected.vectors)


NAMES = st.lists(
    st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=4)
    | st.sampled_from([". . .", "at name@domain.com", "a\u00a0b", "\u0085", "new york"]),
    min_size=1,
    max_size=9,
    unique=True,
)
FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)


@settings(max_examples=20)
@given(st.data())
@pytest.mark.parametrize("format", FORMATS)
def test_what_is_written_is_read(tmp_path_factory, format, data):
    names = data.draw(NAMES)
    if format == "word2vec-binary":
        names = [name.replace(" ", "_") for name in names]
    dim = data.draw(st.integers(1, 3))
    row = st.lists(FLOATS, min_size=dim, max_size=dim)
    vectors = np.array(data.draw(st.lists(row, min_size=len(names), max_size=len(names))), "f4")
    path = tmp_path_factory.mktemp("vectors") / "file"
    with open(path, "wb") as stream:
        if format != "glove":
            stream.write(f"{len(names)} {dim}\n".encode())
        for name, vector in zip(names, vectors, strict=True):
            text = " ".join(map(repr, vector.tolist())).encode()
            numbers = vector.tobytes() if format == "word2vec-binary" else text
            stream.write(name.encode() + b" " + numbers + b"\n")
    found = opened(VECTORS, f"{path}:format={format},dim={dim},case=keep")
    normal = [unicodedata.normalize("NFC", name) for name in names]
    firsts = [normal.index(name) for name in dict.fromkeys(normal)]
    taken, there = found.vectors(pa.array([normal[first] for first in firsts]))
    assert there.all()
    assert np.array_equal(taken, vectors[firsts])


@pytest.mark.parametrize("rows", [1, 7, 4096])
@pytest.mark.parametrize("format", ["word2vec", "word2vec-binary", "glove"])
def test_blocks_of_any_size_hold_the_same(folder, model, monkeypatch, format, rows):
    monkeypatch.setattr(vector_formats, "ROWS", rows)
    found = opened(VECTORS, folder / FORMATS[format][0])
    assert np.array_equal(found.matrix, model.vectors)


def test_compressed_files_and_line_ends(tmp_path):
    path = tmp_path / "a.vec.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf2 2 \r\nsea 1 2 \r\nship 3 4\r\n\r\n"))
    found = opened(VECTORS, path)
    assert found.vectors(pa.array(["sea", "ship"]))[0].tolist() == [[1, 2], [3, 4]]


def test_of_words_that_stand_twice_the_first_counts_and_it_is_told(tmp_path, caplog):
    path = tmp_path / "a.txt"
    path.write_text("sea 1 2\nSea 3 4\nsea 5 6\n 7 8\nship 9 10\n")
    found = opened(VECTORS, path)
    taken, there = found.vectors(pa.array(["sea", "Sea", "SEA", "Ship", "boat", None]))
    assert taken.tolist() == [[1, 2], [3, 4], [1, 2], [9, 10], [0, 0], [0, 0]]
    assert there.tolist() == [True] * 4 + [False] * 2
    assert found.rows(pa.array(["ship", "boat"])).tolist() == [2, MISSING]
    assert (found.facts["doubled"], found.facts["without_word"]) == (1, 1)
    assert "of 5 rows, 1 repeat a word and 1 have no word" in caplog.text
    assert opened(VECTORS, f"{path}:case=keep").rows(pa.array(["SEA"])).tolist() == [MISSING]
    lower = opened(VECTORS, f"{path}:case=lower")
    assert lower.vectors(pa.array(["Sea"]))[0].tolist() == [[1, 2]]
    assert lower.nearest(pa.array(["SEA"]), 9)["neighbour"].to_pylist() == ["ship"]


def plain_variant(vectors, centre, remove, unit):
    """By singular values of the whole matrix, in float64."""
    rows = vectors.astype(np.float64)
    if centre:
        rows = rows - rows.mean(axis=0)
    if remove:
        top = np.linalg.svd(rows, full_matrices=False)[2][:remove]
        rows = rows - rows @ top.T @ top
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) if unit else rows


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    ("options", "variant"),
    [
        ("centre=yes", (True, 0, False)),
        ("remove=3", (True, 3, False)),
        ("unit=yes", (False, 0, True)),
        ("centre=yes,remove=1,unit=yes", (True, 1, True)),
    ],
)
def test_variants_are_those_of_the_whole_matrix(folder, model, format, options, variant):
    found = opened(VECTORS, f"{folder / FORMATS[format][0]}:{options}")
    expected = plain_variant(model.vectors, *variant)
    assert np.allclose(found.matrix, expected, atol=1e-5)
    assert found.matrix.dtype == np.float32


def test_variants_of_many_blocks(tmp_path, monkeypatch):
    random = np.random.default_rng(3)
    vectors = (random.normal(size=(500, 6)) * [9, 5, 1, 1, 1, 1] + 1000).astype(np.float32)
    keyed([f"w{n}" for n in range(500)], vectors).save_word2vec_format(str(tmp_path / "a"))
    monkeypatch.setattr(sys.modules["lexbeam.transforms.lexicon.compiled.vector_formats"], "ROWS", 64)
    found = opened(VECTORS, f"{tmp_path / 'a'}:remove=2")
    # A mean far off must not drown the variance.
    assert np.allclose(found.matrix, plain_variant(vectors, True, 2, False), atol=1e-3)


def test_zeros_have_no_direction(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("sea 1 2\nnothing 0 0\nship 2 1\n")
    found = opened(VECTORS, f"{path}:centre=yes,unit=yes")
    assert found.vectors(pa.array(["nothing"]))[0].tolist() == [[0, 0]]
    assert found.cosine(pa.array(["sea"]), pa.array(["nothing"])).to_pylist() == [None]
    assert found.nearest(pa.array(["nothing"]), 2).num_rows == 0
    assert found.nearest(pa.array(["sea"]), 2)["neighbour"].to_pylist() == ["ship"]


def test_cosines_are_gensims(folder, model):
    found = opened(VECTORS, folder / "a.bin")
    random = np.random.default_rng(5)
    first, second = (random.choice(WORDS, 300) for _ in range(2))
    got = found.cosine(pa.array([*first, "sea", None]), pa.array([*second, "boat", "sea"]))
    expected = [model.similarity(a, b) for a, b in zip(first, second, strict=True)]
    assert np.allclose(got.to_pylist()[:-2], expected, atol=1e-6)
    assert got.to_pylist()[-2:] == [None, None]


def test_nearest_words_are_gensims(folder, model, monkeypatch):
    monkeypatch.setattr(sys.modules["lexbeam.transforms.lexicon.compiled.static_vectors"], "_QUERIES", 5)
    found = opened(VECTORS, folder / "a.vec")
    asked = [*WORDS[::-1], "boat", "w3", None]
    near = found.nearest(pa.array(asked), 4).to_pylist()
    known = [word for word in asked if word in WORDS]
    assert [row["word"] for row in near] == [word for word in known for _ in range(4)]
    assert [row["rank"] for row in near] == [1, 2, 3, 4] * len(known)
    expected = [pair for word in known for pair in model.most_similar(word, topn=4)]
    assert [row["neighbour"] for row in near] == [word for word, _ in expected]
    assert np.allclose([row["cosine"] for row in near], [value for _, value in expected], atol=1e-6)
    assert found.nearest(pa.array(["boat"]), 4).num_rows == 0


def test_a_person_is_told_of_one_word(folder, model):
    found = opened(VECTORS, folder / "a.vec")
    (what, value), (near, names) = found.look("SEA")
    assert (what, near) == ("vector", "nearest")
    assert value == f"8 numbers, length {np.linalg.norm(model['sea']):.3g}"
    assert names.startswith(model.most_similar("sea")[0][0])
    assert list(found.look("boat")) == []


@pytest.mark.parametrize(
    ("content", "options", "told"),
    [
        (b"2 2\nsea 1 2\nship 1\n", "", "line 3: 1 numbers, but vectors have 2"),
        (b"2 2\nsea 1 2\nship 1 x\n", "", "line 3: Failed to parse string: 'x'"),
        (b"2 2\nsea 1 2\nship 1  2\n", "", "line 3: over 2 numbers: broken; or give `dim=2`"),
        (b"2 2\nsea 1 2\nship 1 nan\n", "", "line 3: a number of the vector is infinite or NaN"),
        (b"2 2\nsea 1 2\nship 1 1e99\n", "", "line 3: a number of the vector is infinite or NaN"),
        (b"2 2\nsea 1 2\nship 1 2 3\n", "", "line 3: over 2 numbers"),
        (b"3 2\nsea 1 2\nship 1 2\n", "", "line 1 says 3 words, but there are 2: the file is not"),
        (b"1 2\nsea 1 2\nship 1 2\n", "", "line 1 says 1 words, but there are more"),
        (b"2 2\nsea 1 2\nsh\xff 1 2\n", "", "line 3: the word b'sh\\xff' is not UTF-8"),
        (b"2 2\nsea 1 2\nship 1 2\n", "dim=3", "line 1: vectors have 2 numbers, not 3"),
        (b"2 2\nsea 1 2\nship 1 2\n", "format=glove", "line 1 has the sizes of `format=word2vec`"),
        (b"sea 1 2\nship 1 2\n", "format=word2vec", "line 1: no `number of words, number of dim"),
        (b"sea 1 2\nship 1 2\n", "format=word2vec-binary", "does not begin with the numbers of"),
        (b"sea 1 2\nship 1\n", "", "line 1: over 1 numbers: broken; or give `dim=1`, if 'sea 1'"),
        (b"sea 1 2\nship 1\n", "dim=2", "line 2: 1 numbers, but vectors have 2"),
        (b"sea\nship\n", "", "line 1: no numbers separated by spaces"),
        (b"sea 1 2\n" + b"x" * (2 << 20) + b"\n", "", "line 2: over 1048576 bytes: is it text?"),
        (b"", "", "is empty"),
        (b" 1 2\n", "", "has no words"),
        (b"2 2\nsea \0\0\0\0\0\0\0\0ship \0\0\0\0", "", "breaks off after 1 of 2 words"),
        (b"1 2\nsea \0\0\0\0\0\0\0\0ship \0\0\0\0", "", "goes on after its 1 words"),
        (b"1 1\n" + b"x" * 20_000, "format=word2vec-binary", "word 1: over 10000 bytes"),
        (b"1 1\nsea \0\0\xc0\x7f", "", "word 1: a number of the vector is infinite or NaN"),
        (b"2 2\nsea 1 2\nship 2 2\n", "remove=2", "remove=2 would leave nothing of 2 vectors of 2"),
    ],
)
def test_malformed_files_are_told_with_place_and_remedy(tmp_path, content, options, told):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(LexbeamError) as failed:
        opened(VECTORS, f"{path}:{options}" if options else path)
    assert told in str(failed.value)
    assert str(path) in str(failed.value)


def test_what_is_not_there_is_told(tmp_path):
    with pytest.raises(LexbeamError, match="no file at"):
        opened(VECTORS, tmp_path / "nowhere")
    with pytest.raises(LexbeamError, match="nothing is published in the folder"):
        opened(VECTORS, tmp_path)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("format=glov", "did you mean 'glove'?"),
        ("format=glove,slice=a", "slice= is of our own tables"),
        ("seed=1", "seed= goes with slice="),
        ("dim=0", "dim=0: it takes a whole number from 1"),
        ("remove=-1", "remove=-1: it takes a whole number"),
        ("remove=1,centre=no", "it does not go with centre=no"),
        ("center=yes", "no option 'center'; did you mean 'centre'?"),
    ],
)
def test_options_that_make_no_sense_are_told_before_anything_is_read(options, told):
    with pytest.raises(UsageError) as failed:
        VECTORS.parse(f"nowhere:{options}")
    assert told in str(failed.value)
