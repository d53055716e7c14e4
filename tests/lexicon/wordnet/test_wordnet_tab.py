"""Words of another language in the synsets of a database: a tab file over it."""

import numpy as np
import pyarrow as pa
import pytest
from wordnet_making import Synset, both_ways, write_wordnet

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet

SYNSETS = both_ways(
    [
        Synset("entity", "n", ["entity"], "what is"),
        Synset("animal", "n", ["animal"], "it lives", pointers=[("@", "entity", 0, 0)]),
        Synset("dog", "n", ["dog"], "it barks", pointers=[("@", "animal", 0, 0)], counts={"dog": 3}),
        Synset("bank", "n", ["bank"], "money", pointers=[("@", "entity", 0, 0)], counts={"bank": 1}),
        Synset("seat", "n", ["bench", "seat"], "to sit on", pointers=[("@", "animal", 0, 0)], counts={"seat": 9}),
        Synset("go", "v", ["go"], "change place", pointers=[("!", "stay", 1, 1)]),
        Synset("stay", "v", ["stay"], "remain"),
    ]
)
WORDS = [
    ("entity", "entidad"),
    ("dog", "perro"),
    ("dog", "can_doméstico"),
    ("bank", "banco"),
    ("seat", "banco"),
    ("seat", "`bench"),
    ("go", "ir"),
    ("stay", "quedar"),
]


def tab(folder, shift=0):
    """Write a database and a tab file over it; return the file."""
    offsets = write_wordnet(folder, SYNSETS)
    letters = {synset.name: synset.type for synset in SYNSETS}
    lines = [f"spa-30-{offsets[name] + shift:08d}-{letters[name]}\tspa:lemma\t{word}" for name, word in WORDS]
    path = folder / "es.tab"
    path.write_text("# Spanish\n" + "\n".join([*lines, "spa-30-99999999-n\tspa:lemma\tsuyo"]) + "\n", "utf-8")
    return path


def opened(path, spec="language=es"):
    options = LexiconOptions(resources=(f"w=wordnet:{path}:{spec}",), cache=str(path.parent / "cache"))
    wordnet = prepare(options).get("w", "es")
    assert isinstance(wordnet, WordNet)
    return wordnet


def test_words_have_the_relations_of_the_database(tmp_path):
    wordnet = opened(tab(tmp_path))
    words = pa.array(["perro", "can doméstico", "banco", "entidad", "dog", "bench", "suyo"])
    senses = wordnet.first_sense(words)
    assert wordnet.written(senses).to_pylist() == ["perro", "can_doméstico", "banco", "entidad", None, None, None]
    # The first sense of `banco` is that whose English words are tagged more often: a seat.
    assert wordnet.depth_max(wordnet.synset_of(senses)).tolist() == [2, 2, 2, 0, -1, -1, -1]
    assert wordnet.polysemy(words).tolist() == [1, 1, 2, 1, 0, 0, 0]
    assert wordnet.synonyms(pa.array(["perro"])).to_pylist() == [["can_doméstico"]]
    assert wordnet.antonyms(pa.array(["ir"])).to_pylist() == [[]]
    # English glosses are shown, and not compared.
    synset = wordnet.synset_of(senses[:1])
    assert wordnet.definitions(synset).to_pylist() == ["it barks"]
    assert not len(wordnet.glosses.of(np.arange(len(wordnet))).values)


def test_offsets_of_another_database_are_refused(tmp_path):
    with pytest.raises(LexbeamError, match=r"es\.tab: 0 of its 7 synsets are in .*another database"):
        opened(tab(tmp_path, shift=1))


def test_its_language_must_be_said(tmp_path):
    path = tab(tmp_path)
    with pytest.raises(UsageError, match=r"es\.tab:language=es"):
        prepare(LexiconOptions(resources=(f"w=wordnet:{path}",), cache=str(tmp_path / "cache")))


def test_a_database_that_changes_is_compiled_anew(tmp_path):
    path = tab(tmp_path)
    opened(path)
    data = (tmp_path / "data.noun").read_text("utf-8")
    (tmp_path / "data.noun").write_text(data.replace("it barks", "it moves"), "utf-8")
    wordnet = opened(path)
    assert wordnet.definitions(wordnet.synset_of(wordnet.first_sense(pa.array(["perro"])))).to_pylist() == ["it moves"]
