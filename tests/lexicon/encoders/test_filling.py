import dataclasses

import numpy as np
import pytest

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.lexicon.encoders.encoder_batches import Spans
from lexbeam.transforms.lexicon.encoders.loading_encoders import load_encoder
from lexbeam.transforms.lexicon.encoders.model_heads import fill_mask, greatest
from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions

TEXTS = ["The cat was tired.", "Two dogs were hungry.", "Many birds slept in the garden."]
STARTS, ENDS = [4, 9, 24], [7, 13, 30]
ANIMALS = {"cat", "dog", "bird", "horse"}


def mask(bare, text, start, end):
    return text[:start] + bare.tokenizer.mask_token + text[end:]


def masked_logits(bare, text, first=None):
    ids, _, _, logits = bare.run(text, first)
    return logits[(ids == bare.tokenizer.mask_token_id).nonzero()[0, 0]]


def test_a_trained_model_fills_places_with_sense(encoder):
    found = fill_mask(encoder, TEXTS, STARTS, ENDS, 4)
    assert {word.rstrip("s") for word in found.words[0]} <= ANIMALS
    assert {"was", "were"} <= set(found.words[1])
    assert found.words[1][0] in {"was", "were"}


def test_fills_are_those_of_the_pipeline_of_transformers(encoder, bare):
    import transformers

    pipeline = transformers.pipeline("fill-mask", model=bare.folder, device=-1)
    found = fill_mask(encoder, TEXTS, STARTS, ENDS, 12)
    special = bare.tokenizer.all_special_ids
    for number, (text, start, end) in enumerate(zip(TEXTS, STARTS, ENDS, strict=True)):
        expected = [
            fill
            for fill in pipeline(mask(bare, text, start, end), top_k=12 + len(special))
            if fill["token"] not in special
        ][:12]
        scores = [fill["score"] for fill in expected]
        np.testing.assert_allclose(found.probabilities[number], scores, atol=1e-6)
        assert found.ids[number].tolist() == [fill["token"] for fill in expected]
        assert found.words[number] == [fill["token_str"].strip().removeprefix("##") for fill in expected]


def test_a_segment_may_stand_before_the_masked_text(encoder, bare):
    spans = Spans(TEXTS, STARTS, ENDS)
    found = fill_mask(encoder, TEXTS, STARTS, ENDS, 80, first=spans)
    for number, (text, start, end) in enumerate(zip(TEXTS, STARTS, ENDS, strict=True)):
        logits = masked_logits(bare, mask(bare, text, start, end), first=text)
        expected = logits.softmax(-1)[found.ids[number]]
        np.testing.assert_allclose(found.probabilities[number], expected, atol=1e-6)
    alone = fill_mask(encoder, TEXTS, STARTS, ENDS, 80)
    assert np.abs(alone.probabilities - found.probabilities).max() > 1e-3


def test_all_of_the_vocabulary_but_special_pieces_can_be_had(encoder, bare):
    size, special = len(bare.tokenizer), set(bare.tokenizer.all_special_ids)
    found = fill_mask(encoder, TEXTS, STARTS, ENDS, 10_000)
    assert found.ids.shape == (3, size - len(special))
    assert all(set(row) == set(range(size)) - special for row in found.ids.tolist())
    assert (np.diff(found.probabilities) <= 0).all()


def test_pieces_that_continue_a_word_are_flagged(encoder, bare):
    found = fill_mask(encoder, TEXTS[:1], [4], [7], 10_000)
    raw = bare.tokenizer.convert_ids_to_tokens(found.ids[0].tolist())
    word_piece = "[MASK]" in bare.tokenizer.get_vocab()
    expected = [p.startswith("##") if word_piece else not p.startswith("Ġ") for p in raw]
    assert found.continues[0].tolist() == expected
    assert 0 < sum(expected) < len(expected)
    assert not {word for word in found.words[0] if word.startswith(("##", "Ġ", " "))}


@pytest.mark.parametrize(("text", "start", "end"), [("The cat.", 0, 3), ("A (cat)!", 3, 6)])
def test_where_words_have_no_mark_before_them_none_is_flagged(roberta, text, start, end):
    found = fill_mask(load_encoder(roberta, device="cpu"), [text], [start], [end], 200)
    assert not found.continues.any()


def test_the_window_of_each_segment_keeps_its_target(encoder, bare):
    text = "Two dogs were hungry. " * 12 + "The cat was tired. " + "Two dogs were hungry. " * 12
    start = text.index("was")
    seen = []

    def log_probs(batch, rows, columns):
        seen.append(bare.tokenizer.decode(batch.ids[0]))
        assert batch.ids.shape == (1, 40)
        assert batch.ids[rows, columns].tolist() == [bare.tokenizer.mask_token_id]
        return encoder.masked_lm.log_probs(batch, rows, columns)

    model = dataclasses.replace(encoder.masked_lm, log_probs=log_probs)
    watched = dataclasses.replace(encoder, masked_lm=model)
    spans = [text], [start], [start + 3]
    fill_mask(watched, *spans, 2)
    fill_mask(watched, *spans, 2, first=Spans(*spans))
    shown = [" ".join(one.lower().replace(".", " . ").replace("<", " <").split()) for one in seen]
    masked = f"the cat {bare.tokenizer.mask_token.lower()} tired ."
    assert [one.count(masked) for one in shown] == [1, 1]
    assert [one.count("the cat was tired .") for one in shown] == [0, 1]
    assert shown[1].index("the cat was tired .") < shown[1].index(masked)


def test_a_span_of_the_segment_before_that_does_not_fit_is_a_reason(encoder):
    text = "Two dogs were hungry. " * 12
    found = fill_mask(encoder, [text, text], [9, 9], [13, 13], 3, first=Spans([text, text], [0, 0], [250, 0]))
    assert found.reasons == ["too_long", None]
    assert found.words[0] == []
    assert found.ids[0].tolist() == [-1] * 3
    assert np.isnan(found.probabilities[0]).all()


def test_masks_in_the_text_itself_are_text(encoder, bare):
    text = f"The {bare.tokenizer.mask_token} cat was {bare.tokenizer.sep_token} tired."
    start = text.index("was")
    found = fill_mask(encoder, [text], [start], [start + 3], 5)
    plain = text.replace("[", " ").replace("<", " ")
    at = plain.index("was")
    logits = masked_logits(bare, mask(bare, plain, at, at + 3))
    np.testing.assert_allclose(found.probabilities[0], logits.softmax(-1)[found.ids[0]], atol=1e-6)


def test_ties_go_by_id(encoder):
    def log_probs(batch, rows, columns):
        flat = np.full((len(rows), 400), -4.0, np.float32)
        flat[:, [41, 17]] = -3.0
        return flat

    model = dataclasses.replace(encoder.masked_lm, log_probs=log_probs)
    found = fill_mask(dataclasses.replace(encoder, masked_lm=model), TEXTS, STARTS, ENDS, 5)
    plain = [n for n in range(400) if n not in encoder.masked_lm.special | {17, 41}]
    assert found.ids.tolist() == [[17, 41, *plain[:3]]] * 3


def test_rows_of_a_model_without_a_piece_are_no_words(bert, tmp_path):
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(bert)
    model = transformers.AutoModelForMaskedLM.from_pretrained(bert)
    model.resize_token_embeddings(len(tokenizer) + 7)
    for one in (tokenizer, model):
        one.save_pretrained(tmp_path)
    found = fill_mask(load_encoder(str(tmp_path), device="cpu"), TEXTS, STARTS, ENDS, 10_000)
    assert found.ids.shape == (3, len(tokenizer) - len(tokenizer.all_special_ids))
    assert found.ids.max() < len(tokenizer)


@pytest.mark.parametrize("count", [1, 3, 40])
def test_the_greatest_are_those_of_a_stable_sort(count):
    values = np.random.default_rng(count).integers(0, 9, 40).astype(np.float32)
    expected = sorted(range(40), key=lambda n: (-values[n], n))[:count]
    assert greatest(values, count).tolist() == expected


def test_an_encoder_that_is_no_masked_language_model_says_so(encoder):
    plain = dataclasses.replace(encoder, masked_lm=None)
    with pytest.raises(LexbeamError, match="is no masked language model"):
        fill_mask(plain, TEXTS, STARTS, ENDS, 5)


def test_no_places_have_no_words(encoder):
    found = fill_mask(encoder, [], [], [], 5)
    assert (found.words, found.ids.shape, found.reasons) == ([], (0, 5), [])
    options = EncoderOptions(max_length=8)
    long = "cat " * 30
    assert fill_mask(encoder, [long], [0], [3], 2, options=options).reasons == [None]
