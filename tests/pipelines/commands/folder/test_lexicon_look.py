"""The command `lexicon look`: what every resource says of a word."""

import unicodedata

import pytest

from lexbeam.pipelines.cli import main

LIST = "word,pos,value\ncafé,Noun,1.5\nsea,Verb,2\n"


@pytest.fixture
def look(tmp_path, monkeypatch, capsys):
    (tmp_path / "list.csv").write_text(LIST, "utf-8")
    (tmp_path / "vec").write_text("sea 1 0\nship 1 1\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEXBEAM_CACHE", str(tmp_path / "cache"))
    given = ["list=list.csv:word=word,value=value,pos=pos,language=fr", "near=vectors:vec"]

    def run(*words):
        code = main(["lexicon", "look", *words, *(f"--resources={one}" for one in given)])
        return code, capsys.readouterr().out.splitlines()

    return run


def test_each_resource_says_what_it_has(look):
    assert look("sea") == (
        0,
        [
            "list (words, fr)",
            "  value  2 (value, from 1.5 to 2)",
            "near (vectors)",
            "  vector   2 numbers, length 1",
            "  nearest  ship 0.71",
        ],
    )
    assert look("boat", "--pos", "v")[1] == [
        "list (words, fr)",
        "  'boat' is not there as v",
        "near (vectors)",
        "  'boat' is not there as v",
    ]


@pytest.mark.parametrize("pos", ["n", "Noun", "NOUN"])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_word_is_written_as_a_person_does(look, pos, form):
    _, told = look(unicodedata.normalize(form, " Café "), "--pos", pos)
    assert told[1] == "  value  1.5 (value, from 1.5 to 2)"


def test_without_resources_it_says_how_they_are_named(tmp_path, capsys):
    assert main(["lexicon", "look", "sea"]) == 2
    assert "`resources`" not in (said := capsys.readouterr().err)
    assert "--resources must be given: NAME=FILE:word=COLUMN,value=COLUMN" in said
