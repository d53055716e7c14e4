"""Resources by name and language, on this machine and on others."""

import sys

import pyarrow as pa
import pytest

from lexbeam.pipelines.frame.registry import COMMANDS, load
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.fields import from_mapping, noted_paths, options_of, plain_options
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.receipts import Damaged
from lexbeam.transforms.lexicon.resource_cache import KINDS, parse_spec
from lexbeam.transforms.lexicon.resources import Lexicon, LexiconOptions, prepare
from lexbeam.transforms.simplification.generation.generators import GenerationFiles


@pytest.fixture
def numbers(toy):
    """English and German numbers, and others of every language."""
    files = {"en": "ten 10\nsix 6\n", "de": "zehn 10\nsix 66\n", "": "x 10\nsix 0\n"}
    specs = []
    for language, text in files.items():
        path = toy.folder / f"{language or 'any'}.txt"
        path.write_text(text)
        specs.append(f"number=toy:{path}" + (f";language={language}" if language else ""))
    return prepare(LexiconOptions(resources=tuple(specs)))


def test_rows_of_each_language_find_their_own(numbers):
    words = pa.array(["six"] * 5)
    languages = pa.array(["de", "en", "fr", None, "en"])
    found = [None] * len(words)
    for rows, resource in numbers.by_language("number", languages):
        for row, value in zip(rows, resource.look_up(words.take(pa.array(rows))), strict=True):
            found[row] = value
    assert found == [66, 6, 0, 0, 6]
    assert numbers.get("number", "de").look_up(["zehn", "ten"]) == [10, None]


def test_a_language_without_a_resource_has_none(toy):
    lexicon = Lexicon((toy.prepare("language=en"),))
    assert lexicon.find("toy", "de") is None
    assert lexicon.find("toy") is None
    ((rows, resource),) = lexicon.by_language("toy", pa.array(["de"]))
    assert (rows.tolist(), resource) == ([0], None)
    with pytest.raises(LexbeamError, match=r"'toy' for language 'de' \(there is one for en\): name"):
        lexicon.get("toy", "de")
    with pytest.raises(LexbeamError, match=r"'toy' for every language \(there is one for en\)"):
        lexicon.get("toy")
    with pytest.raises(LexbeamError, match="did you mean 'toy'"):
        lexicon.get("tyo", "en")


def test_it_is_mapped_once_and_nothing_is_copied(toy):
    words = "".join(f"word{number} {number}\n" for number in range(100_000))
    toy.path.write_text(words)
    held = toy.prepare()
    before = pa.total_allocated_bytes()
    opened = held.open()
    assert pa.total_allocated_bytes() - before < 10_000
    assert held.open() is opened
    assert opened.look_up(["word99999", "word1"]) == [99_999, 1]


@pytest.mark.parametrize(
    ("resources", "message"),
    [
        ("file.txt", "NAME=FILE:word="),
        ("my name=toy:file", "letters, digits and underscores"),
        ("a=toy:", "resource 'a': a toy needs a file"),
        ("a=wordfrek:en", "did you mean 'wordfreq'"),
        (["a=toy:b", "a=toy:c"], "two resources are called 'a'"),
    ],
)
def test_wrong_words_are_errors_that_say_how_it_is_written(toy, resources, message):
    with pytest.raises(UsageError, match=message):
        from_mapping(LexiconOptions, {"resources": resources})


def test_paths_are_made_absolute_and_not_published(toy):
    options = from_mapping(LexiconOptions, {"resources": ["a=toy:toy.txt;factor=2"]}, "", str(toy.folder))
    assert options.resources == (f"a=toy:{toy.path};factor=2",)
    assert noted_paths(options, "resource") == {"resources": [str(toy.path)]}
    assert plain_options(options) == {"resources": ["a=toy:toy.txt;factor=2"]}
    told = prepare(options).described_by_name()
    assert told["a"]["kind"] == "toy"
    assert told["a"]["options"] == {"factor": 2, "broken": False}
    assert str(toy.folder) not in repr(told)


@pytest.mark.parametrize(
    ("spec", "whole"),
    [
        ("wordnet:wordnet", "wordnet:{}/wordnet"),
        ("vectors:vec:unit=yes", "vectors:{}/vec:unit=yes"),
        ("words:w:word=w,value=v", "words:{}/w:word=w,value=v"),
        ("w:word=w,value=v", "{}/w:word=w,value=v"),
    ],
)
def test_a_path_may_be_part_of_its_kinds_name(tmp_path, spec, whole):
    options = from_mapping(LexiconOptions, {"resources": [f"w={spec}"]}, "", str(tmp_path))
    assert options.resources == ("w=" + whole.format(tmp_path),)


def test_an_option_that_says_the_kind_takes_it_before_the_path_too():
    kinds = set()
    for words in COMMANDS:
        for entry in options_of(load(words).options).values():
            if entry.path == "resource" and entry.stands_for is not None:
                said = entry.stands_for("x").partition("=")[2].partition(":")[0]
                kind = said if said in KINDS else "words"
                path = "x:word=w,value=v" if kind == "words" else "x"
                given = entry.stands_for(f"{kind}:{path}")
                assert parse_spec(given) == parse_spec(entry.stands_for(path)), (words, entry.name)
                assert entry.stands_for(given) == given
                kinds.add(kind)
    assert {"wordnet", "vectors", "thesaurus", "words"} <= kinds


def test_a_kind_before_the_path_is_the_same_resource(tmp_path):
    made = [
        from_mapping(GenerationFiles, {"wordnet": path}, "", str(tmp_path))
        for path in ("wn:language=pt", "wordnet:wn:language=pt")
    ]
    assert made[0] == made[1]
    assert made[0].wordnet == f"wordnet_=wordnet:{tmp_path}/wn:language=pt"


@pytest.fixture
def elsewhere(toy, monkeypatch):
    """A resource carried with a run's artefacts, and a machine that lacks the driver's cache."""
    run = toy.folder / "run"
    (carried,) = Lexicon((toy.prepare(),)).carried(Workspace(str(run))).held
    toy.cache.rename(toy.folder / "gone")
    monkeypatch.setenv("LEXBEAM_CACHE", str(toy.folder / "other"))
    return carried


def test_another_machine_copies_it_once(toy, elsewhere, monkeypatch):
    assert elsewhere.open().look_up(["two", "nine"]) == [2, None]
    assert toy.compiled == 1
    copies = sorted((toy.folder / "other").glob("**/*.npy"))
    assert len(copies) == 1
    inode = copies[0].stat().st_ino
    monkeypatch.setattr("lexbeam.transforms.lexicon.resources._OPENED", {})
    assert elsewhere.open().look_up(["two"]) == [2]
    assert copies[0].stat().st_ino == inode


def test_what_was_damaged_on_the_way_is_not_read(toy, elsewhere):
    path = elsewhere.carried.files["numbers"].path
    with open(path, "rb") as stream:
        content = stream.read()
    (toy.folder / "damaged").write_bytes(content[:-1] + b"\x7f")
    (toy.folder / "damaged").replace(path)
    with pytest.raises(Damaged):
        elsewhere.open()


def test_without_a_copy_the_error_says_what_to_do(toy):
    held = toy.prepare()
    toy.cache.rename(toy.folder / "gone")
    with pytest.raises(LexbeamError, match=r"'toy' was removed from the cache.*run the same"):
        held.open()


def test_a_missing_package_is_told_before_anything_is_compiled(tmp_path, monkeypatch):
    (tmp_path / "list.csv").write_text("word,value\nsea,1\n", "utf-8")
    cache = tmp_path / "cache"
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    texts = (f"list={tmp_path / 'list.csv'}:word=word,value=value", "zipf=wordfreq:en")
    with pytest.raises(LexbeamError, match="need the Python package wordfreq"):
        prepare(LexiconOptions(resources=texts, cache=str(cache)))
    assert not list(cache.rglob("*.arrow"))
    prepare(LexiconOptions(resources=texts[:1], cache=str(cache)))
    assert list(cache.rglob("*.arrow"))
