"""Formats of thesauri beside MyThes and tab files: what a file says, what is left out of it, what is wrong."""

import gzip
import json
import logging

import pyarrow as pa
import pytest
from kinds_opened import opened
from nets import ends

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.lexicon.compiled.thesaurus_formats import read_thesaurus
from lexbeam.transforms.lexicon.compiled.thesaurus_kind import THESAURUS
from lexbeam.transforms.lexicon.compiled.thesaurus_senses import Member, ThesaurusOptions
from lexbeam.transforms.lexicon.resource_cache import parse_spec

KAIKKI = [
    {
        "word": "Morada",
        "lang_code": "es",
        "pos": "noun",
        "senses": [
            {
                "glosses": ["lugar"],
                "synonyms": [
                    {"word": "casa"},
                    {"word": "morada"},
                    {"word": "posada", "tags": ["archaic"]},
                    {"word": "Thesaurus:casa"},
                    {"tags": []},
                ],
                "hypernyms": [{"word": "edificio"}, {"word": "Casa"}],
            },
            {"tags": ["obsolete"], "synonyms": [{"word": "mansión"}]},
            {"glosses": ["sin otras"]},
        ],
        "synonyms": [
            {"word": "hogar", "sense": "donde se vive"},
            {"word": "domicilio"},
            {"word": "vivienda", "sense": "donde se vive"},
        ],
    },
    {"word": "morada", "lang_code": "pt", "pos": "noun", "synonyms": [{"word": "moradia"}]},
    {"word": "morada", "lang_code": "es", "pos": "adj", "synonyms": [{"word": "violeta"}]},
]
CONCEPTNET = """/a/[1]\t/r/Synonym\t/c/es/casa/n\t/c/es/hogar/n/wn/x\t{"weight": 2.0}
/a/[2]\t/r/IsA\t/c/es/casa/n\t/c/es/edificio_grande/n\t{"weight": 1.0}
/a/[3]\t/r/Synonym\t/c/es/casa\t/c/en/house\t{"weight": 1.0}
/a/[4]\t/r/RelatedTo\t/c/es/casa\t/c/es/puerta\t{"weight": 1.0}
/a/[5]\t/r/SimilarTo\t/c/es/casero/a\t/c/es/hogareño/a\t{"weight": 0.5}
/a/[6]\t/r/Synonym\t/c/es/casa/n\t/c/es/edificio_grande/n\t{"weight": 1.0}
"""
PPDB = """[NN] ||| dwelling ||| house ||| PPDB2.0Score=4.5 PPDB1.0Score=3.1 ||| 0-0 ||| Equivalence
[NN] ||| dwelling ||| palace ||| PPDB2.0Score=2.0 ||| 0-0 ||| ForwardEntailment
[NN] ||| dwelling ||| street ||| PPDB2.0Score=3.5 ||| 0-0 ||| OtherRelated
[NN] ||| dwelling ||| living place ||| PPDB2.0Score=4.5 ||| 0-0 ||| Equivalence
[VBD] ||| dwelt ||| lived ||| p(e|f)=0.1 ||| 0-0
[,] ||| dwelling ||| dwelling ||| PPDB2.0Score=1 ||| 0-0 ||| Equivalence
"""
# Two entries of one word, an entry of two, remarks, numbers that are none of a sense, an entry without a translation.
DICT = {
    "00databaseinfo": "A dictionary, for nothing\nremark, remark\n",
    "hogar": "hogar /oɣˈaɾ/ <n, m>\nhome <n>, fireplace (old)\nwhere one lives, or warms oneself\n",
    "casa": "casa /kˈasa/ <n, f>\n1. house, home 2.\nbuilding\n 3.\nfamily\n2. firm\n4. no sense\n",
    "lindo": "lindo, linda /l/ /l/ <adj>\npretty; home\n",
    "nada": "nada /n/\n",
}


def written_dictionary(path):
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    place, index, data = 0, [], b""
    for word, text in DICT.items():
        content = text.encode()
        index.append(f"{word}\t{digits[place // 64]}{digits[place % 64]}\t{digits[len(content) // 64]}A\n")
        data += content
        place += len(content)
    path.with_name("x.index").write_text("".join(sorted(index)), "utf-8")
    path.write_bytes(gzip.compress(data))
    return path


def read(path, **options):
    """Return what is read: word, id, part of speech, members and hypernyms of each sense."""
    return [
        (
            word,
            sense.id,
            sense.pos,
            [m.text for m in sense.members if not m.hypernym],
            [m.text for m in sense.members if m.hypernym],
        )
        for word, sense in read_thesaurus(str(path), ThesaurusOptions(**options))
    ]


def logged(caplog, path):
    with caplog.at_level(logging.WARNING, "lexbeam"):
        thesaurus = opened(THESAURUS, path)
    return thesaurus, caplog.messages[-1]


def test_kaikki(tmp_path, caplog):
    path = tmp_path / "es.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in KAIKKI), "utf-8")
    of_noun = [
        ("morada", "morada#1", "NOUN", ["casa"], ["edificio"]),
        ("morada", "morada#2", "NOUN", ["hogar", "vivienda"], []),
        ("morada", "morada#3", "NOUN", ["domicilio"], []),
    ]
    assert read(path, language="es") == [*of_noun, ("morada", "morada#4", "ADJ", ["violeta"], [])]
    assert read(path)[3] == ("morada", "morada#4", "NOUN", ["moradia"], [])
    thesaurus, told = logged(caplog, f"{path}:language=es")
    assert told == f"{path}: left out: 2 marked, 2 no_text, 1 other_language"
    assert thesaurus.facts["left_out"] == 5
    assert [sense.id for sense in thesaurus.senses(pa.array(["MORADA"]))[0]] == [f"morada#{n}" for n in range(1, 5)]


def test_conceptnet(tmp_path, caplog):
    path = tmp_path / "assertions.csv"
    path.write_text(CONCEPTNET, "utf-8")
    similar = [("casero", "casero#adj", "ADJ", ["hogareño"], []), ("hogareño", "hogareño#adj", "ADJ", ["casero"], [])]
    of_casa = [
        ("casa", "casa#noun", "NOUN", ["hogar", "edificio grande"], []),  # by another line it means the same
        ("hogar", "hogar#noun", "NOUN", ["casa"], []),
    ]
    of_building = [("edificio grande", "edificio grande#noun", "NOUN", ["casa"], [])]
    assert read(path, language="es") == [*of_casa, *similar, *of_building]
    assert read(path, language="es", least=1) == of_casa + of_building
    assert read(path, language="es", least=1.5) == [("casa", "casa#noun", "NOUN", ["hogar"], []), of_casa[1]]
    path.write_text("".join(CONCEPTNET.splitlines(True)[:2]), "utf-8")
    assert read(path, language="es")[0] == ("casa", "casa#noun", "NOUN", ["hogar"], ["edificio grande"])
    path.write_text(CONCEPTNET, "utf-8")
    _, told = logged(caplog, f"{path}:language=es,least=1")
    assert told == f"{path}: left out: 1 below_least, 1 other_language, 1 other_relation"
    with pytest.raises(LexbeamError, match="language=CODE"):
        read(path)


def test_ppdb(tmp_path, caplog):
    path = tmp_path / "ppdb"
    path.write_text(PPDB, "utf-8")
    assert read(path) == [
        ("dwelling", "dwelling#noun", "NOUN", ["house", "palace"], []),
        ("dwelt", "dwelt#verb", "VERB", ["lived"], []),
    ]
    assert read(path, least=3) == [("dwelling", "dwelling#noun", "NOUN", ["house"], [])]
    _, told = logged(caplog, f"{path}:least=3")
    assert told == f"{path}: left out: 3 below_least, 1 not_equivalent, 1 phrase"


def test_freedict(tmp_path, caplog):
    path = written_dictionary(tmp_path / "x.dict.dz")
    assert read(path) == [(None, "home", "NOUN", ["hogar", "casa"], [])]
    assert read(path, side="right") == [
        (None, "hogar#1", "NOUN", ["home", "fireplace"], []),
        (None, "casa#1", "NOUN", ["house", "home"], []),
        (None, "lindo#1", "ADJ", ["pretty", "home"], []),
    ]
    thesaurus, told = logged(caplog, path)
    assert told == f"{path}: left out: 1 no_translation, 5 one_word"
    assert [member.text for sense in thesaurus.senses(pa.array(["casa"]))[0] for member in sense.members] == [
        "hogar",
        "casa",
    ]
    # Both files are what it is compiled from.
    assert parse_spec(f"th=thesaurus:{path}").parsed.paths == (str(path), str(tmp_path / "x.index"))


def test_pairs(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("# of mine\ncasa\thouse\tnoun\nmorada\tHouse\tnoun\ncasa\thome\nhogar\thome\n", "utf-8")
    assert read(path, format="pairs") == [
        (None, "house", "NOUN", ["casa", "morada"], []),
        (None, "home", None, ["casa", "hogar"], []),
    ]
    path.write_text("house\tcasa\nhouse\tmorada\nhome\thogar\n", "utf-8")
    assert read(path, format="pairs", side="right") == [(None, "house#1", None, ["casa", "morada"], [])]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("commenced\tbegan\nin order to\tto\n", {"commenced": ["began"], "in order to": ["to"]}),
        ("\ufeffword,simpler\r\ncommenced,began\r\n", {"commenced": ["began"]}),
        ("Hard;Easy\n# mine\nCommenced;began;started\n", {"commenced": ["began", "started"]}),
        (
            'commenced,began\nreimburse,"pay back, repay",\n',
            {"commenced": ["began"], "reimburse": ["pay back", "repay"]},
        ),
        ("commenced\tbegan, started|got going\n", {"commenced": ["began", "started", "got going"]}),
    ],
)
def test_lists_of_a_person_are_found_by_themselves(tmp_path, content, words):
    path = tmp_path / "own.txt"
    path.write_text(content, "utf-8")
    senses = read(path)
    assert {word: members for word, _, _, members, _ in senses} == words
    assert len(senses) == len(words)


def test_senses_of_no_word_are_left_out(tmp_path, caplog):
    path = tmp_path / "th.dat"
    path.write_text("UTF-8\n|2\n-|Fotokamera|Fotoapparat\n-|Kamera\nHaus|1\n-|Heim\n", "utf-8")
    thesaurus, told = logged(caplog, path)
    assert told == f"{path}: left out: 2 no_word"
    assert thesaurus.facts == {"words": 1, "senses": 1, "members": 1, "placeholders": 0, "left_out": 2}


@pytest.mark.parametrize(
    ("options", "content", "told"),
    [
        ({}, '{"word": 1}\n', 'line 1 should be a JSON object with "word"'),
        ({}, '{"word": "a"}\n[1]\n', "line 2 should be a JSON object"),
        ({"language": "es"}, "/a/[1]\t/r/Synonym\t/c/es/a\n", "line 1 should be URI, RELATION"),
        ({"language": "es", "least": 1.0}, "/a/[1]\t/r/IsA\t/c/es/a\t/c/es/b\t{}\n", 'JSON with "weight"'),
        ({}, "[NN] ||| a ||| b\n", "line 1 should be .LHS"),
        ({"format": "pairs"}, "a\tb\na\n", "line 2 should be WORD and TRANSLATION"),
        ({"format": "freedict"}, "a\nb\n", "no file at .*any.index"),
        ({"format": "pairs", "least": 1.0}, "a\tb\n", "least=1.0 means nothing to format pairs"),
        ({"side": "right"}, "UTF-8\n", "side=right means nothing to format mythes"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, options, content, told):
    path = tmp_path / "any"
    path.write_text(content, "utf-8")
    with pytest.raises(LexbeamError, match=told):
        read(path, **options)


def test_a_dictionary_of_another_index_is_told(tmp_path):
    path = written_dictionary(tmp_path / "x.dict.dz")
    for index, told in (("a\tB\n", "line 1 should be WORD, START"), ("a\tZZ\tB\n", "has no entry where")):
        path.with_name("x.index").write_text(index)
        with pytest.raises(LexbeamError, match=told):
            read(path)


def test_lines_of_any_length_take_no_time(tmp_path):
    path = tmp_path / "any"
    long = 400_000
    with ends():
        path.write_text(
            json.dumps({"word": "a", "synonyms": [{"word": f"b{n}", "sense": str(n)} for n in range(long // 8)]})
        )
        assert len(read(path)) == long // 8  # of the senses, each once through all synonyms would be 2.5 billion
    for opening in "([{<":
        with ends():
            path.write_text("a\nb" + opening * long + "\n")
            (tmp_path / "any.index").write_text("a\tA\tB\n")
            assert read(path, format="freedict") == []
    with ends():
        path.write_text("[NN] ||| a ||| b ||| " + "PPDB2.0Score=1" * (long // 20) + "\n")
        assert read(path, least=0.5) == []
    assert Member("a") == ("a", False, False)
