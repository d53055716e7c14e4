"""An instance's features follow from it alone, not from those beside it: else refreshes could not inherit them."""

import random

import pyarrow as pa
from featured import instance, instances, setting_with

from lexbeam.transforms.complexity.features.groups import features_of
from lexbeam.transforms.complexity.features.vectors import centroids_of

WORDS = (
    *("sea", "ship", "shipyard", "yard", "gene", "mar", "barco", "Schiff", "See", "the", "over", "sails", "umi"),
    *("xqz", "12", "IBM", "don't", "U.S.", "naïve"),
)
VECTORS = ("sea 1 0 .3", "ship .1 1 .7", "yard 1 1 .2", "gene .4 .5 .6", "the .2 .1 .9", "sails .33 .1 .77")
GROUPS = ("form", "frequency", "norms", "context", "mwe", "vectors", "syntax")
ROWS = 60


def drawn(draw, number):
    """An instance of some language or none, annotated or not."""
    words = draw.choices(WORDS, k=draw.randint(1, 9))
    row = instance(
        draw.choice([*words, " ".join(words[:2])]),
        draw.choice([" ".join(words) + ".", None]),
        language=draw.choice(["en", "en", "de", "es", "eng", "en-GB", "xx", None]),
        genre=draw.choice(["bible", "biomed", None]),
    )
    if row["forms"] and draw.random() < 0.5:
        row["lemmas"] = [form.lower() for form in row["forms"]]
        row["upos"] = [draw.choice(["NOUN", "VERB", "PROPN", "ADJ"]) for _ in row["forms"]]
    return row | {"instance_id": f"{number:032x}"}


def with_layers(table, draw):
    """The table with layers of which some instances have none."""
    layers = {"heads": pa.int32(), "deprels": pa.string(), "entities": pa.string()}
    for name, type_ in layers.items():
        of_rows = []
        for forms in table["forms"].to_pylist():
            values = range(len(forms or ()) + 1) if name == "heads" else ("O", "B-X", "I-X", "nsubj", "obj:x")
            there = forms is not None and draw.random() > 0.2
            of_rows.append([draw.choice(values) for _ in forms] if there else None)
        table = table.append_column(name, pa.array(of_rows, pa.list_(type_)))
    return table


def test_each_instance_alone_has_the_features_that_it_has_among_others(tmp_path):
    draw = random.Random(1)
    (tmp_path / "v.txt").write_text("\n".join([f"{len(VECTORS)} 3", *VECTORS, ""]))
    vectors = f"vectors_=vectors:{tmp_path}/v.txt:language=en"
    setting = setting_with(tmp_path, use=GROUPS, lists={"age": {"sea": 4.0, "ship": (2.0, 0.1)}}, more=(vectors,))
    rows = [drawn(draw, number) for number in range(ROWS)]
    targets = [(row["genre"], row["token"]) for row in rows]
    setting = setting._replace(centroids=centroids_of(targets, setting.lexicon))
    table = with_layers(instances(*rows), draw)
    whole = features_of(table, setting)
    for some in ([place] for place in range(ROWS)):
        alone, among = features_of(table.take(some), setting), whole.take(some)
        # Written out, since no NaN equals another.
        assert {name: repr(alone[name].to_pylist()) for name in alone.schema.names} == {
            name: repr(among[name].to_pylist()) for name in among.schema.names
        }
