"""Multiple-choice models: their probabilities beside the library alone, cutting, refusals."""

import numpy as np
import pytest

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.lexicon.encoders.encoder_batches import TOO_LONG
from lexbeam.transforms.lexicon.encoders.loading_encoders import describe_encoder, load_encoder
from lexbeam.transforms.lexicon.encoders.model_heads import check_choices, choose

FIRST = "The cat was tired. Two dogs were hungry. Every bird sat in the garden."
CHOICES = ["A cat was hungry.", "A horse slept.", "Many birds waited.", "Two dogs.", "The house."]


@pytest.fixture(scope="module")
def choosing(tmp_path_factory, bert):
    """The folder of a multiple-choice model on the layers of a small one, its head drawn."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = str(tmp_path_factory.mktemp("choosing"))
    torch.manual_seed(1)
    model = transformers.AutoModelForMultipleChoice.from_pretrained(bert)
    with torch.no_grad():  # so that choices are far apart
        model.classifier.weight.mul_(50)
    model.eval().save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(bert).save_pretrained(folder)
    return folder


def wanted(folder, first, choices, length):
    """Return probabilities by the library alone, which cuts the first text, one by one."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForMultipleChoice.from_pretrained(folder).eval()
    room = length - max(len(tokenizer(one)["input_ids"]) + 1 for one in choices)
    scores = []
    for one in choices:
        pieces = tokenizer(first, add_special_tokens=False)["input_ids"][:room]
        own = tokenizer(one, add_special_tokens=False)["input_ids"]
        ids = [tokenizer.cls_token_id, *pieces, tokenizer.sep_token_id, *own, tokenizer.sep_token_id]
        types = [0] * (len(pieces) + 2) + [1] * (len(own) + 1)
        with torch.no_grad():
            found = model(
                input_ids=torch.tensor([[ids]]),
                token_type_ids=torch.tensor([[types]]),
                attention_mask=torch.ones(1, 1, len(ids), dtype=torch.long),
            )
        scores.append(found.logits.item())
    scores = np.exp(np.array(scores) - max(scores))
    return scores / scores.sum()


@pytest.mark.parametrize("length", [None, 40, 15])
def test_probabilities_are_the_library_s(choosing, length):
    encoder = load_encoder(choosing, device="cpu")
    found = choose(encoder, FIRST, CHOICES, max_length=length)
    assert found == pytest.approx(wanted(choosing, FIRST, CHOICES, length or 40), abs=1e-5)
    assert found.sum() == pytest.approx(1)
    assert np.ptp(found) > 1e-3  # far above what is allowed for rounding


def test_permuted_choices_have_permuted_probabilities(choosing):
    encoder = load_encoder(choosing, device="cpu")
    found = choose(encoder, FIRST, CHOICES)
    order = [3, 0, 4, 2, 1]
    assert choose(encoder, FIRST, [CHOICES[n] for n in order]) == pytest.approx(found[order], abs=1e-6)


def test_the_first_text_is_cut_and_no_choice(choosing):
    encoder = load_encoder(choosing, device="cpu")
    long = "Two cats were hungry. " * 30
    found = choose(encoder, long, CHOICES, max_length=16)
    assert (choose(encoder, long + "More.", CHOICES, max_length=16) == found).all()
    assert (choose(encoder, "Many birds " + long, CHOICES, max_length=16) != found).any()
    assert choose(encoder, long, [*CHOICES, long]) == TOO_LONG
    # A choice has five words, of one piece at least; three pieces stand around the texts.
    assert choose(encoder, long, CHOICES, max_length=7) == TOO_LONG


def test_others_are_refused(bert, choosing):
    assert describe_encoder(choosing).choices
    with pytest.raises(UsageError, match="no multiple-choice model"):
        check_choices(describe_encoder(bert))
    with pytest.raises(UsageError, match="ForMultipleChoice"):
        choose(load_encoder(bert, device="cpu"), FIRST, CHOICES)
