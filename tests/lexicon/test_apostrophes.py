"""Each kind of resource finds words with straight apostrophes and with curly ones."""

import pyarrow as pa
from kinds_opened import opened
from wordnet_making import Synset, both_ways, write_wordnet

from lexbeam.transforms.lexicon.compiled.static_vectors import VECTORS
from lexbeam.transforms.lexicon.compiled.thesaurus_kind import THESAURUS
from lexbeam.transforms.lexicon.compiled.word_list import WORDS
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare


def test_words_of_a_part_of_speech(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("word,pos,value\nKing’s,NOUN,1\nking's,ADJ,2\n", "utf-8")
    words = opened(WORDS, f"{path}:word=word,value=value,pos=pos")
    asked = pa.array(["king's", "king’s", "King's", "kingʼs"])
    assert words.look_up(asked, pa.array(["NOUN"] * 4))["value"].to_pylist() == [1, 1, 1, 1]
    assert words.look_up(asked, pa.array(["ADJ"] * 4))["value"].to_pylist() == [2, 2, 2, 2]
    assert words.look_up(asked)["value"].to_pylist() == [2, 1, 1, 2]


def test_vectors_keep_their_words(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("3 2\no’clock 1 0\ndon’t 0 1\ndon't 1 1\n", "utf-8")
    vectors = opened(VECTORS, str(path))
    assert vectors.rows(pa.array(["o'clock", "o’clock", "don't", "don’t", "donʼt", "clock"])).tolist() == [
        *(0, 0, 2, 1, 2, -1)
    ]
    assert vectors.words.to_pylist() == ["o’clock", "don’t", "don't"]


def test_thesauri_keep_their_words(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("o’clock,hour’s\nsea,king's\n", "utf-8")
    thesaurus = opened(THESAURUS, f"{path}:format=list")
    senses = thesaurus.senses(pa.array(["o'clock", "O’clock", "sea"]))
    assert [[member.text for sense in found for member in sense.members] for found in senses] == [
        *(["hour’s"], ["hour’s"], ["king's"])
    ]


def test_wordnet_has_one_lemma_for_both(tmp_path):
    offsets = write_wordnet(tmp_path, both_ways([Synset("hour", "n", ["hour", "o'clock"], "a time")]))
    tab = tmp_path / "fr.tab"
    tab.write_text(f"# French\nfra-30-{offsets['hour']:08d}-n\tfra:lemma\taujourd’hui\n", "utf-8")
    resources = (f"en=wordnet:{tmp_path}", f"fr=wordnet:{tab}:language=fr")
    lexicon = prepare(LexiconOptions(resources=resources, cache=str(tmp_path / "cache")))
    english, french = lexicon.get("en", "en"), lexicon.get("fr", "fr")
    assert english.polysemy(pa.array(["o'clock", "O’clock", "oʼclock"])).tolist() == [1, 1, 1]
    words = pa.array(["aujourd'hui", "aujourd’hui"])
    assert french.written(french.first_sense(words)).to_pylist() == ["aujourd’hui"] * 2
