"""The engine on a real Stanza pipeline, trained here on three sentences with Stanza's own code."""

import json
import shutil

import pytest

from transforms.annotation.base import annotate_text, describe_engine, load_engine
from transforms.annotation.normalise import parse_rules
from transforms.annotation.stanza import prepare
from transforms.common.errors import UsageError

pytest.importorskip("stanza", reason="the extra 'stanza' is not installed")
pytestmark = pytest.mark.slow

PUNCT = (".", ".", "PUNCT")
# A multiword token is followed by its two words.
SENTENCES = [
    [("The", "the", "DET"), ("cats", "cat", "NOUN"), ("sat", "sit", "VERB"), PUNCT],
    [("A", "a", "DET"), ("dog", "dog", "NOUN"), ("ran", "run", "VERB"), PUNCT],
    [("Dogs", "dog", "NOUN"), ("sat", "sit", "VERB"), ("del", "", ""), ("de", "de", "ADP"),
     ("el", "el", "DET"), ("cat", "cat", "NOUN"), PUNCT],
]  # fmt: skip
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
            lines.append(f"{number}\t{form}\t{lemma}\t{upos}\t_\t_\t{head}\t{relation}\t_\t_")
        lines.append("")
    return "\n".join(lines) + "\n"


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
    from stanza.models import lemmatizer, mwt_expander, tagger, tokenizer

    folder = tmp_path_factory.mktemp("stanza")
    data, root = folder / "data", folder / "models"
    data.mkdir()
    text, labels = labelled(SENTENCES * 30)
    files = {
        "text": text + "\n\n",
        "labels": labels + "\n\n",
        "conllu": conllu(SENTENCES * 10),
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
    train(
        tagger,
        "pos",
        trees + "--lang en --no_pretrain --max_steps 30 --eval_interval 30 --fix_eval_interval "
        "--batch_size 100 --hidden_dim 16 --char_hidden_dim 16 --deep_biaff_hidden_dim 16 "
        "--word_emb_dim 16 --char_emb_dim 8 --tag_emb_dim 8 --transformed_dim 8 --dropout 0 "
        "--word_dropout 0 --lr 0.02 --augment_nopunct 0",
    )
    train(lemmatizer, "lemma", trees + "--dict_only")
    train(mwt_expander, "mwt", trees + "--gold_file {d}/conllu --lang en --dict_only")
    processors = ("tokenize", "mwt", "pos", "lemma")
    entry = {"lang_name": "English", "packages": {"default": dict.fromkeys(processors, "tiny")}}
    entry |= {name: {"tiny": {}} for name in processors}
    resources = {"en": entry, "english": {"alias": "en"}}
    (root / "resources.json").write_text(json.dumps(resources), encoding="utf-8")
    return root


def test_a_real_pipeline_tags_lemmatises_and_splits(tiny_stanza):
    sentences = annotate_text(TEXT, load_engine(f"stanza:en:{tiny_stanza}"))
    assert [" ".join(s.lemmas) for s in sentences] == [
        "the cat sit .", "a dog run .", "dog sit de el cat .",
    ]  # fmt: skip
    assert sentences[2].upos == ["NOUN", "VERB", "ADP", "DET", "NOUN", "PUNCT"]
    assert [TEXT[sentence.starts[0] : sentence.ends[-1]] for sentence in sentences] == [
        "The cats\nsat.", "A dog ran.", "Dogs sat del cat.",
    ]  # fmt: skip


def test_words_of_a_multiword_token_share_its_span(tiny_stanza):
    sentence = annotate_text(TEXT, load_engine(f"stanza:en:{tiny_stanza}"))[2]
    assert sentence.forms[2:4] == ["de", "el"]
    assert {TEXT[s:e] for s, e in zip(sentence.starts[2:4], sentence.ends[2:4], strict=True)} == {
        "del"
    }


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
    assert (info.name, info.language, info.has_upos, info.has_lemmas) == (
        "stanza:en", "en", True, True,
    )  # fmt: skip
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
