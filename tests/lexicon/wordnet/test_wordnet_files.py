import doctest
import itertools

import pyarrow as pa
import pytest
from wordnet_making import EXCEPTIONS, SMALL, Synset, open_folder, opened_tables, write_wordnet

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.lexicon.wordnet import wordnet_kind
from lexbeam.transforms.lexicon.wordnet.ragged import LEXNAMES
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import DEBIAN, WORDNET, compile_wordnet, split_gloss


@pytest.fixture
def folder(tmp_path):
    write_wordnet(tmp_path, SMALL, exceptions=EXCEPTIONS)
    return tmp_path


@pytest.mark.parametrize(
    ("gloss", "definition", "examples"),
    [
        ("a definition", "a definition", []),
        ('one; two; "an example"', "one; two", ["an example"]),
        ('one; "a"; "b"- A. Body; "c"', "one", ["a", "b", "c"]),
        ('one; "a", "b"', "one", ["a", "b"]),
        ('one; "a" or "b";', "one", ["a", "b"]),
        ('one; "not closed', "one", ["not closed"]),
        ('one; "not closed; "closed"', "one", ["not closed", "closed"]),
        ('one; "a"; no quotation"', "one", ["a"]),
        ('named "so"; "a"', 'named "so"', ["a"]),
        ("one;", "one", []),
        ("", "", []),
    ],
)
def test_a_gloss_is_split(gloss, definition, examples):
    assert split_gloss(gloss) == (definition, examples)


def test_examples_in_docstrings_run():
    results = doctest.testmod(wordnet_kind)
    assert (results.attempted, results.failed) == (1, 0)


def test_there_are_45_classes():
    # wninput(5WN): nouns 03 to 28, verbs 29 to 43.
    assert len(LEXNAMES) == 45
    assert {number for number, name in enumerate(LEXNAMES) if name.startswith("noun.")} == {*range(3, 29)}
    assert {number for number, name in enumerate(LEXNAMES) if name.startswith("verb.")} == {*range(29, 44)}


@pytest.mark.parametrize(
    ("argument", "folder", "language"),
    [
        ("", DEBIAN, "en"),
        ("dict", "dict", "en"),
        ("dict:language=pt-BR", "dict", "pt-BR"),
        ("language=de", DEBIAN, "de"),
        (":language=de", DEBIAN, "de"),
        ("gs://bucket/a=b/dict:language=en", "gs://bucket/a=b/dict", "en"),
        ("s3://bucket/dict", "s3://bucket/dict", "en"),
    ],
)
def test_what_is_written_is_parsed(argument, folder, language):
    parsed = WORDNET.parse(argument)
    assert (parsed.paths, parsed.language) == ((folder,), language)
    assert parsed.options.language == language


@pytest.mark.parametrize("argument", ["dict:lang=en", "dict:language=", "d:language=a:language=b"])
def test_wrong_options_are_named(argument):
    with pytest.raises(UsageError, match="write"):
        WORDNET.parse(argument)


@pytest.mark.parametrize(
    "name", [f"{kind}.{part}" for kind in ("data", "index") for part in ("noun", "adv")] + ["adj.exc"]
)
def test_a_missing_file_is_named_with_the_remedy(folder, name):
    (folder / name).unlink()
    with pytest.raises(LexbeamError, match=rf"{name}.*is not there.*wordnet-base"):
        opened_tables(folder)


@pytest.mark.parametrize(
    ("name", "old", "new", "line", "cause"),
    [
        ("data.noun", "| a living thing", "a living thing", 5, "no gloss"),
        ("data.noun", " n 02 animal", " n 03 animal", 5, "missing or wrong|fields is wrong|invalid literal"),
        ("data.noun", " n 02 animal", " v 02 animal", 5, "type is 'v'"),
        ("data.noun", " n 02 animal", " n 00 animal", 5, "wrong"),
        ("data.noun", " 05 n 02 animal", " x n 02 animal", 5, "invalid literal"),
        ("data.noun", " beast 0", " beast 0 0", 5, "fields is wrong"),
        ("data.noun", " beast 0", " least 0", 5, "does not have the word 'least'"),
        ("data.verb", "02 + 01 00", "02 - 01 00", 4, "frames"),
        ("data.verb", "02 + 01 00", "03 + 01 00", 4, "fields"),
        ("data.noun", " @ ", " ? ", 5, "symbol of a pointer"),
        ("data.noun", " @ 0", " @ 9", 5, "target of a pointer"),
        ("data.adj", " 0101 ", " 0201 ", 4, "first word"),
        ("data.adj", " 0101 ", " 0102 ", 4, "second word"),
        ("index.noun", "animal n 1", "animal n 2", 5, "2 senses are announced, 1 are there"),
        ("index.noun", "animal n 1 1 @ 1 0 0", "animal n 1 1 @ 1 0 9", 5, "synset of a sense"),
        ("index.noun", "animal n", "animals n", 5, "does not have the word 'animal'|not its word"),
        ("index.sense", "animal%1:05:00::", "animal%9:05:00::", 4, "part of speech"),
        ("index.sense", "animal%1:05:00::", "animals%1:05:00::", 4, "animals%1:05:00::"),
        ("noun.exc", "axes ax axis", "axes", 1, "no base form"),
    ],
)
def test_a_wrong_line_is_named(folder, name, old, new, line, cause):
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1))
    with pytest.raises(LexbeamError, match=cause) as error:
        opened_tables(folder)
    assert "line" in str(error.value)
    assert "wordnet-base" in str(error.value)
    if name != "index.noun" or "animals" not in new:
        where = [number for number, own in enumerate(text.split("\n"), 1) if old in own]
        assert f"{name}', line {where[0]}:" in str(error.value)


@pytest.mark.parametrize("name", ["data.noun", "index.verb", "index.sense", "verb.exc"])
def test_a_truncated_file_is_named(folder, name):
    content = (folder / name).read_bytes()
    for cut in (1, 2, 4):
        (folder / name).write_bytes(content[:-cut])
        with pytest.raises(LexbeamError, match=rf"{name}.*ends within a line"):
            opened_tables(folder)


@pytest.mark.parametrize("name", ["data.noun", "data.adv", "index.verb", "index.adj", "index.sense"])
def test_a_file_without_its_last_line_does_not_match_the_others(folder, name):
    content = (folder / name).read_bytes().splitlines(keepends=True)
    (folder / name).write_bytes(b"".join(content[:-1]))
    with pytest.raises(LexbeamError, match=r"line \d+"):
        opened_tables(folder)


def test_offsets_that_fall_are_an_error(folder):
    lines = (folder / "data.adv").read_text().split("\n")
    lines[3:5] = reversed(lines[3:5])
    (folder / "data.adv").write_text("\n".join(lines))
    with pytest.raises(LexbeamError, match=r"data\.adv.*line 5: the offset"):
        opened_tables(folder)


def test_text_that_is_no_utf8_is_an_error(folder):
    content = (folder / "data.noun").read_bytes().replace(b"a living thing", b"a l\xefving thing")
    (folder / "data.noun").write_bytes(content)
    with pytest.raises(LexbeamError, match=r"data\.noun.*line 5: no UTF-8"):
        opened_tables(folder)


def test_an_empty_folder_is_an_error(tmp_path):
    with pytest.raises(LexbeamError, match="wordnet-base"):
        list(compile_wordnet([str(tmp_path)], None))


def test_folders_beside_the_files_change_nothing(folder):
    # Debian's package wordnet has a folder wnres there.
    expected, digest = opened_tables(folder), WORDNET.digest(str(folder))
    (folder / "wnres").mkdir()
    (folder / "wnres" / "license.txt").write_text("no database file")
    assert opened_tables(folder) == expected
    assert WORDNET.digest(str(folder)) == digest


@pytest.mark.parametrize("ends", [(b"\r\n",), (b"\r",), (b"\r", b"\n", b"\r\n")])
def test_line_ends_and_upper_case_in_the_index_change_nothing(folder, tmp_path, ends):
    expected = opened_tables(folder)
    for name in [*folder.glob("data.*"), *folder.glob("index.*"), *folder.glob("*.exc")]:
        lines = name.read_bytes().splitlines()
        content = b"".join(line + end for line, end in zip(lines, itertools.cycle(ends), strict=False))
        if name.name == "index.noun":
            content = content.replace(b"paris", b"Paris")
        name.write_bytes(content)
    assert opened_tables(folder) == expected


def test_the_same_files_give_the_same_tables_in_the_same_order(folder):
    first, second = (list(compile_wordnet([str(folder)], None)) for _ in range(2))
    assert [name for name, _ in first] == [name for name, _ in second]
    assert first == second


def test_verbs_without_frames_and_names_beyond_ascii(tmp_path):
    # WordNet 3.1 has verbs without frames, Open English WordNet names with accents.
    synsets = [
        Synset("v", "v", ["go"], "leave", 38),
        Synset("n", "n", ["Émile"], "a name", 18),
        Synset("new", "n", ["thing"], "of a new class", 77),
    ]
    write_wordnet(tmp_path, synsets)
    path = tmp_path / "data.verb"
    path.write_text(path.read_text().replace(" 000 00 | ", " 000 | "))
    wordnet = open_folder(tmp_path)
    rows = wordnet.synset_of(wordnet.first_sense(pa.array(["émile", "ÉMILE", "go", "thing"])))
    assert wordnet.lexnames(rows).to_pylist() == ["noun.person"] * 2 + ["verb.motion", None]
