"""The engine on a real Stanza pipeline, trained here on three sentences with Stanza's own code."""

import json
import shutil
from importlib.util import find_spec

import pytest

from lexbeam.transforms.annotation.engines.engine import EngineInfo, annotate_text
from lexbeam.transforms.annotation.engines.known_engines import describe_engine, load_engine
from lexbeam.transforms.annotation.engines.normalise import parse_rules
from lexbeam.transforms.annotation.engines.stanza import prepare, sentences_of
from lexbeam.transforms.common.errors import UsageError

# Not imported here: that takes seconds, and every worker collects this.
missing = find_spec("stanza") is None
pytestmark = [pytest.mark.slow, pytest.mark.skipif(missing, reason="the extra 'stanza' is not installed")]

PUNCT = (".", ".", "PUNCT")
# A multiword token is followed by its two words.
SENTENCES = [
    [("The", "the", "DET"), ("cats", "cat", "NOUN"), ("sat", "sit", "VERB"), PUNCT],
    [("A", "a", "DET"), ("dog", "dog", "NOUN"), ("ran", "run", "VERB"), PUNCT],
    [
        ("Dogs", "dog", "NOUN"),
        ("sat", "sit", "VERB"),
        ("del", "", ""),
        ("de", "de", "ADP"),
        ("el", "el", "DET"),
        ("cat", "cat", "NOUN"),
        PUNCT,
    ],
]
# What an entity is, by token.
ENTITIES = {"cats": "S-ANI", "dog": "S-ANI", "Dogs": "S-ANI", "del": "B-LOC", "cat": "E-LOC"}
LAYERS = ("xpos", "feats", "heads", "deprels", "entities")
TEXT = "The cats\nsat.  A dog ran.\n\nDogs sat del cat."


def conllu(sentences):
    lines = []
    for sentence in sentences:
        number = 0
        for form, lemma, upos in sentence:
            if not upos:
                lines.append(f"{number + 1}-{number + 2}\t{form}" + "\t_" * 8)
                continue
            number += 1
            head, relation = (0, "root") if number == 1 else (number - 1, "dep")
            feats = "Number=Plur" if form.endswith("s") else "_"
            cells = [number, form, lemma, upos, upos.lower(), feats, head, relation, "_", "_"]
            lines.append("\t".join(map(str, cells)))
        lines.append("")
    return "\n".join(lines) + "\n"


def recognised(sentences):
    """Tokens with their entities, as Stanza's recogniser is trained on."""
    words = ("de", "el")  # of a multiword token
    return json.dumps(
        [[{"text": f, "ner": ENTITIES.get(f, "O")} for f, _, _ in sentence if f not in words] for sentence in sentences]
    )


def labelled(sentences):
    """Text with a label a character: 1 ends a token, 2 a sentence, 3 a multiword token."""
    text = labels = ""
    for sentence in sentences:
        parts = 0
        for form, _, upos in sentence:
            if parts:
                parts -= 1
                continue
            if form != "." and text and not text.endswith(" "):
                text, labels = text + " ", labels + "0"
            text += form
            labels += "0" * (len(form) - 1) + ("2" if form == "." else "1" if upos else "3")
            parts = 0 if upos else 2
        text, labels = text + " ", labels + "0"
    return text.rstrip(), labels[:-1]


@pytest.fixture(scope="module")
def tiny_stanza(tmp_path_factory):
    import torch
    from stanza.models import lemmatizer, mwt_expander, ner_tagger, parser, tagger, tokenizer

    folder = tmp_path_factory.mktemp("stanza")
    data, root = folder / "data", folder / "models"
    data.mkdir()
    text, labels = labelled(SENTENCES * 30)
    files = {
        "text": text + "\n\n",
        "labels": labels + "\n\n",
        "conllu": conllu(SENTENCES * 10),
        "ner": recognised(SENTENCES * 10),
        "mwt": json.dumps([[["del", ["de", "el"]], 30]]),
    }
    for name, content in files.items():
        (data / name).write_text(content, encoding="utf-8")

    def train(module, name, options):
        places = ["--save_dir", str(root / "en" / name), "--save_name", "tiny.pt"]
        module.main([*options.format(d=data).split(), *places, "--shorthand", "en_tiny", "--cpu"])

    torch.set_num_threads(1)
    trees = "--train_file {d}/conllu --eval_file {d}/conllu "
    train(
        tokenizer,
        "tokenize",
        "--txt_file {d}/text --label_file {d}/labels --dev_txt_file {d}/text "
        "--dev_label_file {d}/labels --mwt_json_file {d}/mwt --lang en --steps 150 "
        "--eval_steps 10000 --emb_dim 8 --hidden_dim 16 --dropout 0 --unit_dropout 0 "
        "--feat_dropout 0 --feat_unit_dropout 0 --sent_drop_prob 0 --last_char_drop_prob 0 "
        "--lr0 0.01 --batch_size 8",
    )
    small = (
        "--no_pretrain --max_steps 30 --eval_interval 30 --hidden_dim 16 --char_hidden_dim 16 "
        "--word_emb_dim 16 --char_emb_dim 8 --dropout 0 --word_dropout 0 --lr 0.02 "
    )
    syntax = "--lang en --batch_size 100 --deep_biaff_hidden_dim 16 --tag_emb_dim 8 --transformed_dim 8 "
    tagging = small + syntax + "--fix_eval_interval --augment_nopunct 0"
    train(tagger, "pos", trees + tagging)
    train(parser, "depparse", trees + small + syntax + "--deep_biaff_output_dim 8")
    entities = "--train_file {d}/ner --eval_file {d}/ner --optim adam --batch_size 30 "
    train(ner_tagger, "ner", entities + small)
    train(lemmatizer, "lemma", trees + "--dict_only")
    train(mwt_expander, "mwt", trees + "--gold_file {d}/conllu --lang en --dict_only")
    processors = ("tokenize", "mwt", "pos", "lemma", "depparse", "ner")
    entry = {"lang_name": "English", "packages": {"default": dict.fromkeys(processors, "tiny")}}
    entry |= {name: {"tiny": {}} for name in processors}
    resources = {"en": entry, "english": {"alias": "en"}}
    (root / "resources.json").write_text(json.dumps(resources), encoding="utf-8")
    return root


def test_a_real_pipeline_tags_lemmatises_and_splits(tiny_stanza):
    sentences = annotate_text(TEXT, load_engine(f"stanza:en:{tiny_stanza}"))
    assert [" ".join(s.lemmas) for s in sentences] == ["the cat sit .", "a dog run .", "dog sit de el cat ."]
    assert sentences[2].upos == ["NOUN", "VERB", "ADP", "DET", "NOUN", "PUNCT"]
    assert [TEXT[sentence.starts[0] : sentence.ends[-1]] for sentence in sentences] == [
        "The cats\nsat.",
        "A dog ran.",
        "Dogs sat del cat.",
    ]


def test_words_of_a_multiword_token_share_its_span(tiny_stanza):
    sentence = annotate_text(TEXT, load_engine(f"stanza:en:{tiny_stanza}"))[2]
    assert sentence.forms[2:4] == ["de", "el"]
    assert {TEXT[s:e] for s, e in zip(sentence.starts[2:4], sentence.ends[2:4], strict=True)} == {"del"}


def test_form_rules_are_seen_by_the_tagger(tiny_stanza):
    text = "The catz sat."
    (sentence,) = annotate_text(
        text, load_engine(f"stanza:en:{tiny_stanza}"), normalise=parse_rules("form\tcatz\tcats")
    )
    assert (sentence.forms[1], sentence.lemmas[1]) == ("cats", "cat")
    assert text[sentence.starts[1] : sentence.ends[1]] == "catz"


def test_nothing_comes_of_nothing(tiny_stanza):
    assert prepare(f"en:{tiny_stanza}")[1]()([]) == []


def test_description_reads_only_files(tiny_stanza, tmp_path):
    info = describe_engine(f"stanza:en:{tiny_stanza}")
    assert (info.name, info.language, info.has_upos, info.has_lemmas) == ("stanza:en", "en", True, True)
    assert "/" not in info.fingerprint
    assert describe_engine(f"stanza:english:{tiny_stanza}").fingerprint == info.fingerprint
    moved = tmp_path / "moved"
    shutil.copytree(tiny_stanza, moved)
    assert describe_engine(f"stanza:en:{moved}").fingerprint == info.fingerprint
    (moved / "en" / "pos" / "tiny.pt").write_bytes(b"other")
    assert describe_engine(f"stanza:en:{moved}").fingerprint != info.fingerprint


def test_missing_models_are_named_with_the_remedy(tiny_stanza, tmp_path):
    with pytest.raises(UsageError, match=r"no resources\.json.*stanza\.download"):
        describe_engine(f"stanza:en:{tmp_path}")
    with pytest.raises(UsageError, match="no language 'englis'; did you mean 'english'"):
        describe_engine(f"stanza:englis:{tiny_stanza}")
    moved = tmp_path / "moved"
    shutil.copytree(tiny_stanza, moved)
    (moved / "en" / "lemma" / "tiny.pt").unlink()
    with pytest.raises(UsageError, match=r"lemma/tiny\.pt' is missing; fetch"):
        describe_engine(f"stanza:en:{moved}")


def test_layers_are_what_stanza_says(tiny_stanza):
    import stanza

    pipeline = stanza.Pipeline("en", dir=str(tiny_stanza), download_method=None, use_gpu=False, logging_level="ERROR")
    engine = load_engine(f"stanza:en:{tiny_stanza}", layers=LAYERS)
    paragraphs = TEXT.replace("\n", " ", 1).replace("  ", " ").split("\n\n")
    expected = [
        tuple([getattr(word, name) for word in sentence.words] for name in ("xpos", "feats", "head"))
        for paragraph in paragraphs
        for sentence in pipeline(paragraph).sentences
    ]
    found = annotate_text(TEXT, engine)
    nulled = [tuple(v if any(v) else None for v in values) for values in expected]
    assert [sentence.layers[:3] for sentence in found] == nulled
    assert found[0].layers[3] == [("dep" if head else "root") for head in found[0].layers[2]]
    assert found[0].layers[1] == [None, "Number=Plur", None, None]
    assert found[1].layers[0] == ["det", "noun", "verb", "punct"]
    # Stanza tells of tokens, as BIOES; the words of a multiword token share its entity.
    assert [sentence.layers[4] for sentence in found] == [
        ["O", "B-ANI", "O", "O"],
        ["O", "B-ANI", "O", "O"],
        ["B-ANI", "O", "B-LOC", "I-LOC", "I-LOC", "O"],
    ]


def test_layers_change_nothing_else(tiny_stanza):
    rules = parse_rules("form\tcatz\tcats")
    spec = f"stanza:en:{tiny_stanza}"
    for text in (TEXT, "The catz sat."):
        plain = annotate_text(text, load_engine(spec), normalise=rules)
        layered = annotate_text(text, load_engine(spec, layers=LAYERS), normalise=rules)
        assert [sentence._replace(layers=()) for sentence in layered] == plain
    # The recogniser saw `cats`, too.
    assert (layered[0].forms[1], layered[0].layers[4][1]) == ("cats", "B-ANI")


@pytest.mark.parametrize(
    ("layers", "run"), [((), set()), (("xpos", "feats"), set()), (("heads",), {"depparse"}), (("entities",), {"ner"})]
)
def test_only_what_layers_need_is_run(tiny_stanza, monkeypatch, layers, run):
    import stanza

    made = []
    original = stanza.Pipeline
    monkeypatch.setattr(stanza, "Pipeline", lambda *a, **o: made.append(original(*a, **o)) or made[-1])
    prepare(f"en:{tiny_stanza}", None, layers)[1]()
    assert set(made[0].processors) == {"tokenize", "mwt", "pos", "lemma", *run}


def test_the_models_of_layers_count_where_they_are_asked_for(tiny_stanza, tmp_path):
    moved = tmp_path / "moved"
    shutil.copytree(tiny_stanza, moved)
    before = [describe_engine(f"stanza:en:{moved}", layers=x) for x in ((), ("entities",))]
    (moved / "en" / "ner" / "tiny.pt").write_bytes(b"other")
    after = [describe_engine(f"stanza:en:{moved}", layers=x) for x in ((), ("entities",))]
    assert [a.fingerprint == b.fingerprint for a, b in zip(before, after, strict=True)] == [True, False]
    (moved / "en" / "ner" / "tiny.pt").unlink()
    with pytest.raises(UsageError, match=r"ner/tiny\.pt' is missing; fetch"):
        describe_engine(f"stanza:en:{moved}", layers=("entities",))


def test_a_language_without_what_a_layer_needs_is_refused(tiny_stanza, tmp_path):
    moved = tmp_path / "moved"
    shutil.copytree(tiny_stanza, moved)
    resources = json.loads((moved / "resources.json").read_text("utf-8"))
    del resources["en"]["packages"]["default"]["depparse"]
    (moved / "resources.json").write_text(json.dumps(resources), "utf-8")
    describe_engine(f"stanza:en:{moved}", layers=("entities",))
    with pytest.raises(UsageError, match=r"stanza:en cannot give the layer 'heads'.*no depparse"):
        describe_engine(f"stanza:en:{moved}", layers=("xpos", "heads"))


def test_heads_go_over_words_that_are_left_out():
    from stanza.models.common.doc import Document

    rows = [
        {
            "id": number,
            "text": text,
            "lemma": text,
            "upos": "X",
            "head": head,
            "deprel": "dep",
            "misc": f"start_char={number}|end_char={number + 1}",
        }
        for number, text, head in [(1, "a", 2), (2, " ", 4), (3, "b", 0), (4, "c", 3)]
    ]
    info = describe(has_upos=True, has_lemmas=True)
    (sentence,) = sentences_of(Document([rows], text=" abcd "), info, ("heads", "deprels"))
    assert sentence.forms == ["a", "b", "c"]
    assert sentence.layers == ([3, 0, 2], ["dep", "root", "dep"])


def describe(**has):
    return EngineInfo(name="stanza:en", language="en", fingerprint="x", **has)
