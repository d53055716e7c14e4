"""Any sequence of line ends gives the words of line feeds, in every resource that people bring as text."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds_opened import opened
from line_ending import ended

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.lexicon.compiled.static_vectors import VECTORS
from lexbeam.transforms.lexicon.compiled.thesaurus_formats import read_thesaurus
from lexbeam.transforms.lexicon.compiled.thesaurus_senses import ThesaurusOptions
from lexbeam.transforms.lexicon.compiled.word_list import WORDS


def words(path, options):
    resource = opened(WORDS, f"{path}:{options}")
    return resource.look_up(pa.array(["ship", "sea", "a b"]))["value"].to_pylist()


def vectors(path, options):
    resource = opened(VECTORS, f"{path}:{options}" if options else path)
    return resource.words.to_pylist(), resource.vectors(pa.array(["ship", "sea"]))[0].tolist()


def senses(path, options):
    return list(read_thesaurus(str(path), ThesaurusOptions(format=options.removeprefix("format="))))


READERS = {
    "words": (
        words,
        "w.csv",
        ["word,value", "ship,3", "sea,4", '"a b",5', "", "ship,6", "# no"],
        "word=word,value=value",
    ),
    "vectors": (vectors, "v.vec", ["ship 1 2", "sea 2 1", "", "a b 3 4", "c 5"], "dim=2"),
    "sized vectors": (vectors, "v.vec", ["2 2", "ship 1 2", "sea 2 1"], ""),
    "list": (senses, "t.csv", ["word,simpler", "ship,boat", '"a",b', "", "# no", "c"], ""),
    "pairs": (senses, "t.tsv", ["buque\tship", "barco\tship", "", "c"], "format=pairs"),
    "tab": (senses, "t.tab", ["# wordnet", "1-n\teng:lemma\tship", "1-n\teng:lemma\tboat", ""], ""),
}


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=60)
@given(st.data())
def test_line_ends_make_no_word(name, tmp_path_factory, data):
    read, called, lines, options = READERS[name]
    path = tmp_path_factory.mktemp("a") / called
    fed, other = data.draw(ended(lines))
    found = []
    for content in (fed, other):
        path.write_bytes(content)
        try:
            found.append(read(path, options))
        except LexbeamError as error:
            found.append(str(error))
    assert found[0] == found[1]
