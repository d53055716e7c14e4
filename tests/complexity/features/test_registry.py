"""Features as columns of a table: what belongs to words, to expressions, to nobody's labels."""

import random

import pyarrow as pa
import pytest
from featured import columns, computed, instance, instances, setting_with
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.schemas.complexity import INSTANCES, JUDGMENTS, LABELS
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.complexity.features.base import READ
from lexbeam.transforms.complexity.features.groups import GROUPS, FeatureColumn, columns_of, features_of, schema_of

LISTS = {"age": {"sea": (4.0, 1.5), "gene": (12.0, 2.0), "ship": (5.0, 1.0)}, "seen": {"expression": (2.5, 0.1)}}


@pytest.fixture(scope="module")
def setting(tmp_path_factory):
    return setting_with(tmp_path_factory.mktemp("lists"), lists=LISTS)


def test_a_single_word_and_an_expression(setting):
    sea, gene = computed(setting, instance("sea"), instance("gene expression"))
    assert columns(sea, "length", "length_first", "length_last") == [3, None, None]
    assert columns(gene, "length", "length_first", "length_last") == [7, 4, 10]
    assert columns(gene, "zipf", "zipf_first", "zipf_last") == pytest.approx([4.35, 4.2, 4.5])
    # The mean is of what is known; a flag must hold of both words.
    assert columns(gene, "age", "age_first", "age_last") == [12, 12, None]
    assert columns(gene, "age_known", "age_known_first", "age_known_last") == [False, True, False]
    assert columns(gene, "age_sd", "seen", "seen_first") == [2.0, 2.5, None]
    assert columns(sea, "age", "age_known", "age_sd", "seen", "seen_known") == [4, True, 1.5, None, False]
    assert columns(gene, "phrase_age_min", "phrase_age_max", "phrase_words") == [12, 12, 2]
    assert columns(gene, "phrase_length", "phrase_zipf_min", "phrase_zipf_step") == pytest.approx([15, 4.2, 0.3])
    assert {value for name, value in sea.items() if name.startswith("phrase_")} == {None}


def test_lemmas_of_the_annotation_and_of_a_dictionary(setting):
    annotated = instance("ships", "the ships !", tags="the/DET yard/NOUN !/PUNCT")
    plain = instance("ships", "the ships !")
    unlike = instance("ships", "the ships !", tags="the/DET yard/NOUN !/PUNCT", position=0)
    found = computed(setting, annotated, plain, unlike)
    assert [row["zipf_lemma"] for row in found] == [4.4, 4.9, 4.9]
    assert [row["age"] for row in found] == [None, 5, 5]


def test_keys_and_group(setting):
    rows = computed(setting, instance("Sea", genre=None), instance("sea"), instance("ship"))
    hashes = content_hashes(["sea", "sea", "ship"]).tolist()
    assert [row["group"] for row in rows] == [format(one, "016x") for one in hashes]
    assert [row["genre"] for row in rows] == [None, "bible", "bible"]
    assert rows[0]["instance_id"] != rows[1]["instance_id"]


def test_every_column_is_described(setting):
    schema = schema_of(setting)
    assert len(set(schema.names)) == len(schema.names)
    for field in list(schema)[4:]:
        told = {name.decode(): value.decode() for name, value in field.metadata.items()}
        assert all(told[name] for name in ("doc", "unit", "range", "source", "language"))
        assert told["needs_corpus"] == ("yes" if "corpus" in told["group"] else "no")
        assert told["group"] in GROUPS
    assert [one.name for one in columns_of(setting)] == schema.names[4:]


def test_columns_of_every_group_have_unit_range_source_language_and_need_of_a_corpus(setting):
    whole = setting._replace(use=tuple(GROUPS))
    for name, group in GROUPS.items():
        columns = [FeatureColumn(one.name, name, one) for one in group.columns(whole)]
        assert columns
        for one in columns:
            told = {key.decode(): value.decode() for key, value in one.field().metadata.items()}
            for key in ("doc", "unit", "range", "source", "language", "needs_corpus"):
                assert told[key].strip(), (one.name, key)
            assert (told["unit"] == "flag") == (told["range"] == "0 or 1"), one.name
            assert (told["needs_corpus"] == "yes") == (name == "corpus")
    fields = {field.name: field.metadata for field in schema_of(setting)}
    assert fields["affixes"][b"language"] == b"en"
    assert fields["phrase_age_min"][b"language"] == fields["age"][b"language"] == b"en"
    assert fields["length"][b"language"] == b"any"


def test_values_lie_in_their_ranges(setting):
    rows = [instance(word, f"The {word}, over 12 ships; SEA") for word in ODD]
    table = features_of(instances(*rows), setting)
    for one in columns_of(setting):
        values = [value for value in table[one.name].to_pylist() if value is not None]
        low, _, high = one.feature.range.partition(" to ")
        if one.feature.range == "0 or 1":
            assert {type(value) for value in values} <= {bool}
        elif low == "up":
            assert all(value <= float(high) for value in values), one.name
        elif high and low != "any":
            assert all(float(low) <= value <= float(high) for value in values), one.name
        elif one.feature.range.endswith("and up"):
            assert all(value >= float(low.split()[0]) for value in values), one.name


ODD = ["sea", "null", "None", "-", "12", "ÄÖÜ", "e-mail", "gene expression", "a  b c", "\u0301", "ß"]


def test_nothing_is_asked_of_labels(setting):
    names = set(LABELS.schema().names) | set(JUDGMENTS.schema().names)
    assert not (set(READ) - {"instance_id"}) & names
    # What tells of the file, its order or its splits is not read either.
    told = {"source", "source_id", "document_id", "sentence_number", "published_split"}
    assert not set(READ) & told
    table = instances(*(instance(word) for word in ODD))
    labelled = table.append_column("complexity", pa.array([random.random() for _ in ODD]))
    assert features_of(labelled, setting).equals(features_of(table, setting))


def test_other_sources_and_ids_change_nothing(setting):
    plain = [instance(word, f"over the {word}") for word in ODD]
    other = [
        {
            **row,
            "source": "b",
            "source_id": str(n),
            "published_split": "trial",
            "flags": ["several"],
            "sentence_number": n,
            "document_id": str(-n),
        }
        for n, row in enumerate(plain)
    ]
    assert computed(setting, *other) == computed(setting, *plain)


@pytest.mark.slow
@settings(max_examples=4)
@given(st.permutations(range(len(ODD))), st.integers(0, len(ODD)))
def test_order_and_parts_change_nothing(setting, order, cut):
    texts = [None, "", "over the sea", "The ship, of 1810; sails", "SEA"]
    tags = ["en", "de", None, "es", "eng"]
    rows = [
        instance(word, texts[n % 5] and f"{word} {texts[n % 5]}", language=tags[n % 4]) for n, word in enumerate(ODD)
    ]
    whole = computed(setting, *rows)
    moved = [rows[place] for place in order]
    parts = computed(setting, *moved[:cut]) + computed(setting, *moved[cut:])
    assert parts == [whole[place] for place in order]


def test_languages_without_resources(setting):
    rows = computed(
        setting,
        instance("mar", "el mar", language="es"),
        instance("See", language="deu"),
        instance("umi", language="ja"),
        instance("sea", language=None),
    )
    assert [row["zipf"] for row in rows] == [5.2, 5.0, None, None]
    assert [row["length"] for row in rows] == [3, 3, 3, 3]
    assert [row["age_known"] for row in rows] == [False] * 4
    assert [row["syllables"] for row in rows[:2]] == [1, 1]
    assert rows[3]["syllables"] is None
    assert [row["affixes"] for row in rows] == [None] * 4


def test_no_instances(setting):
    table = features_of(INSTANCES.schema().empty_table(), setting)
    assert table.num_rows == 0
    assert table.schema.equals(schema_of(setting), check_metadata=True)


def test_a_list_that_is_called_as_a_column(tmp_path):
    with pytest.raises(UsageError, match=r"'zipf' \(group norms\): give the word list another name"):
        columns_of(setting_with(tmp_path, lists={"zipf": {"sea": 1.0}}))
