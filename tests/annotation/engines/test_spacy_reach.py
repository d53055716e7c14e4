"""How far spaCy pipelines look: by their configuration, and by what changes a tag."""

import itertools
import random

import pytest

from lexbeam.transforms.annotation.engines.engine import annotate_text
from lexbeam.transforms.annotation.engines.known_engines import load_tagger
from lexbeam.transforms.annotation.engines.spacy import reach_of

CNN = {"@architectures": "spacy.HashEmbedCNN.v2", "depth": 3, "window_size": 2}
WINDOW = {"@architectures": "spacy.MaxoutWindowEncoder.v2", "depth": 4, "window_size": 1}
HASHES = {"@architectures": "spacy.MultiHashEmbed.v2", "attrs": ["NORM", "SHAPE"]}
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 8}
WORDS = ["the", "old", "dog", "saw", "that", "man", "run", "well", "and", "they", "ran", "away", "with", "us", "now"]


def tagger(tok2vec):
    return {"@architectures": "spacy.Tagger.v2", "tok2vec": tok2vec}


def tok2vec(embed, encode):
    return {"@architectures": "spacy.Tok2Vec.v2", "embed": embed, "encode": encode}


@pytest.mark.parametrize(
    ("model", "reach"),
    [
        (tagger(CNN), 6),
        (tagger(tok2vec(HASHES, WINDOW)), 4),
        (tagger(tok2vec({"@architectures": "spacy.CharacterEmbed.v2", "feature": "LOWER"}, WINDOW)), 4),
        (tagger(tok2vec(HASHES | {"attrs": ["NORM", "SPACY"]}, WINDOW)), 5),
        (tagger(tok2vec(HASHES | {"attrs": ["NORM", "SENT_START"]}, WINDOW)), None),
        (tagger(tok2vec(HASHES, {"@architectures": "spacy.MishWindowEncoder.v2", "depth": 4, "window_size": 1})), None),
        (tagger(tok2vec(HASHES, {"@architectures": "spacy.TorchBiLSTMEncoder.v1", "depth": 1})), None),
        (tagger(LISTENER), 6),
        (tagger({"@architectures": "spacy-transformers.TransformerListener.v1"}), None),
        ({}, None),
    ],
)
def test_the_reach_of_architectures(model, reach):
    assert reach_of(model, [CNN, tok2vec(HASHES, WINDOW)]) == reach


def test_who_listens_reaches_as_far_as_the_least_known_that_it_hears():
    assert reach_of(tagger(LISTENER), []) is None
    assert reach_of(tagger(LISTENER), [CNN, {"@architectures": "spacy-transformers.TransformerModel.v3"}]) is None


@pytest.fixture(scope="module", params=["listener", "of its own"])
def drawn_tagger(request, tmp_path_factory):
    """The folder of a pipeline with drawn weights, in which every token within the reach counts."""
    import numpy as np
    import spacy
    from spacy.util import fix_random_seed

    fix_random_seed(1)
    nlp = spacy.blank("en")
    cnn = {**CNN, "depth": 2, "window_size": 1, "width": 16, "embed_size": 200, "maxout_pieces": 2}
    cnn |= {"subword_features": True, "pretrained_vectors": None}
    nlp.add_pipe("tok2vec", config={"model": cnn})
    heard = {**LISTENER, "width": 16} if request.param == "listener" else cnn
    tag = nlp.add_pipe("tagger", config={"model": tagger(heard)})
    tag.add_label("X")
    pos = nlp.add_pipe("morphologizer", config={"model": tagger(heard)})
    for name in ("ADJ", "ADV", "DET", "NOUN", "PRON", "VERB"):
        pos.add_label(f"POS={name}")
    nlp.initialize()
    layers = [layer for layer in pos.model.walk() if layer.name == "softmax"]
    for layer in layers:
        layer.set_param("W", np.random.default_rng(1).normal(size=layer.get_param("W").shape).astype("f"))
    folder = tmp_path_factory.mktemp("models") / "drawn"
    nlp.to_disk(folder)
    return request.param, f"spacy:{folder}"


def test_a_tag_depends_on_what_is_within_reach_and_on_nothing_else(drawn_tagger):
    _, spec = drawn_tagger
    engine = load_tagger(spec)
    assert engine.reach == 2
    drawn = random.Random(1)
    changed = dict.fromkeys(range(-4, 5), 0)
    for _ in range(60):
        words = drawn.choices(WORDS, k=9)
        tags = {}
        for distance, word in itertools.product(changed, ("Mary", "1990,")):
            text = [*words]
            text[4 + distance] = word
            tags[distance, word] = tag_at(" ".join(text), sum(len(one) + 1 for one in text[:4]), engine)
        plain = tag_at(" ".join(words), sum(len(one) + 1 for one in words[:4]), engine)
        for (distance, _), tag in tags.items():
            changed[distance] += tag != plain
    assert {distance for distance, times in changed.items() if times} == set(range(-2, 3))


def test_a_tagger_runs_what_parts_of_speech_need_alone(drawn_tagger, monkeypatch):
    import spacy

    kind, spec = drawn_tagger
    loaded = []
    original = spacy.load
    monkeypatch.setattr("spacy.load", lambda *args, **options: loaded.append(original(*args, **options)) or loaded[-1])
    monkeypatch.setattr("lexbeam.transforms.annotation.engines.known_engines._LOADED", {})
    load_tagger(spec)
    heard = ["tok2vec"] if kind == "listener" else []
    assert loaded[0].component_names == [*heard, "morphologizer", "sentencizer"]


def tag_at(text, start, engine):
    return next(
        tag
        for sentence in annotate_text(text, engine)
        for tag, place in zip(sentence.upos, sentence.starts, strict=True)
        if place == start
    )
