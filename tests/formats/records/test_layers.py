"""The registry of layers, and how tags and heads are turned into what the columns hold."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.pipelines.cli import main
from lexbeam.schemas.columns import column
from lexbeam.transforms.annotation.engines.engine import annotate_text
from lexbeam.transforms.annotation.engines.known_engines import load_engine
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.formats.records import layers as module
from lexbeam.transforms.formats.records.layers import (
    LAYERS,
    ConlluWord,
    Layer,
    LayerOptions,
    LayerReading,
    check_layers,
    columns_of,
    conllu_entities,
    iob2,
    renumbered,
    values_of,
)

# Entities of a sentence: how long each run of tokens is, and its type; "" is outside.
RUNS = st.lists(st.tuples(st.integers(1, 3), st.sampled_from(["", "A", "B-C"])), max_size=8)
LAST = {"bio": "I", "bioes": "E", "bilou": "L"}
ONLY = {"bio": "B", "bioes": "S", "bilou": "U"}


def tags_of(runs, scheme):
    found = []
    for length, kind in runs:
        if not kind:
            found += ["O"] * length
        elif length == 1:
            found.append(f"{ONLY[scheme]}-{kind}")
        else:
            inside = [f"I-{kind}"] * (length - 2)
            found += [f"B-{kind}", *inside, f"{LAST[scheme]}-{kind}"]
    return found


def iob1_of(runs):
    """`B` only where an entity touches another of its type."""
    found, before = [], ""
    for length, kind in runs:
        first = "B" if kind == before else "I"
        found += [f"{first}-{kind}", *[f"I-{kind}"] * (length - 1)] if kind else ["O"] * length
        before = kind
    return found


@given(RUNS)
def test_entities_are_iob2_whatever_the_scheme(runs):
    expected = tags_of(runs, "bio")
    for scheme in LAST:
        assert iob2(tags_of(runs, scheme)) == expected
    assert iob2(iob1_of(runs)) == expected


def test_what_is_no_tag_is_null():
    assert iob2(["PER", "", None, "O", "B-", "I-PER"]) == [None, None, None, "O", None, "B-PER"]


@given(st.data())
def test_heads_of_what_is_left_are_the_nearest_ancestors_that_are(data):
    size = data.draw(st.integers(1, 8))
    order = data.draw(st.permutations(range(size)))
    above = {order[0]: None}  # a tree: each has a head that is there already
    for place in range(1, size):
        above[order[place]] = order[data.draw(st.integers(0, place - 1))]
    kept = sorted(data.draw(st.sets(st.integers(0, size - 1))))
    heads = renumbered(kept, above.__getitem__)
    for token, head in zip(kept, heads, strict=True):
        ancestors, up = [], above[token]
        while up is not None:
            ancestors.append(up)
            up = above[up]
        there = [one for one in ancestors if one in kept]
        assert (kept[head - 1] if head else None) == (there[0] if there else None)


def word(misc, span=None):
    return ConlluWord(["_"] * 9 + [misc], None if span is None else ["_"] * 9 + [span])


def test_entities_of_conllu_stand_in_misc():
    span = word("NER=S-LOC|SpaceAfter=No").cells
    words = [
        word("ner=B-PER"),
        word("SpaceAfter=No|NER=I-PER"),
        word("_"),
        ConlluWord(word("_").cells, span),
        ConlluWord(word("_").cells, span),
        word("Winner=B-X"),
    ]
    assert conllu_entities(words) == ["B-PER", "I-PER", "O", "B-LOC", "I-LOC", "O"]
    assert conllu_entities([word("_"), word("Entity=(e1-person)")]) is None


def test_layers_stand_in_the_order_of_the_registry():
    assert LayerOptions(layers=("entities", "xpos", "entities")).layers == ("xpos", "entities")
    assert LayerOptions().layers == ()
    with pytest.raises(UsageError, match=r"no layer is called 'head'; did you mean 'heads'"):
        LayerOptions(layers=("head",))


def test_every_layer_is_a_column_of_its_name_with_a_doc():
    for name, field in zip(LAYERS, columns_of(LAYERS), strict=True):
        assert field.name == name == LAYERS[name].column.name
        assert field.metadata[b"doc"]
    assert list(LAYERS) == ["xpos", "feats", "heads", "deprels", "entities"]
    assert LAYERS["heads"].column.type == pa.list_(pa.int32())


def test_a_layer_that_could_not_stand_beside_the_others_is_refused(monkeypatch):
    for type, nullable in ((pa.string(), True), (pa.list_(pa.string()), False)):
        with pytest.raises(ValueError, match="a nullable list"):
            Layer(column=column("x", type, "a doc", nullable=nullable), reads={})
    monkeypatch.setitem(LAYERS, "forms", LAYERS["xpos"])
    with pytest.raises(UsageError, match=r"'forms' has the name of a column.*rename"):
        LayerOptions(layers=("forms",))


def test_a_function_that_gives_too_few_values_is_told_of(monkeypatch):
    texts = column("short", pa.list_(pa.string()), "a doc", nullable=True)
    layer = Layer(column=texts, reads={"conllu": LayerReading(lambda words: ["a"])})
    monkeypatch.setitem(LAYERS, "short", layer)
    assert values_of(("short",), "conllu", [word("_")]) == (["a"],)
    assert values_of(("short",), "spacy", [object()]) == (None,)
    with pytest.raises(LexbeamError, match="'short' of conllu gives 1 values for 2 tokens"):
        values_of(("short",), "conllu", [word("_"), word("_")])


def test_builtin_gives_a_layer_that_reads_its_tokens(monkeypatch):
    lengths = Layer(
        column=column("lengths", pa.list_(pa.int32()), "a doc", nullable=True),
        reads={"builtin": LayerReading(lambda tokens: [len(token.text) for token in tokens])},
    )
    monkeypatch.setitem(LAYERS, "lengths", lengths)
    engine = load_engine("builtin:en", layers=("lengths",))
    found = annotate_text("Dogs sleep. They do.", engine)
    assert [sentence.layers for sentence in found] == [([4, 5, 1],), ([4, 2, 1],)]
    assert load_engine("builtin:en") is not engine


def test_what_nothing_can_give_is_refused():
    check_layers(LAYERS, ("lines", "conllu"), "input")
    with pytest.raises(
        UsageError,
        match=r"^engine 'x' never gives the layer 'xpos'.*engine spacy or engine stanza"
        r" or input in CoNLL-U with engine none or input in vertical text with engine none$",
    ):
        module.check_layers(("xpos",), ("builtin",), "engine 'x'")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "builtin:en"], "engine 'builtin:en' never gives the layer 'heads'"),
        (["--format", "tei"], "format 'tei' never gives the layer 'heads'"),
        (["--format", "lines"], "format 'lines' never gives the layer 'heads'"),
        (["--layers", "head"], "did you mean 'heads'"),
    ],
)
def test_a_source_that_cannot_give_a_layer_is_an_error_at_the_start(tmp_path, capsys, options, message):
    (tmp_path / "a.txt").write_text("One.")
    words = ["corpus", str(tmp_path / "a.txt"), "--out", str(tmp_path / "out")]
    assert main([*words, "--layers", "heads", *options]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.glob("out/_artefacts/*/*"))
