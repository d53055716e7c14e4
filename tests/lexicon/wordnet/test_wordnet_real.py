"""WordNet 3.0 as Debian has it, where it is installed: known figures, and nltk's reading of it."""

import shutil
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.lexicon.wordnet.morphy import DETACHMENT
from lexbeam.transforms.lexicon.wordnet.ragged import LEXNAME_PARTS, LEXNAMES, PART_FILES, PARTS, RELATIONS
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import DEBIAN

pytestmark = pytest.mark.skipif(
    not Path(DEBIAN, "index.sense").exists(), reason="needs Debian's packages wordnet-base and wordnet-sense-index"
)


@pytest.fixture(scope="module")
def wordnet(wordnet_cache):
    options = LexiconOptions(resources=(f"wordnet_=wordnet:{DEBIAN}",), cache=wordnet_cache)
    return prepare(options).get("wordnet_", "en")


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
    assert [int(wordnet.polysemy(lemmas, part).sum()) for part in PARTS] == [146_312, 25_047, 30_002, 5_580]
    assert [int((wordnet.polysemy(lemmas, part) > 0).sum()) for part in PARTS] == [117_798, 11_529, 21_479, 4_481]
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
    for path in filter(Path.is_file, Path(DEBIAN).iterdir()):  # the package wordnet has folders beside them
        shutil.copyfile(path, folder / path.name)  # it follows no link out of its folder
    lines = [f"{number:02d}\t{name}\t{LEXNAME_PARTS[name.partition('.')[0]]}\n" for number, name in enumerate(LEXNAMES)]
    (folder / "lexnames").write_text("".join(lines))
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that other languages are not there
        patch.setattr(nltk.data, "path", [str(folder)])  # nor opens what is elsewhere
        # It would look for another WordNet, to translate numbers for other languages.
        patch.setattr(WordNetCorpusReader, "map_wn", lambda self, version="wordnet": None)
        yield WordNetCorpusReader(str(folder), None)


def place_of(pos, offset):
    return ("a" if pos == "s" else pos, offset)


@pytest.mark.slow
@pytest.mark.parametrize("every", [40, pytest.param(1, marks=pytest.mark.soak)])
def test_synsets_are_as_nltk_reads_them(every, wordnet, theirs):
    rows = np.arange(len(wordnet))
    types = wordnet.types(rows).to_pylist()
    starts = wordnet.offsets(rows).tolist()
    place = dict(zip(map(place_of, types, starts), rows.tolist(), strict=True))
    facts = list(
        zip(
            types,
            wordnet.words_in(rows).to_pylist(),
            wordnet.lexnames(rows).to_pylist(),
            wordnet.depth_min(rows).tolist(),
            wordnet.depth_max(rows).tolist(),
            strict=True,
        )
    )
    definitions = wordnet.definitions(rows).to_pylist()
    examples = wordnet.examples(rows).to_pylist()
    inside = wordnet.senses_in(rows)
    senses = np.arange(len(inside.values))
    lemmas = wordnet.lemmas(senses).to_pylist()
    sense_of = {
        (row, lemmas[sense]): sense for row, sense in zip(inside.owners().tolist(), inside.values.tolist(), strict=True)
    }
    keys = wordnet.sense_keys(senses).to_pylist()
    counts = wordnet.counts(senses).tolist()
    numbers = wordnet.sense_numbers(senses).tolist()
    lines = Path(DEBIAN, "cntlist.rev").read_text().splitlines()
    tagged = {key: int(count) for key, _, count in map(str.split, lines)}
    glosses = [
        line.partition("|")[2]
        for part in PART_FILES
        for line in Path(DEBIAN, f"data.{part}").read_text().splitlines()
        if not line.startswith("  ")
    ]
    related = {symbol: set() for symbol in RELATIONS}
    lexical = {symbol: set() for symbol in RELATIONS}
    other, untagged = Counter(), 0
    asked = rows[::every]

    for row in asked.tolist():
        synset = theirs.synset_from_pos_and_offset(types[row], starts[row])
        names = synset.lemma_names()
        assert facts[row] == (synset.pos(), names, synset.lexname(), synset.min_depth(), synset.max_depth())
        if (definitions[row], examples[row]) != (synset.definition(), synset.examples()):
            # nltk takes whatever stands in quotation marks out of the definition, pairs the marks
            # where one is missing, and leaves it in the definition who said an example.
            if glosses[row].count('"') % 2:
                other["odd"] += 1
            elif '"' in definitions[row]:
                other["within"] += 1
            else:
                assert examples[row] == synset.examples()
                assert synset.definition().startswith(definitions[row])
                other["said"] += 1
        pos = "a" if synset.pos() == "s" else synset.pos()
        for lemma in reversed(synset.lemmas()):  # of those that differ in case the first is left
            own = sense_of[row, lemma.name().lower()]
            last_key = lemma.key()
            offsets = theirs._lemma_pos_offset_map[lemma.name().lower()][pos]
            assert numbers[own] == offsets.index(synset.offset()) + 1
        assert keys[sense_of[row, names[0].lower()]] == last_key
        for lemma in synset.lemmas():
            own = sense_of[row, lemma.name().lower()]
            if keys[own] == lemma.key() and counts[own] != tagged.get(lemma.key(), 0):
                # cntlist.rev has satellites by keys of an older version.
                assert (tagged.get(lemma.key()), synset.pos()) == (None, "s")
                untagged += 1
        for symbol, targets in synset._pointers.items():
            related[symbol] |= {(row, place[place_of(*target)]) for target in targets}
        for (name, symbol), targets in synset._lemma_pointers.items():
            for kind, offset, word in targets:
                target = place[place_of(kind, offset)]
                related[symbol].add((row, target))
                there = sense_of[target, facts[target][1][word].lower()]
                lexical[symbol].add((sense_of[row, name.lower()], there))
    if every == 1:
        assert other == {"said": 723, "within": 73, "odd": 17}
        assert untagged == 83

    inside = wordnet.senses_in(asked).values
    for symbol in RELATIONS:
        found = wordnet.related(asked, symbol)
        assert set(zip(asked[found.owners()].tolist(), found.values.tolist(), strict=True)) == related[symbol]
        found = wordnet.related_senses(inside, symbol)
        assert set(zip(inside[found.owners()].tolist(), found.values.tolist(), strict=True)) == lexical[symbol]


def base_forms(form, pos, known, exceptions):
    """morphy(7WN) for a single word, as it reads."""
    found = [form] if form in known else []
    if form in exceptions:
        return found + [base for base in exceptions[form] if base != form and base in known]
    stem, end = form, ""
    if pos == "n":
        if form.endswith("ful") and form != "ful":
            stem, end = form[:-3], "ful"
        elif form.endswith("ss") or len(form) <= 2:
            return found
    for ending, instead in DETACHMENT[pos]:
        if stem.endswith(ending) and stem != ending:
            base = stem[: -len(ending)] + instead
            if base in known:
                return [*found, base + end] if base + end in known else found
    return found


@pytest.mark.slow
@pytest.mark.parametrize("every", [30, pytest.param(6, marks=pytest.mark.soak)])
def test_base_forms_are_those_of_the_manual_and_but_for_its_rules_those_of_nltk(every, wordnet, theirs):
    known = {pos: {o for o, own in theirs._lemma_pos_offset_map.items() if pos in own} for pos in PARTS}
    simple = sorted(o for o in set().union(*known.values()) if o.isalpha() and o.isascii())
    forms = sorted({o for pos in PARTS for o in theirs._exception_map[pos] if o.isalpha()})
    forms += [word + end for word in simple[::every] for end in ("", "s", "es", "ed", "ing", "er", "est")]
    forms += [word[:-1] + end for word in simple[::every] for end in ("ies", "ing", "ed", "ves", "sful")]
    forms += [word + "ful" for word in simple[:: 10 * every]] + [word + "s" for word in simple if len(word) < 4]
    forms = list(dict.fromkeys(forms))
    assert len(forms) > (90_000 if every == 6 else 20_000)
    other = Counter()
    for pos in PARTS:
        exceptions = {}
        for line in Path(DEBIAN, f"{PART_FILES[PARTS.index(pos)]}.exc").read_text().splitlines():
            form, *bases = line.split()
            exceptions.setdefault(form, []).extend(o for o in bases if o not in exceptions.get(form, []))
        expected = [base_forms(form, pos, known[pos], exceptions) for form in forms]
        assert wordnet.base_forms(pa.array(forms), pos).to_pylist() == expected
        first = [bases[0] if bases else None for bases in expected]
        assert wordnet.morphy(pa.array(forms), pos).to_pylist() == first
        for form, own in zip(forms, first, strict=True):
            nltks = theirs.morphy(form, pos)
            if own != nltks:
                listed = theirs._exception_map[pos].get(form, [])
                if exceptions.get(form, []) != listed:  # on two lines: nltk has the last
                    other["two lines"] += 1
                    continue
                assert pos == "n"
                if form.endswith("ful"):
                    other["ful"] += 1
                elif form.endswith("ss") or len(form) <= 2:
                    assert own is None
                    other["short or ss"] += 1
                else:
                    assert (own, nltks) == (None, form[:-3] + "f")
                    other["ves"] += 1
    assert set(other) == {"ful", "short or ss", "two lines", "ves"}
