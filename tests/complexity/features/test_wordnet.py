"""Features of WordNet against nltk's reader of the same files, where they are installed."""

import math
import shutil
import warnings
from collections import Counter
from pathlib import Path

import pytest
from featured import computed, instance

from lexbeam.transforms.complexity.features.base import FeatureSetting
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.lexicon.wordnet.ragged import LEXNAMES
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import DEBIAN

needs_files = pytest.mark.skipif(
    not Path(DEBIAN, "index.sense").exists(), reason="needs Debian's packages wordnet-base and wordnet-sense-index"
)
WORDS = ["dog", "bank", "hope", "entity", "whale", "genus", "run", "quickly", "good", "xqzvb"]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """nltk's reader of Debian's files; the names of classes are ours."""
    data = pytest.importorskip("nltk.data")
    reader = pytest.importorskip("nltk.corpus.reader.wordnet").WordNetCorpusReader
    folder = tmp_path_factory.mktemp("nltk")
    for path in filter(Path.is_file, Path(DEBIAN).iterdir()):  # the package wordnet has folders beside them
        shutil.copyfile(path, folder / path.name)  # it follows no link out of its folder
    lines = [f"{n:02d}\t{name}\t1\n" for n, name in enumerate(LEXNAMES)]
    (folder / "lexnames").write_text("".join(lines))
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that other languages are not there
        patch.setattr(data, "path", [str(folder)])  # nor opens what is elsewhere
        patch.setattr(reader, "map_wn", lambda self, version="wordnet": None)
        yield reader(str(folder), None)


@needs_files
@pytest.mark.slow
def test_what_nltk_says(wordnet_cache, theirs):
    options = LexiconOptions(resources=(f"wordnet_=wordnet:{DEBIAN}",), cache=wordnet_cache)
    setting = FeatureSetting(("wordnet", "mwe"), prepare(options), (), ())
    some = sorted(name for name in theirs.all_lemma_names() if name.isalpha())[::300]
    words = [*WORDS, *(word for word in some if theirs.morphy(word) == word)]
    assert len(words) > 200
    for word, row in zip(words, computed(setting, *map(instance, words)), strict=True):
        synsets = list(dict.fromkeys(lemma.synset() for lemma in theirs.lemmas(word)))
        own = {name.removeprefix("wordnet_"): value for name, value in row.items()}
        assert own["senses"] == len(synsets)
        by_pos = Counter(one.pos() for one in synsets)
        assert own["senses_nouns"] == by_pos["n"]
        assert own["senses_verbs"] == by_pos["v"]
        assert own["senses_adjectives"] == by_pos["a"] + by_pos["s"]
        assert own["senses_adverbs"] == by_pos["r"]
        if not synsets:
            assert own["depth_min"] is own["classes"] is own["hypernyms"] is None
            continue
        # A synset may have a word twice, with a capital and without; it is one sense.
        lemmas = [next(lemma for lemma in one.lemmas() if lemma.name().lower() == word) for one in synsets]
        above = [one.hypernyms() + one.instance_hypernyms() for one in synsets]
        below = [one.hyponyms() + one.instance_hyponyms() for one in synsets]
        classes = Counter(one.lexname() for one in synsets)
        assert own["depth_min"] == pytest.approx(mean(one.min_depth() for one in synsets))
        assert own["depth_max"] == pytest.approx(mean(one.max_depth() for one in synsets))
        assert own["first_depth"] == synsets[0].min_depth()
        assert own["hypernyms"] == sum(map(len, above))
        assert own["hyponyms"] == sum(map(len, below))
        assert own["first_hyponyms"] == len(below[0])
        pointers = [pointer for one in synsets for pointer in theirs_of(one)]
        assert own["related"] == pytest.approx(len(pointers) / len(synsets)), word
        defined, _, _ = synsets[0].definition().partition("; -")  # whom an example is from
        assert own["definition"] == len(defined)
        assert own["classes"] == len(classes)
        assert LEXNAMES[int(own["class"])] == synsets[0].lexname()
        names = {lemma.name().lower() for one in synsets for lemma in one.lemmas()}
        assert own["synonyms"] == len(names - {word})
        counts = [lemma.count() for lemma in lemmas]
        assert own["count"] == pytest.approx(math.log10(1 + sum(counts)))
        total = sum(counts) + len(counts)
        shares = [(count + 1) / total for count in counts]
        assert own["entropy"] == pytest.approx(-sum(s * math.log2(s) for s in shares), abs=1e-12)
        for name in LEXNAMES:
            if name.startswith("noun."):
                share = classes[name] / by_pos["n"] if by_pos["n"] else None
                assert own[f"in_{name.partition('.')[2].lower()}"] == pytest.approx(share)
    whale, spanish = computed(setting, instance("killer whale"), instance("hope", language="es"))
    assert whale["phrase_in_wordnet"] is not None
    assert whale["wordnet_senses_last"] == len(theirs.synsets("whale"))
    assert spanish["wordnet_senses"] is spanish["wordnet_depth_min"] is None


@needs_files
@pytest.mark.slow
def test_senses_are_those_of_the_annotated_lemma(wordnet_cache, theirs):
    options = LexiconOptions(resources=(f"wordnet_=wordnet:{DEBIAN}",), cache=wordnet_cache)
    setting = FeatureSetting(("wordnet",), prepare(options), (), ())
    tags = "he/PRON see/VERB the/DET tool/NOUN"
    rows = [
        instance(word, sentence, tags=tags)
        for word, sentence in (("saw", "He saw the tool"), ("tool", "He saw the tool"))
    ]
    rows.append(instance("saw", "He saw"))
    verb, tool, untagged = (row["wordnet_senses"] for row in computed(setting, *rows))
    assert verb == len(theirs.synsets("see")) != len(theirs.lemmas("saw"))
    assert tool == len(theirs.lemmas("tool"))
    assert untagged == len(theirs.lemmas("saw"))


def theirs_of(synset):
    """Return the targets of all pointers of a synset and of its words."""
    words = [pointer for key in synset._lemma_pointers for pointer in synset._lemma_pointers[key]]
    return [*words, *(pointer for key in synset._pointers for pointer in synset._pointers[key])]


def mean(values):
    found = list(values)
    return sum(found) / len(found)
