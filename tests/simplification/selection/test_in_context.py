"""Filter context: target and candidate read in the sentence, against transformers alone."""

import numpy as np
import pytest

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions, encoding_of
from lexbeam.transforms.simplification.records import Instance
from lexbeam.transforms.simplification.selection.candidate_filter import (
    CandidateState,
    InstanceCandidates,
    Selecting,
    SelectionOptions,
)
from lexbeam.transforms.simplification.selection.candidate_selection import (
    SelectionFiles,
    check_selection,
    selection_of,
)
from lexbeam.transforms.simplification.selection.filters import FILTERS
from lexbeam.transforms.simplification.selection.sentence_filters import WINDOW

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow


def by_hand(folder, sentence, start, end):
    """The mean of the last layer over the pieces of a word, by transformers alone."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    encoded = tokenizer(sentence, return_offsets_mapping=True, return_tensors="pt")
    offsets = encoded.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        states = model(**encoded).last_hidden_state[0].numpy().astype(float)
    return np.mean([state for state, (a, b) in zip(states, offsets, strict=True) if a < end and b > start], axis=0)


def group(before, target, after, *states):
    sentence = f"{before}{target}{after}"
    instance = Instance("1", "es", sentence, target, len(before), len(before) + len(target), None, None, None)
    return InstanceCandidates(instance, list(states))


def state(form, before=None):
    return CandidateState(form, form, None, before, 1.0, None)


def filtered(folder, *groups, least=-1.0):
    encoding = encoding_of(EncoderOptions(encoder=folder, device="cpu"))
    FILTERS["context"].drop(groups, Selecting(SelectionOptions(least_context=least), encoder=encoding))
    return {one.form: (one.context, one.reason) for made in groups for one in made.states}


def test_the_cosine_is_that_of_both_words_in_the_sentence(bert):
    asked = {"parque": None, "jardín": None, "casa": "la"}
    made = group("El gato duerme en el ", "bosque", ".", *(state(form, before) for form, before in asked.items()))
    of_target = by_hand(bert, made.instance.sentence, made.instance.start, made.instance.end)
    found = filtered(bert, made)
    for form, before in asked.items():
        left = f"El gato duerme en {before or 'el'} "
        vector = by_hand(bert, f"{left}{form}.", len(left), len(left) + len(form))
        cosine = vector @ of_target / np.linalg.norm(vector) / np.linalg.norm(of_target)
        assert found[form] == (pytest.approx(cosine, abs=1e-5), None)
    # What is below the threshold is dropped, and what was dropped before is not looked at.
    least = sorted(cosine for cosine, _ in found.values())[1]
    gone = group("El gato duerme en el ", "bosque", ".", *(state(form, before) for form, before in asked.items()))
    gone.states[2].reason = "merged"
    again = filtered(bert, gone, least=least)
    assert again["casa"] == (None, "merged")
    for form in ("parque", "jardín"):
        assert again[form] == (found[form][0], "below_context" if found[form][0] < least else None)


def test_values_do_not_depend_on_other_instances_or_on_words_far_away(bert):
    far = " ".join(["niño"] * WINDOW)
    near = group("El gato duerme. ", "bosque", "", state("parque"))
    alone = filtered(bert, near)["parque"]
    others = [group("El ", "niño", " come.", state("gato")), group("El gato duerme. ", "bosque", "", state("parque"))]
    assert filtered(bert, *others)["parque"] == alone
    seen = filtered(bert, group(f"{far} ", "bosque", f" {far}", state("parque")))["parque"]
    more = group(f"casa {far} ", "bosque", f" {far} casa", state("parque"))
    assert filtered(bert, more)["parque"] == seen != alone


def test_what_has_no_vector_goes_on(bert):
    found = filtered(bert, group("El ", "bosque", ".", state("\u200b"), state("parque")), least=1.0)
    assert found["\u200b"] == (None, None)
    assert found["parque"][1] == "below_context"


def test_only_settings_that_use_it_have_the_encoder(bert):
    settings = {"a": SelectionOptions(), "b": SelectionOptions(filters=("context",))}
    with pytest.raises(UsageError, match=r"setting b filters by context, which needs .*`encoder`"):
        check_selection(settings, SelectionFiles(), None)
    selection = selection_of(settings, SelectionFiles(encoder=bert), None)
    assert selection["a"].encoder is None
    assert selection["b"].encoder is not None
