"""A tiny, real spaCy pipeline, trained on the spot."""

import pytest

TRAINING = [
    (["The", "cats", "sat", "."], ["DET", "NOUN", "VERB", "PUNCT"], ["the", "cat", "sit", "."]),
    (["A", "dog", "ran", "."], ["DET", "NOUN", "VERB", "PUNCT"], ["a", "dog", "run", "."]),
    (["Dogs", "sat", "."], ["NOUN", "VERB", "PUNCT"], ["dog", "sit", "."]),
    (["The", "cat", "ran", "."], ["DET", "NOUN", "VERB", "PUNCT"], ["the", "cat", "run", "."]),
]


@pytest.fixture(scope="session")
def tiny_spacy(tmp_path_factory):
    """The folder of a pipeline: morphologizer, lemmatizer, senter, and an untrained ner."""
    import spacy
    from spacy.tokens import Doc
    from spacy.training import Example
    from spacy.util import fix_random_seed

    fix_random_seed(0)
    nlp = spacy.blank("en")
    model = {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "pretrained_vectors": None,
        "width": 16,
        "depth": 1,
        "embed_size": 200,
        "window_size": 1,
        "maxout_pieces": 2,
        "subword_features": True,
    }
    for name in ("morphologizer", "trainable_lemmatizer", "senter"):
        config = {"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": model}}
        if name == "trainable_lemmatizer":
            config["min_tree_freq"] = 1
        nlp.add_pipe(name, config=config)
    nlp.add_pipe("ner", config={"model": {"tok2vec": model}}).add_label("PER")
    examples = []
    for first, second in zip(TRAINING, TRAINING[1:] + TRAINING[:1], strict=True):
        words, upos, lemmas = (a + b for a, b in zip(first, second, strict=True))
        gold = Doc(
            nlp.vocab,
            words=words,
            pos=upos,
            lemmas=lemmas,
            sent_starts=[index in (0, len(first[0])) for index in range(len(words))],
        )
        examples.append(Example(Doc(nlp.vocab, words=words), gold))
    nlp.initialize(lambda: examples)
    with nlp.select_pipes(disable=["ner"]):
        for _ in range(40):
            nlp.update(examples)
    folder = tmp_path_factory.mktemp("models") / "tiny_en"
    nlp.to_disk(folder)
    return folder
