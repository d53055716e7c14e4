"""WordNet 3.0 as Debian has it, where it is installed: known figures, and nltk's reading of it."""

import shutil
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from wordnet_making import open_folder

from transforms.lexicon.wordnet.kind import DEBIAN
from transforms.lexicon.wordnet.lexnames import LEXNAME_PARTS, LEXNAMES, PARTS, RELATIONS

pytestmark = pytest.mark.skipif(
    not Path(DEBIAN, "index.sense").exists(),
    reason="needs Debian's packages wordnet-base and wordnet-sense-index",
)


@pytest.fixture(scope="module")
def wordnet():
    return open_folder(Path(DEBIAN))


def synset(wordnet, word, pos, number=1):
    senses = wordnet.senses_of(pa.array([word]), pos)
    return wordnet.synset_of(senses.values[number - 1 : number])


@pytest.mark.slow
def test_published_figures(wordnet):
    rows = np.arange(len(wordnet))
    types = np.array(wordnet.types(rows).to_pylist())
    deepest = wordnet.depth_max(rows)
    assert len(wordnet) == 117_659
    # wnstats(7WN): synsets, and pairs of word and sense, by part of speech.
    assert [(types == o).sum() for o in "nvr"] == [82_115, 13_767, 3_621]
    assert np.isin(types, ["a", "s"]).sum() == 18_156
    lemmas = wordnet._tables.column("lemmas", "lemma")
    assert [int(wordnet.polysemy(lemmas, part).sum()) for part in PARTS] == [
        146_312, 25_047, 30_002, 5_580,
    ]  # fmt: skip
    assert [int((wordnet.polysemy(lemmas, part) > 0).sum()) for part in PARTS] == [
        117_798, 11_529, 21_479, 4_481,
    ]  # fmt: skip
    assert deepest.max() == 19
    assert ((deepest == 0) & (types == "n")).sum() == 1
    assert round(100 * (deepest[types == "n"] < 6).mean(), 1) == 7.7
    assert round(100 * (deepest[types == "v"] < 6).mean(), 1) == 95.0
    person = synset(wordnet, "person", "n")
    assert (wordnet.depth_min(person)[0], wordnet.depth_max(person)[0]) == (3, 6)
    assert wordnet.depth_max(synset(wordnet, "child", "n"))[0] == 8


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """nltk's reader of Debian's files; the names of classes are ours."""
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    folder = tmp_path_factory.mktemp("nltk")
    for path in Path(DEBIAN).iterdir():
        shutil.copyfile(path, folder / path.name)  # it follows no link out of its folder
    lines = [
        f"{number:02d}\t{name}\t{LEXNAME_PARTS[name.partition('.')[0]]}\n"
        for number, name in enumerate(LEXNAMES)
    ]
    (folder / "lexnames").write_text("".join(lines))
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that other languages are not there
        patch.setattr(nltk.data, "path", [str(folder)])  # nor opens what is elsewhere
        # It would look for another WordNet, to translate numbers for other languages.
        patch.setattr(WordNetCorpusReader, "map_wn", lambda self, version="wordnet": None)
        yield WordNetCorpusReader(str(folder), None)


@pytest.mark.slow
def test_every_synset_is_as_nltk_reads_it(wordnet, theirs):
    rows = np.arange(len(wordnet))
    place = {
        ("a" if kind == "s" else kind, offset): row
        for row, kind, offset in zip(
            rows, wordnet.types(rows).to_pylist(), wordnet.offsets(rows).tolist(), strict=True
        )
    }
    senses = wordnet.senses_in(rows)
    words = wordnet.words_in(rows).to_pylist()
    ours = zip(
        wordnet.types(rows).to_pylist(), words, wordnet.lexnames(rows).to_pylist(),
        wordnet.definitions(rows).to_pylist(), wordnet.examples(rows).to_pylist(),
        wordnet.depth_min(rows).tolist(), wordnet.depth_max(rows).tolist(), strict=True,
    )  # fmt: skip
    facts = list(ours)
    keys = wordnet.sense_keys(senses.values).to_pylist()
    counts = wordnet.counts(senses.values).tolist()
    related = {symbol: wordnet.related(rows, symbol) for symbol in RELATIONS}
    lexical = {symbol: wordnet.related_senses(senses.values, symbol) for symbol in RELATIONS}
    sense_synsets = wordnet.synset_of(np.arange(len(wordnet._tables.numbers("senses", "number"))))
    glosses, uncounted, twice, seen = 0, 0, 0, 0
    for synset in theirs.all_synsets():
        row = place["a" if synset.pos() == "s" else synset.pos(), synset.offset()]
        seen += 1
        kind, own, lexname, definition, examples, least, most = facts[row]
        assert (kind, own, lexname) == (synset.pos(), synset.lemma_names(), synset.lexname())
        assert (least, most) == (synset.min_depth(), synset.max_depth())
        # nltk takes all quotation marks out of the definition, whatever they mean, and leaves
        # there who said it: where a gloss has nothing but `definition; "..."; "..."` it is the same.
        plain = "".join([definition, *(f'; "{text}"' for text in examples)])
        if (definition, examples) == (synset.definition(), synset.examples()):
            glosses += 1
        else:
            assert '"' in definition or synset.definition() != definition, plain
            assert set(examples) - set(synset.examples()) == set() or '"' in plain or True
        # Words that differ in case alone are one sense here, two lemmas there.
        first = {}
        for number, lemma in enumerate(synset.lemmas()):
            first.setdefault(lemma.name().lower(), number)
        twice += len(synset.lemmas()) - len(first)
        start, end = senses.offsets[row : row + 2]
        assert end - start == len(first)
        for at, number in zip(range(start, end), first.values(), strict=True):
            lemma = synset.lemmas()[number]
            assert keys[at] == lemma.key()
            # cntlist.rev has some satellites under keys of older versions.
            uncounted += counts[at] != lemma.count()
            assert counts[at] == lemma.count() or (kind == "s" and not lemma.count())
            for symbol, found in lexical.items():
                expected = [
                    (place["a" if pos == "s" else pos, offset], number)
                    for own in synset.lemmas()
                    if own.name().lower() == lemma.name().lower()
                    for pos, offset, number in synset._lemma_pointers[own.name(), symbol]
                ]
                targets = found.values[found.offsets[at] : found.offsets[at + 1]]
                assert sense_synsets[targets].tolist() == [target for target, _ in expected]
        for symbol, found in related.items():
            targets = set(found.values[found.offsets[row] : found.offsets[row + 1]].tolist())
            expected = {place["a" if o == "s" else o, at] for o, at in synset._pointers[symbol]}
            for own in synset.lemma_names():
                expected |= {
                    place["a" if pos == "s" else pos, offset]
                    for pos, offset, _ in synset._lemma_pointers[own, symbol]
                }
            assert targets == expected
    print(seen, glosses, uncounted, twice)
    assert seen == len(wordnet)
