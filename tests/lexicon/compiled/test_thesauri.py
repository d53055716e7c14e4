"""Thesauri: what files say is what is asked of them; what is wrong names file and line."""

import unicodedata

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kinds_opened import opened
from nets import ends

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.lexicon.compiled.thesaurus_formats import READERS, read_thesaurus
from lexbeam.transforms.lexicon.compiled.thesaurus_kind import THESAURUS
from lexbeam.transforms.lexicon.compiled.thesaurus_senses import Member, ThesaurusOptions, ThesaurusSense
from lexbeam.transforms.lexicon.resource_cache import parse_spec

MYTHES = """ISO8859-1
Alá|1
-|Dios|Todopoderoso
casa|2
(sust.)|hogar|vivienda (fig.)|techo (loc.) (p. us.)
(tr.)|unir, juntar,|edificio (generic term)|divorcia (Antónimo)

solo|1
-|vacío (antonym)
"""
TAB = (
    "# Wordnet\tspa\thttp://example.org\n"
    "00001740-n\tspa:lemma\tcasa\n00001740-n\tspa:lemma\tCasa_de_campo\n"
    "00001740-n\tspa:def\t0\tuna casa\n00001741-s\tspa:lemma\t`homely\n"
    "00001741-s\tspa:lemma\tcasero\n00001742-v\tlemma\tcasa\n"
)


def asked(path, *words):
    found = opened(THESAURUS, path).senses(pa.array(words))
    return [[(sense.id, sense.pos, [one.text for one in sense.members]) for sense in senses] for senses in found]


def test_mythes(tmp_path):
    path = tmp_path / "th.dat"
    path.write_bytes(MYTHES.replace("\n", "\r\n").encode("latin-1"))
    assert asked(path, "alá", "CASA", "perro", None, "solo") == [
        [("alá#1", None, ["Dios", "Todopoderoso"])],
        [("casa#1", "NOUN", ["hogar", "vivienda", "techo"]), ("casa#2", "VERB", ["unir", "juntar", "edificio"])],
        [],
        [],
        [],
    ]
    second = opened(THESAURUS, path).senses(pa.array(["casa"]))[0][1]
    assert [one.hypernym for one in second.members] == [False, False, True]


def test_tab(tmp_path):
    path = tmp_path / "spa.tab"
    path.write_text(TAB, "utf-8")
    casa, casero, homely = opened(THESAURUS, path).senses(pa.array(["casa", "CASERO", "homely"]))
    assert casa == (
        ThesaurusSense("00001740-n", "NOUN", (Member("casa"), Member("Casa de campo"))),
        ThesaurusSense("00001742-v", "VERB", (Member("casa"),)),
    )
    # A placeholder is nobody's synonym by itself, and nothing is looked up by it.
    assert casero == (ThesaurusSense("00001741-s", "ADJ", (Member("homely", placeholder=True), Member("casero"))),)
    assert homely == ()


def test_what_is_said_to_a_person(tmp_path):
    path = tmp_path / "spa.tab"
    path.write_text(TAB, "utf-8")
    thesaurus = opened(THESAURUS, path)
    assert list(thesaurus.look("casa", "NOUN")) == [("sense 00001740-n NOUN", "casa, Casa de campo")]
    assert thesaurus.facts == {"words": 3, "senses": 3, "members": 5, "placeholders": 1, "left_out": 0}


def test_words_of_the_option():
    spec = parse_spec("th=thesaurus:/a/b.dat:format=mythes,encoding=latin-1,language=es")
    assert spec.parsed.paths == ("/a/b.dat",)
    assert spec.parsed.language == "es"
    for wrong in ("f:format=csv", "f:encoding=nosuch", "f:colour=red"):
        with pytest.raises(UsageError, match=r"format|encoding|colour"):
            parse_spec(f"th=thesaurus:{wrong}")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a", "casa|1\n-|hogar\n", "line 1"),
        ("b", "", "line 1"),
        ("c", "UTF-8\ncasa|2\n-|hogar\n", "ends within"),
        ("d", "UTF-8\ncasa\n-|hogar\n", "line 2 should be WORD"),
        ("e", "UTF-8\ncasa|1\nhogar\n", "line 3 should be a sense"),
        ("f", "UTF-8\n", "no word"),
        ("g", "1-n\ty\n", "line 1 should be OFFSET-POS"),
        ("i", "a,b\nc\n", "line 2 should be WORD and SIMPLER WORD with ','"),
        ("j", "commenced began\n", "line 1 .* nor a word and a simpler one, as in 'commenced,began'"),
        ("h", "#\n1-n\tspa:def\t0\tx\n", "no line of a lemma"),
    ],
)
def test_what_is_wrong_names_file_and_line(tmp_path, name, content, told):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(LexbeamError, match=told) as error:
        opened(THESAURUS, path)
    assert name in str(error.value)


def test_another_encoding_is_told(tmp_path):
    path = tmp_path / "th.dat"
    path.write_bytes(b"UTF-8\nal\xe1|1\n-|Dios\n")
    with pytest.raises(LexbeamError, match="line 2 is not UTF-8"):
        opened(THESAURUS, path)
    assert asked(f"{path}:encoding=latin-1", "alá") == [[("alá#1", None, ["Dios"])]]


letters = st.text(st.characters(categories=("Ll", "Lo"), exclude_characters="ß"), min_size=1)
words = st.lists(letters, min_size=1, max_size=3).map(" ".join)
slow = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def nfc(text):
    return unicodedata.normalize("NFC", text)


@settings(slow, max_examples=40)
@given(st.dictionaries(words, st.lists(st.lists(words, min_size=1, unique=True), max_size=3)))
def test_mythes_as_it_was_written(tmp_path, content):
    content = {nfc(word).lower(): senses for word, senses in content.items()}
    lines = ["UTF-8"]
    for word, senses in content.items():
        lines.append(f"{word}|{len(senses)}")
        lines += ["-|" + "|".join(sense) for sense in senses]
    path = tmp_path / "th.dat"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    found = list(read_thesaurus(str(path), ThesaurusOptions(format="mythes")))
    assert [(word, [one.text for one in sense.members]) for word, sense in found] == [
        (word, list(dict.fromkeys(map(nfc, sense)))) for word, senses in content.items() for sense in senses
    ]
    if found:
        thesaurus = opened(THESAURUS, path)
        for word, senses in content.items():
            assert len(thesaurus.senses(pa.array([word]))[0]) == len(senses)


@slow
@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("nvar"), words, st.booleans()), min_size=1))
def test_tab_as_it_was_written(tmp_path, rows):
    path = tmp_path / "x.tab"
    lines = [
        f"{number:08d}-{pos}\tspa:lemma\t{'`' if blank else ''}{word.replace(' ', '_')}"
        for number, pos, word, blank in rows
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    expected = {}
    for number, pos, word, blank in rows:
        expected.setdefault(f"{number:08d}-{pos}", {})[nfc(word), blank] = None
    found = {sense.id: sense for _, sense in read_thesaurus(str(path), ThesaurusOptions())}
    members = {name: [(m.text, m.placeholder) for m in one.members] for name, one in found.items()}
    assert members == {name: list(own) for name, own in expected.items()}
    listed = {word.lower() for members in expected.values() for word, blank in members if not blank}
    if listed:
        thesaurus = opened(THESAURUS, path)
        for word in listed:
            ids = [sense.id for sense in thesaurus.senses(pa.array([word]))[0]]
            assert ids == [
                name
                for name, members in expected.items()
                if any(one.lower() == word and not blank for one, blank in members)
            ]


# What a line of each format may begin with, so that bytes behind it reach further.
BEGINNINGS = {
    "mythes": (b"UTF-8\n", b"ISO8859-1\nx|1\n", b"hex\nx|1\n", b"UTF-8\n|1\n"),
    "tab": (b"#\n", b"1-n\tspa:lemma\t"),
    "kaikki": (b'{"word": "a", "senses": [', b'{"word": "a", "synonyms": [{"word": "', b"[" * 5000),
    "conceptnet": (b"/a/[]\t/r/Synonym\t/c/es/a\t/c/es/", b"/a/[]\t/r/IsA\t/c/es/a\t/c/es/b/n\t{"),
    "ppdb": (b"[NN] ||| a ||| b ||| ", b"[NN] ||| a ||| b ||| PPDB2.0Score="),
    "freedict": (b"a /a/ <n>\n", b"a /a/ <n>\n1. b\n2. "),
    "pairs": (b"a\tb\n", b"a\tb\t"),
    "list": (b"a\tb\n", b"a,b\n", b'a,"', b"a;b|", b"word;simpler\n"),
}


def test_every_format_is_tried_with_any_bytes():
    assert list(BEGINNINGS) == list(READERS)


@slow
@given(st.binary(max_size=200))
def test_any_bytes_are_a_thesaurus_or_an_error_for_a_person(tmp_path, content):
    (tmp_path / "any.index").write_text("a\tA\tB\n")
    for name, beginnings in BEGINNINGS.items():
        path = tmp_path / ("any.dict" if name == "freedict" else "any")
        options = ThesaurusOptions(format=name, language="es", least=0.5 if "least" in READERS[name].takes else None)
        for begin in (b"", *beginnings):
            path.write_bytes(begin + content)
            for tried in (options, ThesaurusOptions()):
                told = ""
                try:
                    list(read_thesaurus(str(path), tried))
                except LexbeamError as error:
                    told = str(error)
                assert not told or str(path) in told


@slow
@given(st.binary(max_size=100))
def test_any_index_is_one_or_an_error_for_a_person(tmp_path, content):
    path = tmp_path / "any.dict"
    path.write_text("a /a/ <n>\nb, c\n")
    for begin in (b"", b"a\tA\tB\n", b"a\t"):
        (tmp_path / "any.index").write_bytes(begin + content)
        told = ""
        try:
            list(read_thesaurus(str(path), ThesaurusOptions(side="right")))
        except LexbeamError as error:
            told = str(error)
        assert not told or str(tmp_path / "any.") in told


def test_a_line_of_any_length_takes_no_time(tmp_path):
    path = tmp_path / "th.dat"
    words = {"a" + " " * 500_000 + "b": "a b", "a" + "(loc.)" * 90_000: "a", "a" + "(" * 500_000: "a" + "(" * 500_000}
    for word, member in words.items():
        path.write_text(f"UTF-8\na|1\n-|{word}|c\n")
        with ends():  # 4,000 spaces took 20 ms, and with the square of them
            ((_, sense),) = read_thesaurus(str(path), ThesaurusOptions(format="mythes"))
        assert sense.members == (Member(member), Member("c"))
    path.write_text("1" * 500_000 + "\tlemma\ta\n")
    with ends(), pytest.raises(LexbeamError, match="line 1 should be OFFSET-POS"):
        list(read_thesaurus(str(path), ThesaurusOptions(format="tab")))
