import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wordnet_making import (
    BACK,
    EXCEPTIONS,
    SMALL,
    Synset,
    both_ways,
    open_folder,
    opened_tables,
    sense_key,
    write_wordnet,
)

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING
from lexbeam.transforms.lexicon.wordnet.ragged import EXTENDED_GLOSS, LEXNAMES, RELATIONS
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import WORDNET

BY_NAME = {synset.name: synset for synset in SMALL}


class Small:
    """A database, its synsets by row, and rows by name."""

    def __init__(self, folder, synsets, **written):
        offsets = write_wordnet(folder, synsets, **written)
        self.wordnet = open_folder(folder)
        order = {part: number for number, part in enumerate("nvasr")}
        order["s"] = order["a"]
        self.synsets = sorted(synsets, key=lambda o: (order[o.type], offsets[o.name]))
        self.rows = {synset.name: row for row, synset in enumerate(self.synsets)}
        self.all = np.arange(len(self.synsets))

    def named(self, rows):
        return [self.synsets[row].name for row in rows]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return Small(tmp_path_factory.mktemp("wordnet"), SMALL, exceptions=EXCEPTIONS, cntlist=True)


@pytest.fixture(scope="module")
def wordnet(small):
    return small.wordnet


def words(*texts):
    return pa.array(texts, pa.string())


def test_synsets_are_as_written(small):
    wordnet = small.wordnet
    assert len(wordnet) == len(SMALL)
    assert wordnet.types(small.all).to_pylist() == [o.type for o in small.synsets]
    assert wordnet.words_in(small.all).to_pylist() == [o.words for o in small.synsets]
    assert wordnet.lexnames(small.all).to_pylist() == [LEXNAMES[o.lex_class] for o in small.synsets]
    found = dict(zip(small.rows, wordnet.definitions(small.all).to_pylist(), strict=True))
    assert found["entity"] == "what is"
    assert found["animal"] == "a living thing"
    examples = dict(zip(small.rows, wordnet.examples(small.all).to_pylist(), strict=True))
    assert examples["entity"] == ["there is an entity", "so it is"]
    assert examples["move"] == ["it moved", "it moves"]
    assert examples["animal"] == []


def test_senses_are_numbered_as_in_the_index(small):
    wordnet = small.wordnet
    found = wordnet.senses_of(words("dog", "DOG", "run", None, "no", "Domestic dog", "dog"))
    synsets = small.named(wordnet.synset_of(found.values))
    assert found.lengths().tolist() == [2, 2, 1, 0, 0, 1, 2]
    assert synsets == ["dog", "villain"] * 2 + ["run", "dog"] + ["dog", "villain"]
    assert wordnet.sense_numbers(found.values).tolist() == [1, 2, 1, 2, 1, 1, 1, 2]
    assert wordnet.counts(found.values).tolist() == [42, 0, 42, 0, 0, 0, 42, 0]
    assert wordnet.written(found.values).to_pylist()[5] == "domestic_dog"
    assert wordnet.lemmas(wordnet.first_sense(words("PARIS"))).to_pylist() == ["paris"]
    assert wordnet.written(wordnet.first_sense(words("PARIS"))).to_pylist() == ["Paris"]


def test_first_sense_and_polysemy(small):
    wordnet = small.wordnet
    asked = words("dog", "running", "igneous", "nothing", None)
    first = wordnet.first_sense(asked)
    assert small.named(wordnet.synset_of(first[:3])) == ["dog", "running", "fiery"]
    assert first[3:].tolist() == [MISSING, MISSING]
    assert wordnet.polysemy(asked).tolist() == [2, 1, 1, 0, 0]
    tags = words("VERB", None, "s", "n", "n")
    assert wordnet.polysemy(asked, tags).tolist() == [0, 1, 1, 0, 0]
    assert wordnet.polysemy(asked, "v").tolist() == [0] * 5
    chunks = pa.chunked_array([["dog"], ["running", "dog"]])
    assert wordnet.polysemy(chunks, pa.chunked_array([["n", "a"], ["v"]])).tolist() == [2, 1, 0]


def test_markers_are_no_part_of_words(wordnet):
    senses = wordnet.first_sense(words("hot", "fiery", "igneous", "cold", "hot(a)"))
    assert wordnet.markers(senses).to_pylist() == ["a", "p", "ip", "", None]


def test_what_is_not_there_is_empty_missing_or_null(wordnet):
    gone = np.array([MISSING, MISSING])
    assert wordnet.synset_of(gone).tolist() == [MISSING] * 2
    for of in (wordnet.counts, wordnet.sense_numbers, wordnet.depth_min, wordnet.depth_max, wordnet.offsets):
        assert of(gone).tolist() == [MISSING] * 2
    for of in (
        wordnet.written,
        wordnet.lemmas,
        wordnet.sense_keys,
        wordnet.lexnames,
        wordnet.definitions,
        wordnet.types,
    ):
        assert of(gone).to_pylist() == [None] * 2
    for of in (wordnet.words_in, wordnet.examples):
        assert of(gone).to_pylist() == [[], []]
    assert wordnet.hypernyms(gone).offsets.tolist() == [0, 0, 0]
    assert wordnet.related_senses(gone, "!").offsets.tolist() == [0, 0, 0]
    assert wordnet.senses_in(gone).offsets.tolist() == [0, 0, 0]


def test_words_that_differ_in_case_alone_are_one_sense(small):
    wordnet = small.wordnet
    senses = wordnet.senses_of(words("earth"))
    assert wordnet.written(senses.values).to_pylist() == ["Earth"]
    rows = np.array([small.rows["earth"]])
    assert wordnet.words_in(rows).to_pylist() == [["Earth", "earth"]]
    assert wordnet.senses_in(rows).values.tolist() == senses.values.tolist()
    assert wordnet.synonyms(words("earth")).to_pylist() == [[]]


def test_synonyms_and_antonyms(wordnet):
    assert wordnet.synonyms(words("dog", "cur", "ax", "entity", None, "dog")).to_pylist() == [
        ["domestic_dog", "Canis_familiaris", "cur"],
        ["dog"],
        ["axe"],
        [],
        [],
        ["domestic_dog", "Canis_familiaris", "cur"],
    ]
    assert wordnet.synonyms(words("dog", "dog"), words("VERB", "NOUN")).to_pylist()[0] == []
    asked = words("hot", "COLD", "fiery", "dog", None)
    assert wordnet.antonyms(asked).to_pylist() == [["cold"], ["hot"], [], [], []]
    assert wordnet.antonyms(asked, "n").to_pylist() == [[]] * 5


def test_lexical_pointers_belong_to_their_words(small):
    wordnet = small.wordnet
    senses = wordnet.first_sense(words("run", "dash", "domestic_dog", "canine", "doglike"))
    found = wordnet.related_senses(senses, ("+", "\\"))
    assert found.lengths().tolist() == [1, 0, 1, 1, 0]
    assert wordnet.lemmas(found.values).to_pylist() == ["domestic_dog", "run", "dog"]


def test_every_symbol_has_its_target(small):
    for symbol in RELATIONS:
        found = small.wordnet.related(small.all, symbol)
        expected = [[target for own, target, *_ in synset.pointers if own == symbol] for synset in small.synsets]
        assert [
            small.named(found.values[start:end]) for start, end in zip(found.offsets, found.offsets[1:], strict=False)
        ] == expected
    used = {symbol for synset in SMALL for symbol, *_ in synset.pointers}
    assert used == set(RELATIONS)


def test_pointers_and_those_that_lead_back_are_the_same_pairs(small):
    for symbol, back in BACK.items():
        there = small.wordnet.related(small.all, symbol)
        again = small.wordnet.related(small.all, back)
        pairs = sorted(zip(there.owners().tolist(), there.values.tolist(), strict=True))
        assert pairs == sorted(zip(again.values.tolist(), again.owners().tolist(), strict=True))


def test_glosses_of_neighbours_are_reached_at_once(small):
    rows = np.array([small.rows["dog"], small.rows["move"], MISSING])
    found = small.wordnet.related(rows, EXTENDED_GLOSS)
    assert found.lists(small.wordnet.definitions(found.values)).to_pylist() == [
        ["a living thing", "many dogs", "move fast"],
        ["move fast"],
        [],
    ]


def test_sense_keys_are_made_where_no_sense_index_is(small, tmp_path):
    other = Small(tmp_path, SMALL, index_sense=False, cntlist=True).wordnet
    senses = np.arange(len(other._tables.numbers("senses", "number")))
    expected = small.wordnet.sense_keys(senses).to_pylist()
    assert other.sense_keys(senses).to_pylist() == expected
    assert "igneous%5:00:00:hot:00" in expected
    assert other.counts(senses).tolist() == small.wordnet.counts(senses).tolist()
    assert sorted(other.counts(senses).tolist())[-2:] == [7, 42]
    key = sense_key(BY_NAME["fiery"], 1, BY_NAME)
    assert expected[other.first_sense(words("Igneous"))[0]] == key


def test_without_both_files_no_count_is_known(tmp_path):
    wordnet = Small(tmp_path, SMALL, index_sense=False).wordnet
    assert wordnet.counts(wordnet.first_sense(words("dog"))).tolist() == [MISSING]
    assert ("dog.n.1", "it barks (noun.animal; depth 2; also domestic_dog, Canis_familiaris)") in [*wordnet.look("dog")]


def test_what_a_person_sees(wordnet):
    assert list(wordnet.look("Dogs")) == [
        ("dog.n.1", "it barks (noun.animal; depth 2; tagged 42 times; also domestic_dog, Canis_familiaris)"),
        ("dog.n.2", "one who is bad (noun.person; depth 1; tagged 0 times; also cur)"),
    ]
    assert [label for label, _ in wordnet.look("running")] == ["run.v.1", "running.a.1"]
    assert [label for label, _ in wordnet.look("running", "ADJ")] == ["running.a.1"]
    assert list(wordnet.look("running", "adj")) == list(wordnet.look("running", "a"))
    assert list(wordnet.look("dog", "v")) == list(wordnet.look("dog", "DET")) == []
    assert [text for label, text in wordnet.look("men") if label == "man.n.1"] == [
        "he (noun.person; depth 2; tagged 0 times)"
    ]


def test_wrong_questions_are_usage_errors(wordnet):
    with pytest.raises(UsageError, match=r"'noun'.*NOUN"):
        wordnet.first_sense(words("dog"), "noun")
    with pytest.raises(UsageError, match="2 words have 1 parts"):
        wordnet.first_sense(words("dog", "cat"), words("n"))
    with pytest.raises(UsageError, match="'@@'"):
        wordnet.related(np.array([0]), "@@")


def test_the_kind_opens_what_it_compiles(tmp_path):
    write_wordnet(tmp_path, SMALL)
    parsed = WORDNET.parse(f"{tmp_path}:language=en")
    opened = {name: table.combine_chunks() for name, table in WORDNET.compile(parsed.paths, parsed.options)}
    resource = WORDNET.open(opened, parsed.options)
    assert isinstance(resource, WordNet)
    assert [label for label, _ in resource.look("cur")] == ["cur.n.1"]


def test_opening_copies_nothing(tmp_path):
    write_wordnet(tmp_path, SMALL)
    tables = opened_tables(tmp_path)
    wordnet = WordNet(tables)
    for name, table in tables.items():
        for column in table.column_names:
            held = table.column(column).chunk(0) if table.num_rows else None
            if held is not None and pa.types.is_integer(held.type):
                numbers = wordnet._tables.numbers(name, column)
                assert numbers.__array_interface__["data"][0] == held.buffers()[1].address


NAMES = st.sampled_from(["a", "b", "B", "c_d", "e", "é"])
PLACES = st.integers(0, 5)


@st.composite
def databases(draw):
    """A few synsets with words in common, any hypernyms, and lexical pointers."""
    count = draw(st.integers(1, 6))
    made = []
    for number in range(count):
        own = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
        made.append(Synset(str(number), draw(st.sampled_from("nnvasr")), own))
        made[-1].lex_ids = [number] * len(own)
    for synset in made:
        for symbol in draw(st.lists(st.sampled_from(["@", "@i", "!", "+", "&"]), max_size=3)):
            other = made[draw(PLACES) % count]
            ends = (0, 0)
            if symbol in "!+":
                ends = (1 + draw(PLACES) % len(synset.words), 1 + draw(PLACES) % len(other.words))
            pointer = (symbol, other.name, *ends)
            if pointer not in synset.pointers:
                synset.pointers.append(pointer)
    return both_ways(made)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(databases(), st.lists(NAMES, max_size=5))
def test_answers_are_those_of_a_search_through_all_synsets(tmp_path, synsets, asked):
    small = Small(tmp_path, synsets)
    wordnet, order = small.wordnet, {"n": "n", "v": "v", "a": "as", "r": "r"}
    for part, types in order.items():
        senses = wordnet.senses_of(words(*asked), part)
        synonyms = wordnet.synonyms(words(*asked), part).to_pylist()
        antonyms = wordnet.antonyms(words(*asked), part).to_pylist()
        for number, word in enumerate(asked):
            own = [
                synset for synset in synsets if synset.type in types and word.lower() in map(str.lower, synset.words)
            ]
            found = senses.values[senses.offsets[number] : senses.offsets[number + 1]]
            assert small.named(wordnet.synset_of(found)) == [synset.name for synset in own]
            others, opposed = {}, {}
            for synset in own:
                for other in synset.words:
                    if other.lower() != word.lower():
                        others.setdefault(other.lower(), other)
                for symbol, target, source, end in synset.pointers:
                    if symbol == "!" and synset.words[source - 1].lower() == word.lower():
                        there = next(o for o in synsets if o.name == target).words[end - 1]
                        opposed.setdefault(there.lower(), there)
            assert synonyms[number] == list(others.values())
            assert antonyms[number] == list(opposed.values())
    up = wordnet.hypernyms(small.all)
    for row, synset in enumerate(small.synsets):
        assert small.named(up.values[up.offsets[row] : up.offsets[row + 1]]) == [
            target for symbol, target, *_ in synset.pointers if symbol in ("@", "@i")
        ]
