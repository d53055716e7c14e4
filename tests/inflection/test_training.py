"""`lexbeam simplify train-inflector`, whole: dictionaries in, a file out that inflects."""

import gzip

import pytest

from pipelines.cli import main
from transforms.common.errors import LexbeamError
from transforms.inflection.training import load_inflector
from transforms.learning.models.keeping import load_model_file

FREELING = "".join(
    f"{stem}{end} {stem}ar {tag}\n"
    for stem in ("cant", "habl", "salt")
    for end, tag in (("o", "VMIP1S0"), ("a", "VMIP3S0"), ("ar", "VMN0000"))
)
UNIMORPH = "voz\tvoces\tN;PL\nvoz\tvoz\tN;SG\n"


def train(*words):
    return main(["simplify", "train-inflector", *map(str, words), "--language", "es"])


@pytest.fixture
def given(tmp_path):
    (tmp_path / "a.txt").write_text(FREELING)
    (tmp_path / "b.tsv").write_text(UNIMORPH)
    return tmp_path


def test_dictionaries_become_a_file_that_inflects(given, capsys):
    out = given / "models" / "es.inflector"
    assert train(given / "a.txt", given / "b.tsv", "--out", out) == 0
    told = capsys.readouterr().out
    assert "freeling, 9 forms" in told
    assert "unimorph, 2 forms" in told
    inflector = load_inflector(str(out))
    assert inflector.inflect("voz", "NOUN", {"Number": "Plur"}).form == "voces"
    found = inflector.inflect("bailar", "VERB", {"Mood": "Ind", "Person": "1", "Number": "Sing"})
    assert (found.form, found.source) == ("bailo", "rules")
    assert out.parent.is_dir()
    assert [one.name for one in out.parent.iterdir()] == ["es.inflector"]


def test_same_bytes_wherever_files_lie_and_however_packed(given):
    (given / "other").mkdir()
    (given / "other" / "z.txt.gz").write_bytes(gzip.compress(FREELING.encode()))
    assert train(given / "a.txt", given / "b.tsv", "--out", given / "one") == 0
    assert train(given / "b.tsv", given / "a.txt", given / "a.txt", "--out", given / "two") == 0
    assert (given / "one").read_bytes() == (given / "two").read_bytes()
    assert train(given / "other", given / "b.tsv", "--out", given / "three") == 0
    one, three = (load_model_file(str(given / name)) for name in ("one", "three"))
    assert {name: array.tobytes() for name, array in one.content.items()} == {
        name: array.tobytes() for name, array in three.content.items()
    }


def test_another_model_is_not_written_over(given, capsys):
    out = given / "es.inflector"
    assert train(given / "a.txt", "--out", out) == 0
    before = out.read_bytes()
    assert train(given / "a.txt", "--out", out) == 0  # the same one
    assert train(given / "b.tsv", "--out", out) != 0
    assert "holds another model" in capsys.readouterr().err
    assert out.read_bytes() == before
    assert train(given / "b.tsv", "--out", out, "--overwrite") == 0
    assert out.read_bytes() != before
    mine = given / "mine.txt"
    mine.write_text("my notes\n")
    assert train(given / "b.tsv", "--out", mine, "--overwrite") != 0
    assert mine.read_text() == "my notes\n"


@pytest.mark.parametrize("place", range(0, 2000, 97))
def test_every_damage_is_found(given, place):
    out = given / "es.inflector"
    assert train(given / "a.txt", "--out", out) == 0
    content = bytearray(out.read_bytes())
    content[place % len(content)] ^= 1
    out.write_bytes(content)
    with pytest.raises(LexbeamError):
        load_inflector(str(out))
    out.write_bytes(out.read_bytes()[:-1])
    with pytest.raises(LexbeamError):
        load_inflector(str(out))


def test_what_is_no_inflector(given, tmp_path):
    with pytest.raises(LexbeamError, match="there is no model"):
        load_inflector(str(tmp_path / "none"))
    with pytest.raises(LexbeamError, match="not a model of Lexbeam's"):
        load_inflector(str(given / "a.txt"))
    with pytest.raises(LexbeamError, match="is a folder"):
        load_inflector(str(given))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"Call me Ishmael.\n", "`format`|--format"),
        (b"", "--format"),
        ("niño niño NCMS000\n".encode("latin-1"), "UTF-8"),
        (b"\x1f\x8bxx", "cannot be read"),
    ],
)
def test_files_that_are_none(given, capsys, content, said):
    import re

    (given / "bad.txt").write_bytes(content)
    assert train(given / "bad.txt", "--out", given / "out") != 0
    told = capsys.readouterr().err
    assert re.search(said, told), told
    assert "bad.txt" in told
    assert not (given / "out").exists()


def test_language_is_a_code(given, capsys):
    words = ["simplify", "train-inflector", str(given / "a.txt"), "--out", str(given / "x")]
    assert main([*words, "--language", "4 2"]) != 0
    assert "language" in capsys.readouterr().err
