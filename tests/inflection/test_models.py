"""`lexbeam simplify train-inflector`, whole: dictionaries in, a file out that inflects."""

import gzip

import pytest

from lexbeam.pipelines.cli import main
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.inflection.models import load_inflector
from lexbeam.transforms.learning.models.keeping import load_model_file

FREELING = "".join(
    f"{stem}{end} {stem}ar {tag}\n"
    for stem in ("cant", "habl", "salt")
    for end, tag in (("o", "VMIP1S0"), ("a", "VMIP3S0"), ("ar", "VMN0000"))
)
UNIMORPH = "voz\tvoces\tN;PL\nvoz\tvoz\tN;SG\n"


def train(*words):
    return main(["simplify", "train-inflector", *map(str, words), "--language", "es"])


@pytest.fixture
def dictionary_folder(tmp_path):
    (tmp_path / "a.txt").write_text(FREELING)
    (tmp_path / "b.tsv").write_text(UNIMORPH)
    return tmp_path


def test_dictionaries_become_a_file_that_inflects(dictionary_folder, capsys):
    out = dictionary_folder / "models" / "es.inflector"
    assert train(dictionary_folder / "a.txt", dictionary_folder / "b.tsv", "--out", out) == 0
    printed = capsys.readouterr().out
    assert "freeling, 9 forms" in printed
    assert "unimorph, 2 forms" in printed
    inflector = load_inflector(str(out))
    assert inflector.inflect("voz", "NOUN", {"Number": "Plur"}).form == "voces"
    inflected = inflector.inflect("bailar", "VERB", {"Mood": "Ind", "Person": "1", "Number": "Sing"})
    assert (inflected.form, inflected.source) == ("bailo", "rules")
    assert out.parent.is_dir()
    assert [path.name for path in out.parent.iterdir()] == ["es.inflector"]


def test_same_bytes_wherever_files_lie_and_however_packed(dictionary_folder):
    (dictionary_folder / "other").mkdir()
    (dictionary_folder / "other" / "z.txt.gz").write_bytes(gzip.compress(FREELING.encode()))
    assert train(dictionary_folder / "a.txt", dictionary_folder / "b.tsv", "--out", dictionary_folder / "one") == 0
    assert (
        train(
            dictionary_folder / "b.tsv",
            dictionary_folder / "a.txt",
            dictionary_folder / "a.txt",
            "--out",
            dictionary_folder / "two",
        )
        == 0
    )
    assert (dictionary_folder / "one").read_bytes() == (dictionary_folder / "two").read_bytes()
    assert train(dictionary_folder / "other", dictionary_folder / "b.tsv", "--out", dictionary_folder / "three") == 0
    first, three = (load_model_file(str(dictionary_folder / name)) for name in ("one", "three"))
    assert {name: array.tobytes() for name, array in first.content.items()} == {
        name: array.tobytes() for name, array in three.content.items()
    }


def test_another_model_is_not_written_over(dictionary_folder, capsys):
    out = dictionary_folder / "es.inflector"
    assert train(dictionary_folder / "a.txt", "--out", out) == 0
    before = out.read_bytes()
    assert train(dictionary_folder / "a.txt", "--out", out) == 0  # the same one
    assert train(dictionary_folder / "b.tsv", "--out", out) != 0
    assert "holds another model" in capsys.readouterr().err
    assert out.read_bytes() == before
    assert train(dictionary_folder / "b.tsv", "--out", out, "--overwrite") == 0
    assert out.read_bytes() != before
    unrelated = dictionary_folder / "mine.txt"
    unrelated.write_text("my notes\n")
    assert train(dictionary_folder / "b.tsv", "--out", unrelated, "--overwrite") != 0
    assert unrelated.read_text() == "my notes\n"


@pytest.mark.parametrize("place", range(0, 2000, 97))
def test_every_damage_is_found(dictionary_folder, place):
    out = dictionary_folder / "es.inflector"
    assert train(dictionary_folder / "a.txt", "--out", out) == 0
    content = bytearray(out.read_bytes())
    content[place % len(content)] ^= 1
    out.write_bytes(content)
    with pytest.raises(LexbeamError):
        load_inflector(str(out))
    out.write_bytes(out.read_bytes()[:-1])
    with pytest.raises(LexbeamError):
        load_inflector(str(out))


def test_what_is_no_inflector(dictionary_folder, tmp_path):
    with pytest.raises(LexbeamError, match="there is no model"):
        load_inflector(str(tmp_path / "none"))
    with pytest.raises(LexbeamError, match="not a model of Lexbeam's"):
        load_inflector(str(dictionary_folder / "a.txt"))
    with pytest.raises(LexbeamError, match="is a folder"):
        load_inflector(str(dictionary_folder))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Call me Ishmael.\n", "`format`|--format"),
        (b"", "--format"),
        ("niño niño NCMS000\n".encode("latin-1"), "UTF-8"),
        (b"\x1f\x8bxx", "cannot be read"),
    ],
)
def test_files_that_are_none(dictionary_folder, capsys, content, message):
    import re

    (dictionary_folder / "bad.txt").write_bytes(content)
    assert train(dictionary_folder / "bad.txt", "--out", dictionary_folder / "out") != 0
    printed = capsys.readouterr().err
    assert re.search(message, printed), printed
    assert "bad.txt" in printed
    assert not (dictionary_folder / "out").exists()


def test_language_is_a_code(dictionary_folder, capsys):
    words = ["simplify", "train-inflector", str(dictionary_folder / "a.txt"), "--out", str(dictionary_folder / "x")]
    assert main([*words, "--language", "4 2"]) != 0
    assert "language" in capsys.readouterr().err
