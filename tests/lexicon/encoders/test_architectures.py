"""Other models than BERT's and RoBERTa's: small ones with random weights and BERT's tokenizer."""

import numpy as np
import pytest

from lexbeam.transforms.lexicon.encoders.loading_encoders import describe_encoder, load_encoder
from lexbeam.transforms.lexicon.encoders.model_heads import fill_mask
from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions, span_vectors

TEXT = "The cat was tired."
SHAPE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
SHAPES = {
    "albert": {**SHAPE, "embedding_size": 16},
    "camembert": SHAPE,
    "deberta-v2": {**SHAPE, "relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
    "distilbert": {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64},
    "electra": {**SHAPE, "embedding_size": 16},
    "modernbert": {**SHAPE, "cls_token_id": 2, "sep_token_id": 3, "local_attention": 8},
    "mpnet": {**SHAPE, "pad_token_id": 1, "max_position_embeddings": 42},
    "xlm-roberta": SHAPE,
}


@pytest.fixture(scope="module")
def make(bert, tmp_path_factory):
    """A function that saves a model of a type, and returns its folder."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(bert)

    def make(kind):
        torch.manual_seed(1)
        shape = {"vocab_size": len(tokenizer), "pad_token_id": 0, "max_position_embeddings": 41}
        if kind != "distilbert":
            shape["intermediate_size"] = 64
        config = transformers.AutoConfig.for_model(kind, **{**shape, **SHAPES[kind]})
        folder = str(tmp_path_factory.mktemp(kind))
        transformers.AutoModelForMaskedLM.from_config(config).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return folder

    return make


@pytest.mark.slow
@pytest.mark.parametrize("kind", SHAPES)
def test_any_masked_language_model_does(make, kind):
    import torch
    import transformers

    folder = make(kind)
    info = describe_encoder(folder)
    assert (info.masked, info.dim, info.layers, info.max_length) == (True, 32, 2, 40)
    encoder = load_encoder(folder, device="cpu")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    ids = tokenizer(TEXT.replace("cat", "[MASK]"), return_tensors="pt")["input_ids"]
    with torch.no_grad():
        bare = model(ids, output_hidden_states=True)
    fills = fill_mask(encoder, [TEXT, TEXT + " Two dogs."], [4, 4], [7, 7], 1000)
    expected = bare.logits[0, 2].softmax(-1)[fills.ids[0]]
    np.testing.assert_allclose(fills.probabilities[0], expected, atol=1e-6)
    masked = TEXT.replace("cat", "xyz")
    whole = tokenizer(masked, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        states = model(whole, output_hidden_states=True).hidden_states
    for layers, states_of in (("-1", states[-1]), ("1", states[1])):
        found = span_vectors(encoder, [masked], [0], [3], options=EncoderOptions(layers=layers))
        if kind != "modernbert" or layers == "1":  # its last layer is normalised once more
            np.testing.assert_allclose(found.vectors[0], states_of[0, 1], atol=1e-5)
    # As long a text as it says that it takes.
    assert span_vectors(encoder, ["cat " * 99], [200], [203]).reasons == [None]
