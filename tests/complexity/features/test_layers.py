"""Features of syntax and entities, by hand."""

import pyarrow as pa
import pytest
from featured import columns, computed, instance, instances, setting_with

from lexbeam.transforms.complexity.features.groups import features_of

TEXT = "Old ships sail over Lake Erie"
HEADS = [2, 3, 0, 6, 6, 3]
RELATIONS = ["amod", "nsubj:pass", "root", "case", "compound", "obl"]
ENTITIES = ["O", "O", "O", "O", "B-LOC", "I-LOC"]


@pytest.fixture(scope="module")
def setting(tmp_path_factory):
    return setting_with(tmp_path_factory.mktemp("lists"), use=("syntax",))


def with_layers(*rows, heads=HEADS):
    table = instances(*rows)
    count = len(table)
    table = table.append_column("heads", pa.array([heads] * count, pa.list_(pa.int32())))
    table = table.append_column("deprels", pa.array([RELATIONS] * count))
    return table.append_column("entities", pa.array([ENTITIES] * (count - 1) + [None]))


def test_a_sentence_by_hand(setting):
    rows = [instance(word, TEXT) for word in ("ships", "Old ships", "Lake Erie", "sail", "rie")]
    table = with_layers(*rows, instance("Old", TEXT))
    ships, pair, lake, sail, within, unknown = features_of(table, setting).to_pylist()
    names = [
        "target_subject",
        "target_oblique",
        "target_root",
        "target_depth",
        "target_dependents",
        "target_entity",
        "sentence_entities",
    ]
    assert columns(ships, *names) == [True, False, False, 1, 1, False, 1]
    assert columns(pair, *names) == columns(ships, *names)
    assert columns(lake, *names) == [False, True, False, 1, 2, True, 1]
    assert columns(sail, *names) == [False, False, True, 0, 2, False, 1]
    assert columns(unknown, "target_modifier", "target_depth") == [True, 2]
    assert columns(unknown, "target_entity", "sentence_entities") == [None, None]
    assert columns(within, "target_subject", "target_depth") == [None, None]


def test_heads_in_a_circle_come_to_an_end(setting):
    table = with_layers(instance("Old", TEXT), instance("ships", TEXT), heads=[2, 1, 9, 0, 0, 0])
    assert features_of(table, setting)["target_depth"].to_pylist() == [6, 6]
    # A longer sentence beside it changes nothing.
    row = instance("Old", TEXT + " and a longer one")
    longer = with_layers(row).set_column(
        table.schema.get_field_index("heads"), "heads", pa.array([list(range(9, 0, -1))])
    )
    together = pa.concat_tables([table, longer.cast(table.schema)])
    assert features_of(together, setting)["target_depth"].to_pylist()[:2] == [6, 6]


def test_instances_without_layers(setting):
    (row,) = computed(setting, instance("ships", TEXT))
    assert {value for name, value in row.items() if name.startswith(("target", "sent"))} == {None}
