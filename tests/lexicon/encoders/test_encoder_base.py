import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from outsiders import blocks_of, entry_of

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store.models import model_digest
from lexbeam.transforms.lexicon.encoders import loading_encoders
from lexbeam.transforms.lexicon.encoders.loading_encoders import describe_encoder, load_encoder
from lexbeam.transforms.lexicon.encoders.model_heads import fill_mask
from lexbeam.transforms.lexicon.encoders.span_vectors import span_vectors

ROOT = Path(__file__).resolve().parents[3]


def changed(folder, target, **values):
    """Copy a model with another configuration; None takes a value away."""
    shutil.copytree(folder, target)
    path = target / "config.json"
    config = {**json.loads(path.read_text("utf-8")), **values}
    path.write_text(json.dumps({k: v for k, v in config.items() if v is not None}), "utf-8")
    return str(target)


def test_an_encoder_is_described_without_its_weights(bert, roberta):
    program = (
        "import sys; from lexbeam.transforms.lexicon.encoders.loading_encoders import describe_encoder\n"
        f"for path in ({bert!r}, {roberta!r}):\n"
        "    info = describe_encoder(path)\n"
        "    print(info.masked, info.dim, info.layers, info.max_length, info.digest)\n"
        "print('torch' in sys.modules, 'transformers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    first, second, loaded = done.stdout.splitlines()
    assert first == f"True 32 2 40 {model_digest(bert)}"
    assert second == f"True 32 2 40 {model_digest(roberta)}"
    assert loaded == "False False"


def test_a_description_holds_no_path(bert):
    info = describe_encoder(f"transformers:{bert}")
    assert info == describe_encoder(bert)
    assert info.name == f"transformers:{os.path.basename(bert)}"
    assert info.digest[:32] in info.fingerprint
    assert os.sep not in info.fingerprint


def test_positions_after_the_padding_are_lost(roberta, tmp_path):
    folder = changed(roberta, tmp_path / "model")
    (tmp_path / "model" / "tokenizer_config.json").unlink()
    assert describe_encoder(folder).max_length == 40  # of 42
    positions = changed(folder, tmp_path / "none", max_position_embeddings=None)
    assert describe_encoder(positions).max_length == 512


def test_an_encoder_that_is_no_masked_language_model_gives_vectors_alone(bert, tmp_path):
    import transformers

    folder = str(tmp_path / "plain")
    transformers.AutoModel.from_pretrained(bert).save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(bert).save_pretrained(folder)
    assert not describe_encoder(folder).masked
    plain = load_encoder(folder, device="cpu")
    arguments = ["The cat was tired."], [4], [7]
    np.testing.assert_array_equal(
        span_vectors(plain, *arguments).vectors, span_vectors(load_encoder(bert, device="cpu"), *arguments).vectors
    )
    with pytest.raises(LexbeamError, match="is no masked language model"):
        fill_mask(plain, *arguments, 5)


def test_what_is_missing_in_a_folder_is_named(bert, tmp_path):
    with pytest.raises(UsageError, match=r"no encoder at .*save_pretrained"):
        describe_encoder(str(tmp_path / "nowhere"))
    for name, message in (
        ("config.json", "no configuration"),
        ("tokenizer.json", "no tokenizer"),
        ("model.safetensors", "no weights as safetensors"),
    ):
        folder = tmp_path / name
        shutil.copytree(bert, folder)
        (folder / name).unlink()
        with pytest.raises(UsageError, match=f"{message} .*save_pretrained"):
            describe_encoder(str(folder))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"auto_map": {"AutoModel": "code.Model"}}, "never run"),
        ({"is_encoder_decoder": True}, "an encoder and a decoder"),
        ({"hidden_size": None}, "has none of hidden_size"),
        ({"num_hidden_layers": None}, "has none of num_hidden_layers"),
    ],
)
def test_models_that_are_not_taken_say_why(bert, tmp_path, values, message):
    with pytest.raises(UsageError, match=message):
        describe_encoder(changed(bert, tmp_path / "model", **values))


def test_a_broken_configuration_is_an_error(bert, tmp_path):
    folder = changed(bert, tmp_path / "model")
    (tmp_path / "model" / "config.json").write_text("[]")
    with pytest.raises(UsageError, match=r"config.json of the encoder .* cannot be read"):
        describe_encoder(folder)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"intermediate_size": 48}, "lacks weights|cannot be loaded"),
        ({"num_hidden_layers": 3}, r"lacks weights \(\['bert.encoder.layer.2"),
        ({"model_type": "no-such-type"}, "another version of transformers"),
    ],
)
def test_weights_that_do_not_fit_are_an_error(bert, tmp_path, values, message):
    folder = changed(bert, tmp_path / "model", **values)
    with pytest.raises(LexbeamError, match=message):
        load_encoder(folder, device="cpu")


def test_damaged_weights_are_an_error(bert, tmp_path):
    folder = changed(bert, tmp_path / "model")
    weights = tmp_path / "model" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(LexbeamError, match="cannot be loaded"):
        load_encoder(folder, device="cpu")


def test_a_tokenizer_that_knows_no_word_is_an_error(bert, tmp_path):
    folder = tmp_path / "empty"
    shutil.copytree(bert, folder)
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text())
    vocabulary = content["model"]["vocab"]
    content["model"]["vocab"] = {piece: number for piece, number in vocabulary.items() if piece.startswith("[")}
    path.write_text(json.dumps(content))
    with pytest.raises(LexbeamError, match=r"tokenizer of encoder .*empty.* knows no word: .* all special"):
        load_encoder(str(folder), device="cpu")


def test_a_missing_extra_is_named(bert, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UsageError, match=r"needs the Python package torch: .*\btransformers\b"):
        describe_encoder(bert)


def test_an_encoder_is_loaded_once_per_process(bert):
    found = []
    threads = [threading.Thread(target=lambda: found.append(load_encoder(bert, device="cpu"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(encoder) for encoder in found}) == 1
    assert found[0].device == "cpu"


def test_another_model_than_was_described_is_an_error(bert, roberta):
    assert load_encoder(bert, device="cpu", digest=model_digest(bert)).info.masked
    with pytest.raises(LexbeamError, match="is another model on this machine"):
        load_encoder(bert, device="cpu", digest=model_digest(roberta))


def test_a_model_that_is_replaced_in_its_place_is_loaded_anew(bert, roberta, tmp_path):
    folder = tmp_path / "model"
    for model in (bert, roberta):  # a watch refreshes with one and then with the other, in one process
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(model, folder)
        digest = describe_encoder(str(folder)).digest
        found = load_encoder(str(folder), device="cpu", digest=digest)
        assert found.info.digest == digest == model_digest(model)
        both = (found, load_encoder(model, device="cpu"))
        vectors, wanted = (span_vectors(each, ["the sea"], [4], [7]).vectors for each in both)
        assert np.array_equal(vectors, wanted)


def test_a_device_that_is_not_there_is_an_error(bert, monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(loading_encoders, "_LOADED", {})
    with pytest.raises(UsageError, match="`encoder_device` is cuda"):
        load_encoder(bert, device="cuda")
    assert load_encoder(bert, device="auto").device == "cpu"


def test_a_kind_of_encoder_is_added_from_outside_as_contributing_says(outsider, monkeypatch):
    (code,) = blocks_of("Add an encoder")
    group, entry = entry_of("Add an encoder")
    outsider(group, entry, toy_letters=code)
    kind = entry.partition("=")[0].strip()
    try:
        encoder = load_encoder(f"{kind}:8", device="cpu")
        found = span_vectors(encoder, ["The cat.", "A cat"], [4, 2], [7, 5])
        assert found.vectors.shape == (2, 8)
        np.testing.assert_array_equal(found.vectors[0], found.vectors[1])
        assert describe_encoder(f"{kind}:8") == encoder.info
    finally:
        loading_encoders._LOADED.pop((f"{kind}:8", "cpu"), None)
    with pytest.raises(UsageError, match=f"unknown kind .*did you mean '{kind}'"):
        describe_encoder(f"{kind[:-1]}:8")


def test_the_example_of_the_docs(bert):
    page = (ROOT / "docs" / "reference" / "encoders.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names = {}
    exec(code.replace("models/bert-base-uncased", bert), names)
    assert names["reasons"] == [None]
    assert names["vectors"].shape == (1, 32)
    assert len(names["fills"].words[0]) == 80
    assert names["scores"].pieces[0].tolist() == [1, 2]


def test_the_command_of_the_docs_makes_an_encoder(bert, tmp_path, monkeypatch):
    page = (ROOT / "docs" / "reference" / "encoders.md").read_text("utf-8")
    (code,) = re.findall(r'^    python -c "(from transformers .*)"$', page, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    exec(code.replace("google-bert/bert-base-uncased", bert), {})
    found = describe_encoder("models/bert-base-uncased")
    assert (found.masked, found.dim) == (True, 32)
