"""Layers of spaCy pipelines: what a pipeline that is run whole says, and nothing else changes."""

import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.annotation.engines import engine
from lexbeam.transforms.annotation.engines.engine import annotate_text
from lexbeam.transforms.annotation.engines.known_engines import describe_engine, load_engine
from lexbeam.transforms.annotation.engines.spacy import prepare
from lexbeam.transforms.common.errors import UsageError

LAYERS = ("xpos", "feats", "heads", "deprels", "entities")
WORDS = ["The", "the", "cats", "Dogs", "sat", "saw", "Mary", "Smith", "big", ".", "!", "xyz"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join)


@pytest.fixture(scope="module")
def engines(parsing_spacy):
    """The engine without layers and with all."""
    spec = f"spacy:{parsing_spacy}"
    return load_engine(spec), load_engine(spec, layers=LAYERS)


@pytest.fixture(scope="module")
def whole(parsing_spacy):
    """The pipeline, run whole, its senter switched on and before the parser."""
    import spacy

    order = ["senter", "tagger", "morphologizer", "parser", "ner"]
    nlp = spacy.load(parsing_spacy, config={"nlp": {"pipeline": order, "disabled": []}})
    assert nlp.pipe_names == order
    return nlp


def expected(doc):
    for sentence in doc.sents:
        first = sentence.start
        root = sentence.root
        yield (
            [token.tag_ for token in sentence],
            [str(token.morph) or None for token in sentence],
            [0 if token == root else token.head.i - first + 1 for token in sentence],
            ["root" if token == root else token.dep_ for token in sentence],
            [f"{t.ent_iob_}-{t.ent_type_}".removesuffix("-") for t in sentence],
        )


def nulled(layers):
    return tuple(values if any(v is not None for v in values) else None for values in layers)


def test_layers_are_those_that_the_model_was_taught(engines):
    first, second = annotate_text("Mary Smith ran. The cats sat.", engines[1])
    assert first.layers == (
        ["NNP", "NNP", "VBD", "."],
        None,
        [3, 1, 0, 3],
        ["nsubj", "flat", "root", "punct"],
        ["B-PER", "I-PER", "O", "O"],
    )
    assert second.layers[1:4] == ([None, "Number=Plur", None, None], [2, 3, 0, 3], ["det", "nsubj", "root", "punct"])


@settings(max_examples=25)
@given(TEXTS)
def test_layers_are_what_the_whole_pipeline_says(engines, whole, text):
    found = [sentence.layers for sentence in annotate_text(text, engines[1])]
    # An entity that runs over a sentence's end begins anew there.
    for sentence, doc in zip(found, map(nulled, expected(whole(text))), strict=True):
        assert sentence[:4] == doc[:4]
        assert sentence[4] == ["B" + doc[4][0][1:] if doc[4][0] != "O" else "O", *doc[4][1:]]


@settings(max_examples=25)
@given(TEXTS)
def test_layers_change_nothing_else(engines, text):
    plain, layered = (annotate_text(text, engine) for engine in engines)
    assert [sentence._replace(layers=()) for sentence in layered] == plain
    for sentence in layered:
        assert all(len(v) == len(sentence.forms) for v in sentence.layers if v is not None)
        assert_tree(sentence.layers[2])


def assert_tree(heads):
    """Every head is a word of the sentence, and every word comes to a root."""
    for number in range(1, len(heads) + 1):
        seen = set()
        while number:
            assert number not in seen
            seen.add(number)
            number = heads[number - 1]


@settings(max_examples=25)
@given(st.lists(st.sampled_from([*WORDS, "  ", "\n"]), min_size=1, max_size=20).map(" ".join))
def test_heads_go_over_whitespace_that_the_engine_sees(engines, whole, paragraph):
    (found,) = engines[1].annotate([paragraph])
    doc = whole(paragraph)
    kept = [[t for t in sentence if not t.is_space] for sentence in doc.sents]
    for sentence, tokens in zip(found, [one for one in kept if one], strict=True):
        assert_tree(sentence.layers[2])
        for token, head in zip(tokens, sentence.layers[2], strict=True):
            above = next((t for t in token.ancestors if not t.is_space), None)
            assert (tokens[head - 1] if head else None) == above


def test_heads_stay_within_the_pieces_of_a_long_paragraph(engines, monkeypatch):
    monkeypatch.setattr(engine, "MAX_PARAGRAPH", 30)
    text = "Mary saw the big dog and the cats. " * 8
    sentences = annotate_text(text, engines[1])
    assert len(sentences) > 8  # some sentences were cut
    assert [form for s in sentences for form in s.forms] == text.replace(".", " .").split()
    for sentence in sentences:
        assert_tree(sentence.layers[2])


@pytest.mark.parametrize(
    ("layers", "run"),
    [
        ((), ["tagger", "morphologizer", "senter"]),
        (("xpos", "feats"), ["tagger", "morphologizer", "senter"]),
        (("heads",), ["tagger", "morphologizer", "senter", "parser"]),
        (("entities",), ["tagger", "morphologizer", "senter", "ner"]),
    ],
)
def test_only_what_layers_need_is_run(parsing_spacy, monkeypatch, layers, run):
    import spacy

    loaded = []
    original = spacy.load
    monkeypatch.setattr(spacy, "load", lambda *a, **options: loaded.append(original(*a, **options)) or loaded[-1])
    prepare(str(parsing_spacy), None, layers)[1]()
    assert loaded[0].pipe_names == run
    assert {*loaded[0].component_names} - {*run} <= {"senter"}  # not even read


@pytest.mark.slow
def test_a_parser_that_sets_sentences_sets_them_with_layers_too(parsing_spacy, tmp_path):
    import spacy

    spacy.load(parsing_spacy, exclude=["senter"]).to_disk(tmp_path / "model")
    text = "Mary saw the dog. The cats sat. Dogs sat. Mary Smith ran."
    plain = annotate_text(text, load_engine(f"spacy:{tmp_path / 'model'}"))
    layered = annotate_text(text, load_engine(f"spacy:{tmp_path / 'model'}", layers=LAYERS))
    assert [sentence._replace(layers=()) for sentence in layered] == plain
    assert layered
    for sentence in layered:
        assert sentence.layers[2].count(0) == 1
        assert_tree(sentence.layers[2])


def test_a_pipeline_without_what_a_layer_needs_is_refused(tiny_spacy, parsing_spacy, tmp_path):
    with pytest.raises(
        UsageError,
        match=r"spacy:tiny_en cannot give the layer 'heads': no component.*sets token\.head "
        r"\(it has morphologizer.*leave the layer out of `layers`",
    ):
        describe_engine(f"spacy:{tiny_spacy}", layers=("entities", "heads"))
    describe_engine(f"spacy:{tiny_spacy}", layers=("entities",))
    # A morphologizer that was taught no features gives none.
    with pytest.raises(UsageError, match="the layer 'feats'"):
        describe_engine(f"spacy:{tiny_spacy}", layers=("feats",))
    moved = shutil.copytree(parsing_spacy, tmp_path / "moved")
    config = (moved / "config.cfg").read_text("utf-8")
    assert 'disabled = ["senter"]' in config
    (moved / "config.cfg").write_text(config.replace('["senter"]', '["senter","ner"]'), "utf-8")
    with pytest.raises(UsageError, match="the layer 'entities'"):
        describe_engine(f"spacy:{moved}", layers=("entities",))


@pytest.mark.data
@pytest.mark.slow
def test_a_real_model_gives_tags_and_features(models):
    import spacy

    text = "The old man has left 3.5 % of it. She sings!"
    spec = f"spacy:{models / 'en_ud'}"
    found = annotate_text(text, load_engine(spec, layers=("xpos", "feats")))
    doc = spacy.load(models / "en_ud")(text)
    assert [sentence.layers for sentence in found] == [
        ([t.tag_ for t in sentence], [str(t.morph) or None for t in sentence]) for sentence in doc.sents
    ]
    with pytest.raises(UsageError, match="'deprels'"):
        describe_engine(spec, layers=("deprels",))
