"""Tiny, real spaCy pipelines, trained on the spot."""

import pytest

TRAINING = [
    (["The", "cats", "sat", "."], ["DET", "NOUN", "VERB", "PUNCT"], ["the", "cat", "sit", "."]),
    (["A", "dog", "ran", "."], ["DET", "NOUN", "VERB", "PUNCT"], ["a", "dog", "run", "."]),
    (["Dogs", "sat", "."], ["NOUN", "VERB", "PUNCT"], ["dog", "sit", "."]),
    (["The", "cat", "ran", "."], ["DET", "NOUN", "VERB", "PUNCT"], ["the", "cat", "run", "."]),
]


_TOK2VEC = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "pretrained_vectors": None,
    "width": 16,
    "depth": 1,
    "embed_size": 200,
    "window_size": 1,
    "maxout_pieces": 2,
    "subword_features": True,
}

# Words, tags, features, heads from 0, relations and entities of sentences.
TREES = [
    ("The cats sat .", "DT NNS VBD .", "_ Number=Plur _ _", [1, 2, 2, 2], "det nsubj ROOT punct", "O O O O"),
    (
        "Mary saw the big dog .",
        "NNP VBD DT JJ NN .",
        "_ _ _ _ Number=Sing _",
        [1, 1, 4, 4, 1, 1],
        "nsubj ROOT det amod obj punct",
        "B-PER O O O O O",
    ),
    ("Dogs sat .", "NNS VBD .", "Number=Plur _ _", [1, 1, 1], "nsubj ROOT punct", "O O O"),
    ("Mary Smith ran .", "NNP NNP VBD .", "_ _ _ _", [2, 0, 2, 2], "nsubj flat ROOT punct", "B-PER I-PER O O"),
]


@pytest.fixture(scope="session")
def parsing_spacy(tmp_path_factory):
    """The folder of a pipeline as spaCy ships them: tagger, morphologizer, parser, ner, and a
    senter behind the parser that is switched off."""
    import spacy
    from spacy.tokens import Doc
    from spacy.training import Example
    from spacy.util import fix_random_seed

    fix_random_seed(0)
    nlp = spacy.blank("en")
    for name in ("tagger", "morphologizer", "parser", "senter", "ner"):
        model = {"tok2vec": _TOK2VEC}
        if name not in ("parser", "ner"):
            model["@architectures"] = "spacy.Tagger.v2"
        config = {"model": model} | ({"min_action_freq": 1} if name == "parser" else {})
        nlp.add_pipe(name, config=config)
    examples = []
    for first, second in zip(TREES, TREES[1:] + TREES[:1], strict=True):
        words, tags, feats, deps, entities = (f"{first[place]} {second[place]}".split() for place in (0, 1, 2, 4, 5))
        size = len(first[3])
        gold = Doc(
            nlp.vocab,
            words=words,
            tags=tags,
            deps=deps,
            ents=entities,
            morphs=["" if one == "_" else one for one in feats],
            heads=[*first[3], *(head + size for head in second[3])],
        )
        examples.append(Example(Doc(nlp.vocab, words=words), gold))
    nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples)
    nlp.disable_pipe("senter")
    folder = tmp_path_factory.mktemp("models") / "parsing_en"
    nlp.to_disk(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_spacy(tmp_path_factory):
    """The folder of a pipeline: morphologizer, lemmatizer, senter, and an untrained ner."""
    import spacy
    from spacy.tokens import Doc
    from spacy.training import Example
    from spacy.util import fix_random_seed

    fix_random_seed(0)
    nlp = spacy.blank("en")
    model = _TOK2VEC
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
