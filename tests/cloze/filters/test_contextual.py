"""Contextual similarity against transformers alone, sentence by sentence."""

from importlib.util import find_spec
from itertools import pairwise

import numpy as np
import pytest
from asked import batch, pair, said
from small_encoders import trained

from lexbeam.transforms.cloze.filters.candidate_options import CandidateOptions, filter_request
from lexbeam.transforms.cloze.filters.cloze_filter import FilterSetting
from lexbeam.transforms.cloze.filters.cloze_filters import FILTERS
from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions, encoding_of
from lexbeam.transforms.lexicon.resources import Lexicon

pytestmark = pytest.mark.skipif(find_spec("transformers") is None, reason="needs transformers")
ROWS = [
    pair("Many birds slept . The garden", "The cat was tired . Two kitchens and birds ."),
    pair("hungry kitchens", "Many birds , tired", 1),
    pair("birds", ", .", 2),
]


@pytest.fixture(scope="module")
def folder(made_once):
    return made_once("encoder-bert", lambda folder: trained(folder, "bert"))


def setting_of(folder, **more):
    options = EncoderOptions(encoder=folder, device="cpu", **more)
    return FilterSetting(Lexicon(), encoder=encoding_of(options), thresholds={"contextual": 0.85})


def asked(setting, *rows, some=None):
    pairs = batch(*rows)
    words = pairs.asked if some is None else pairs.asked[some]
    return said(FILTERS["contextual"].evaluate(pairs, words, setting))


def sentences(row, side):
    """Return sentences as lists of forms."""
    firsts = [*row[f"{side}_sentences"], len(row[f"{side}_forms"])]
    return [row[f"{side}_forms"][a:b] for a, b in pairwise(firsts)]


def vectors(model, tokenizer, forms):
    """Return the mean of the states of each word's pieces, of words."""
    import torch

    encoded = tokenizer(" ".join(forms), return_offsets_mapping=True, return_tensors="pt")
    offsets = encoded.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        states = model(**encoded).last_hidden_state[0].double().numpy()
    start = 0
    for form in forms:
        end = start + len(form)
        states_of_word = [
            state for (a, b), state in zip(offsets, states, strict=True) if a < end and b > start and b > a
        ]
        if form.isalnum():
            yield form, np.mean(states_of_word, axis=0)
        start = end + 1


def test_the_greatest_cosine_of_words_in_their_sentences(folder):
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()

    def words(row, side):
        return [one for forms in sentences(row, side) for one in vectors(model, tokenizer, forms)]

    found = iter(asked(setting_of(folder), *ROWS))
    for row in ROWS:
        others = words(row, "passage")
        for _, own in words(row, "summary"):
            value, match, passed = next(found)
            if not others:
                assert (value, match, passed) == (None, None, None)
                continue
            cosines = [own @ v / np.linalg.norm(own) / np.linalg.norm(v) for _, v in others]
            assert value == pytest.approx(max(cosines), abs=1e-5)
            assert match == others[int(np.argmax(cosines))][0]
            assert passed == (value < 0.85)
    assert next(found, None) is None


def test_a_pair_says_the_same_whatever_is_beside_it(folder):
    setting = setting_of(folder)
    whole = asked(setting, *ROWS)
    assert [verdict for row in ROWS for verdict in asked(setting, row)] == whole
    assert asked(setting, *ROWS, some=[]) == []


def test_layer_and_pooling_count(folder):
    values = {
        tuple(value for value, *_ in asked(setting_of(folder, **more), ROWS[0]))
        for more in ({}, {"layers": "0"}, {"pooling": "first", "layers": "-2..-1"})
    }
    assert len(values) == 3


@pytest.mark.parametrize(
    ("stated", "thresholds", "quantiles"), [("0.3", {"contextual": 0.3}, {}), ("quantile:0.9", {}, {"contextual": 0.9})]
)
def test_the_threshold_is_what_the_option_says(folder, tmp_path, stated, thresholds, quantiles):
    options = CandidateOptions(
        kind=("imperceptibility",),
        filters=("contextual",),
        encoder=folder,
        contextual_threshold=stated,
        cache=str(tmp_path),
    )
    request = filter_request(options, without=["abstractness"])
    assert request.candidates.setting.thresholds == thresholds
    assert request.quantiles == quantiles
