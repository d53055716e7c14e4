"""Features of an encoder against transformers alone, with a small model made on the spot."""

import math
from importlib.util import find_spec

import numpy as np
import pytest
from featured import computed, instance
from small_encoders import trained

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.complexity.features.base import FeatureSetting
from lexbeam.transforms.complexity.features.vectors import encoding_of
from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions
from lexbeam.transforms.lexicon.resources import Lexicon

pytestmark = pytest.mark.skipif(find_spec("transformers") is None, reason="needs transformers")
TEXT = "Many birds slept in the garden, and two kitchens was hungry."
ROWS = [
    instance("garden", TEXT),
    instance("kitchens", TEXT),
    instance("two kitchens", TEXT),
    instance("cat", "The cat was tired."),
    instance("cat"),
    instance("dog", "No one."),
]


@pytest.fixture(scope="module")
def folder(made_once):
    return made_once("encoder-bert", lambda folder: trained(folder, "bert"))


def setting_of(folder, **more):
    options = EncoderOptions(encoder=folder, device="cpu", **more)
    return FeatureSetting(("encoder",), Lexicon(), (), (), encoder=encoding_of(options))


class Bare:
    """Transformers alone: states of the last layer, log-probabilities, by piece."""

    def __init__(self, folder):
        import torch
        import transformers

        self.torch = torch
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()

    def run(self, text, masked=()):
        found = self.tokenizer(text, return_offsets_mapping=True, return_tensors="pt")
        offsets = found.pop("offset_mapping")[0].tolist()
        ids = found["input_ids"][0].clone()
        for place in masked:
            found["input_ids"][0, place] = self.tokenizer.mask_token_id
        with self.torch.no_grad():
            made = self.model(**found, output_hidden_states=True)
        states = made.hidden_states[-1][0].double().numpy()
        return ids, offsets, states, made.logits[0].double().log_softmax(-1).numpy()

    def places(self, text, start, end):
        _, offsets, _, _ = self.run(text)
        return [n for n, (a, b) in enumerate(offsets) if a < b and a < end and b > start]

    def vector(self, text, start, end):
        return self.run(text)[2][self.places(text, start, end)].mean(axis=0)

    def bits(self, text, start, end, left_to_right):
        places = self.places(text, start, end)
        found = []
        for rank, place in enumerate(places):
            hidden = places[rank:] if left_to_right else places
            ids, _, _, scores = self.run(text, hidden)
            found.append(-scores[place, ids[place]] / math.log(2))
        return found


def distance(a, b):
    return 1 - a @ b / np.linalg.norm(a) / np.linalg.norm(b)


def test_against_transformers_alone(folder):
    bare = Bare(folder)
    found = computed(setting_of(folder), *ROWS)
    for row, made in zip(ROWS[:4], found, strict=False):
        text, start, end, word = row["sentence"], row["start"], row["end"], row["token"]
        own = bare.vector(text, start, end)
        assert made["encoder_pieces"] == len(bare.places(text, start, end))
        assert made["encoder_norm"] == pytest.approx(np.linalg.norm(own), rel=1e-4)
        assert made["encoder_sentence"] == pytest.approx(distance(own, bare.vector(text, 0, len(text))), abs=1e-5)
        assert made["encoder_alone"] == pytest.approx(distance(own, bare.vector(word, 0, len(word))), abs=1e-5)
        bits = bare.bits(text, start, end, left_to_right=True)
        assert made["encoder_surprisal"] == pytest.approx(sum(bits), rel=1e-3, abs=1e-4)
        bits = bare.bits(text, start, end, left_to_right=False)
        assert made["encoder_surprisal_piece"] == pytest.approx(np.mean(bits), rel=1e-3, abs=1e-4)
        np.testing.assert_allclose(made["encoder_vector"], own, atol=1e-4)
        np.testing.assert_allclose(made["encoder_vector_alone"], bare.vector(word, 0, len(word)), atol=1e-4)
        parts = word.split() if len(word.split()) > 1 else []
        for of, part in zip(("first", "last"), parts, strict=False):
            begin = start + word.index(part)
            in_place = bare.vector(text, begin, begin + len(part))
            np.testing.assert_allclose(made[f"encoder_vector_{of}"], in_place, atol=1e-4)
            by_itself = bare.vector(part, 0, len(part))
            np.testing.assert_allclose(made[f"encoder_vector_alone_{of}"], by_itself, atol=1e-4)
        assert (made["encoder_vector_first"] is None) == (not parts)
    assert found[1]["encoder_pieces"] > 1
    # What no sentence has, and a target that is not in its sentence.
    for made in found[4:]:
        assert {value for name, value in made.items() if name.startswith("encoder")} == {None}


def test_an_instance_does_not_depend_on_others(folder):
    setting = setting_of(folder)
    together = computed(setting, *ROWS)
    assert together == [computed(setting, row)[0] for row in ROWS]


def test_a_word_that_fits_is_less_surprising(folder):
    fits, odd = computed(
        setting_of(folder), instance("was", "The cat was tired."), instance("were", "The cat were tired.")
    )
    assert fits["encoder_surprisal"] < odd["encoder_surprisal"]


def test_layers_that_are_not_there(folder):
    with pytest.raises(UsageError, match="layers that are not there"):
        setting_of(folder, layers="7")
