"""Small real encoders, each made once for all tests."""

import pytest
from small_encoders import trained

from lexbeam.transforms.lexicon.encoders.loading_encoders import load_encoder


@pytest.fixture(scope="session")
def bert(made_once):
    """The folder of a masked language model with WordPiece, two layers, 32 dimensions."""
    return made_once("encoder-bert", lambda folder: trained(folder, "bert"))


@pytest.fixture(scope="session")
def roberta(made_once):
    """The folder of one with BPE of bytes, which gives spaces to the words after them."""
    return made_once("encoder-roberta", lambda folder: trained(folder, "roberta"))


@pytest.fixture(params=["bert", "roberta"])
def encoder(request):
    """Either, loaded on the CPU."""
    return load_encoder(request.getfixturevalue(request.param), device="cpu")


class Bare:
    """Transformers without us: one text at a time, no padding."""

    def __init__(self, folder):
        import torch
        import transformers

        self.torch = torch
        self.folder = folder
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()

    def run(self, text, first=None):
        """Return the ids, the offsets of the text's pieces, the states by layer and the logits."""
        texts = (text,) if first is None else (first, text)
        found = self.tokenizer(*texts, return_offsets_mapping=True, return_tensors="pt")
        offsets = found.pop("offset_mapping")[0].tolist()
        if first is not None and self.model.config.type_vocab_size > 1:
            found["token_type_ids"] = self.types(first, text)
        with self.torch.no_grad():
            made = self.model(**found, output_hidden_states=True)
        return found["input_ids"][0], offsets, made.hidden_states, made.logits[0]

    def types(self, first, text):
        """Return zeros for the first segment with its special pieces, ones for the second."""
        one = len(self.tokenizer(first)["input_ids"])
        both = len(self.tokenizer(first, text)["input_ids"])
        return self.torch.tensor([[0] * one + [1] * (both - one)])


@pytest.fixture
def bare(encoder, request):
    """Transformers alone with the model of `encoder`."""
    return Bare(request.getfixturevalue(request.node.callspec.params["encoder"]))
