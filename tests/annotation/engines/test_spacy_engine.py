import shutil

import pytest

from lexbeam.transforms.annotation.engines import spacy as spacy_engine
from lexbeam.transforms.annotation.engines.engine import annotate_text
from lexbeam.transforms.annotation.engines.known_engines import describe_engine, load_engine, load_tagger
from lexbeam.transforms.annotation.engines.normalise import parse_rules
from lexbeam.transforms.annotation.engines.spacy import prepare
from lexbeam.transforms.common.errors import LexbeamError, UsageError

TEXT = "The cats\nsat.  A dog ran.\n\nDogs sat. The cat ran."


def test_a_real_pipeline_tags_lemmatises_and_splits(tiny_spacy):
    sentences = annotate_text(TEXT, load_engine(f"spacy:{tiny_spacy}"))
    assert [" ".join(s.lemmas) for s in sentences] == ["the cat sit .", "a dog run .", "dog sit .", "the cat run ."]
    assert sentences[0].upos == ["DET", "NOUN", "VERB", "PUNCT"]
    assert [TEXT[sentence.starts[0] : sentence.ends[-1]] for sentence in sentences] == [
        "The cats\nsat.",
        "A dog ran.",
        "Dogs sat.",
        "The cat ran.",
    ]


def test_description_needs_no_model_and_holds_no_path(tiny_spacy, tmp_path):
    info = describe_engine(f"spacy:{tiny_spacy}/")
    assert (info.name, info.language, info.has_upos, info.has_lemmas) == ("spacy:tiny_en", "en", True, True)
    assert str(tiny_spacy) not in info.fingerprint
    moved = tmp_path / "elsewhere"
    shutil.copytree(tiny_spacy, moved)
    assert describe_engine(f"spacy:{moved}").fingerprint == info.fingerprint
    (moved / "morphologizer" / "extra").write_text("x")
    assert describe_engine(f"spacy:{moved}").fingerprint != info.fingerprint


def test_a_path_is_resolved_to_a_local_folder(tiny_spacy):
    info = describe_engine("spacy:store://models/tiny", resolve=lambda path: str(tiny_spacy))
    assert info.name == "spacy:tiny"


def test_output_is_that_of_a_bare_pipe(tiny_spacy, monkeypatch):
    import spacy

    monkeypatch.setattr("lexbeam.transforms.annotation.engines.spacy.MAX_NEW_STRINGS", 20)
    paragraphs = ["The cats sat. A dog ran.", "Dogs ran away, quickly.", "x y z. " * 20]
    nlp = spacy.load(tiny_spacy)
    expected = [
        [
            ([t.text for t in s], [t.lemma_ or t.text for t in s], [t.pos_ for t in s], [t.idx for t in s])
            for s in doc.sents
        ]
        for doc in nlp.pipe([paragraph.strip() for paragraph in paragraphs], batch_size=1)
    ]
    annotate = prepare(str(tiny_spacy))[1]()
    for _ in range(3):  # memory zones come and go
        found = annotate([paragraph.strip() for paragraph in paragraphs])
        assert [[(s.forms, s.lemmas, s.upos, s.starts) for s in group] for group in found] == expected


def test_the_vocabulary_does_not_grow_with_documents(tiny_spacy, monkeypatch):
    import spacy

    monkeypatch.setattr("lexbeam.transforms.annotation.engines.spacy.MAX_NEW_STRINGS", 40)
    loaded = []
    original = spacy.load
    spacy.load = lambda *args, **options: loaded.append(original(*args, **options)) or loaded[-1]
    try:
        annotate = prepare(str(tiny_spacy))[1]()
    finally:
        spacy.load = original
    (nlp,) = loaded
    assert "ner" not in nlp.pipe_names
    size = len(nlp.vocab.strings)
    for number in range(50):
        annotate([f"New word{number}xyz sat."])
        assert len(nlp.vocab.strings) < size + 60


def test_whitespace_is_no_token_even_if_the_engine_sees_it(tiny_spacy):
    paragraph = "The  cats \n sat."
    found, empty = prepare(str(tiny_spacy))[1]()([paragraph, " \n "])
    assert [form for s in found for form in s.forms] == ["The", "cats", "sat", "."]
    assert [start for s in found for start in s.starts] == [0, 5, 12, 15]
    assert empty == []


def test_form_rules_are_seen_by_the_pipeline(tiny_spacy):
    text = "The catz ſat."
    rules = parse_rules("form\tcatz\tcats\nform-char\tſ\ts\nlemma\tsit\tSIT")
    (sentence,) = annotate_text(text, load_engine(f"spacy:{tiny_spacy}"), normalise=rules)
    assert sentence.forms == ["The", "cats", "sat", "."]
    assert sentence.lemmas == ["the", "cat", "SIT", "."]
    assert text[sentence.starts[2] : sentence.ends[2]] == "ſat"


def tokens(sentences):
    """Return the tokens of sentences, whatever their borders."""
    lists = ("forms", "upos", "starts", "ends")
    return [[x for s in sentences for x in getattr(s, name) or ()] for name in lists]


@pytest.mark.parametrize("fixture", ["tiny_spacy", "parsing_spacy"])
def test_a_tagger_has_the_tags_of_the_engine_and_no_more(fixture, request, monkeypatch):
    import spacy

    spec = f"spacy:{request.getfixturevalue(fixture)}"
    loaded = []
    original = spacy.load
    monkeypatch.setattr("spacy.load", lambda *args, **options: loaded.append(original(*args, **options)) or loaded[-1])
    monkeypatch.setattr("lexbeam.transforms.annotation.engines.known_engines._LOADED", {})
    tagger = load_tagger(spec)
    assert load_tagger(spec) is tagger
    (nlp,) = loaded
    assert {"senter", "parser", "ner", "trainable_lemmatizer"}.isdisjoint(nlp.component_names)
    engine = load_engine(spec)
    found = annotate_text(TEXT, tagger)
    assert tokens(found) == tokens(annotate_text(TEXT, engine))
    assert all(sentence.lemmas is None for sentence in found)
    assert (tagger.has_upos, tagger.has_lemmas) == (engine.has_upos, False)
    assert tagger.fingerprint == engine.fingerprint


def test_an_attribute_ruler_sees_the_sentences_that_it_sees_in_the_engine(tiny_spacy, tmp_path):
    import spacy

    nlp = spacy.load(tiny_spacy)
    ruler = nlp.add_pipe("attribute_ruler")
    ruler.add([[{"IS_SENT_START": True, "LOWER": "dogs"}]], {"POS": "INTJ"})
    nlp.to_disk(tmp_path / "ruled")
    spec = f"spacy:{tmp_path / 'ruled'}"
    text = "The cat ran Dogs sat. Dogs ran."
    found = annotate_text(text, load_tagger(spec))
    engine = annotate_text(text, load_engine(spec))
    assert tokens(found) == tokens(engine)
    assert "INTJ" in tokens(found)[1]
    assert all(sentence.lemmas is None for sentence in found)


def test_a_tagger_sets_sentences_beside_a_sentencizer_that_is_switched_off(tiny_spacy, tmp_path):
    import spacy

    nlp = spacy.load(tiny_spacy)
    nlp.add_pipe("sentencizer")
    nlp.config["nlp"]["disabled"] = ["sentencizer"]
    nlp.disable_pipe("sentencizer")
    nlp.to_disk(tmp_path / "off")
    found = annotate_text(TEXT, load_tagger(f"spacy:{tmp_path / 'off'}"))
    assert tokens(found) == tokens(annotate_text(TEXT, load_engine(f"spacy:{tiny_spacy}")))


def test_sentences_are_set_by_the_sentencizer_where_nothing_else_does(tmp_path):
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    info = describe_engine(f"spacy:{tmp_path / 'blank'}")
    assert (info.has_upos, info.has_lemmas) == (False, False)
    sentences = annotate_text("One. Two.", load_engine(f"spacy:{tmp_path / 'blank'}"))
    assert [sentence.forms for sentence in sentences] == [["One", "."], ["Two", "."]]
    assert (sentences[0].lemmas, sentences[0].upos) == (None, None)


def test_a_senter_that_is_switched_off_goes_before_the_parser(tmp_path):
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("parser").add_label("dep")
    nlp.add_pipe("senter")
    nlp.initialize()
    nlp.disable_pipe("senter")
    nlp.to_disk(tmp_path / "model")
    loaded = []
    original = spacy.load
    spacy.load = lambda *args, **options: loaded.append(original(*args, **options)) or loaded[-1]
    try:
        prepare(str(tmp_path / "model"))[1]()
    finally:
        spacy.load = original
    assert loaded[0].pipe_names == ["senter"]


def test_a_missing_or_foreign_model_is_refused_at_the_start(tmp_path):
    with pytest.raises(UsageError, match=r"no spaCy model 'en_nowhere'.*install it"):
        describe_engine("spacy:en_nowhere")
    with pytest.raises(UsageError, match=r"not a spaCy pipeline: meta\.json is missing"):
        describe_engine(f"spacy:{tmp_path}")


@pytest.mark.data
@pytest.mark.parametrize("name", ["en_ud", "es_cess"])
def test_real_models_give_the_same_at_any_batch_and_in_any_order(models, name):
    annotate = prepare(str(models / name))[1]()
    paragraphs = [
        "The old man the boats. She has left 3.5 % of it.",
        "¡Hola! Los niños hablaban.",
        "Yes",
        "“It was the best of times,” he said – and went.",
    ]
    alone = [annotate([paragraph])[0] for paragraph in paragraphs]
    assert annotate(paragraphs) == alone
    assert annotate(paragraphs[::-1])[::-1] == alone


@pytest.mark.parametrize(("architecture", "needs_torch"), [("spacy.HashEmbedCNN.v2", False), ("other.Net.v1", True)])
def test_torch_is_there_for_pipelines_of_others_alone(architecture, needs_torch, tiny_spacy, tmp_path, monkeypatch):
    folder = tmp_path / "model"
    shutil.copytree(tiny_spacy, folder)
    config = folder / "config.cfg"
    text = config.read_text("utf-8")
    assert "spacy.HashEmbedCNN.v2" in text
    config.write_text(text.replace("spacy.HashEmbedCNN.v2", architecture), "utf-8")
    restored = []
    monkeypatch.setattr(spacy_engine, "restore_torch", lambda: restored.append(True))
    _, load = spacy_engine.prepare(str(folder))
    try:
        load()
    except LexbeamError:  # there is no such architecture
        assert needs_torch
    assert bool(restored) is needs_torch
