import numpy as np
import pytest

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.lexicon.encoders.encoder_batches import Spans
from lexbeam.transforms.lexicon.encoders.model_heads import SCORINGS, word_log_probs
from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions

TEXT, START, END = "Two birds slept in the garden.", 23, 29
WORDS = ["park", "kitchens", "birdhouse", "xyzzy", "garden", "été"]


def pieces_in_place(bare, word, text=TEXT, start=START, end=END):
    """Return the ids of a text with a word put in, and which of them are the word's."""
    whole = text[:start] + word + text[end:]
    ids, offsets, _, _ = bare.run(whole)
    # The space before a word is its first piece's, or a piece by itself.
    return ids, [n for n, (s, _) in enumerate(offsets) if start - 1 <= s < start + len(word)]


def reference(bare, word, known):
    """Return the sum of log-probabilities, one run of the model for each piece."""
    ids, mine = pieces_in_place(bare, word)
    total = 0.0
    for index, place in enumerate(mine):
        masked = ids.clone()
        masked[[p for i, p in enumerate(mine) if not known(i, index)]] = bare.tokenizer.mask_token_id
        with bare.torch.no_grad():
            logits = bare.model(masked[None]).logits[0, place]
        total += float(logits.log_softmax(-1)[ids[place]])
    return total, len(mine)


KNOWN = {
    "masked": lambda other, index: False,
    "left_to_right": lambda other, index: other < index,
    "pseudo": lambda other, index: other != index,
}


@pytest.mark.parametrize("scoring", SCORINGS)
@pytest.mark.parametrize("batch_size", [2, 32])
def test_scores_are_those_of_bare_transformers(encoder, bare, scoring, batch_size):
    found = word_log_probs(
        encoder,
        [TEXT, TEXT],
        [START] * 2,
        [END] * 2,
        [WORDS, WORDS[:1]],
        scoring=scoring,
        options=EncoderOptions(batch_size=batch_size),
    )
    expected = [reference(bare, word, KNOWN[scoring]) for word in WORDS]
    assert found.reasons == [[None] * len(WORDS), [None]]
    assert found.pieces[0].tolist() == [count for _, count in expected]
    assert max(found.pieces[0]) > 2
    np.testing.assert_allclose(found.log_probs[0], [total for total, _ in expected], atol=5e-5)
    np.testing.assert_allclose(found.log_probs[1], found.log_probs[0][:1], atol=1e-5)


def test_scorings_differ_for_words_of_several_pieces_only(encoder):
    scores = [word_log_probs(encoder, [TEXT], [START], [END], [WORDS], scoring=scoring) for scoring in SCORINGS]
    single = scores[0].pieces[0] == 1
    assert 0 < single.sum() < len(WORDS)
    values = np.array([one.log_probs[0] for one in scores])
    spread = np.ptp(values, axis=0)
    assert (spread[single] < 1e-5).all()
    assert (spread[~single] > 1e-4).all()


def test_per_piece_divides_by_the_number_of_pieces(encoder):
    arguments = encoder, [TEXT], [START], [END], [WORDS]
    total, mean = word_log_probs(*arguments), word_log_probs(*arguments, per_piece=True)
    np.testing.assert_allclose(mean.log_probs[0], total.log_probs[0] / total.pieces[0])


def test_words_of_one_piece_have_the_probabilities_of_the_place(encoder):
    from lexbeam.transforms.lexicon.encoders.model_heads import fill_mask

    for first in (None, Spans([TEXT], [START], [END])):
        fills = fill_mask(encoder, [TEXT], [START], [END], 4, first=first)
        words = [word for word, part in zip(fills.words[0], fills.continues[0], strict=True) if not part]
        found = word_log_probs(encoder, [TEXT], [START], [END], [words], first=first)
        ones = found.pieces[0] == 1
        assert ones.any()
        chosen = np.flatnonzero(~fills.continues[0])[ones]
        np.testing.assert_allclose(np.exp(found.log_probs[0][ones]), fills.probabilities[0][chosen], rtol=1e-4)


def test_a_word_without_a_score_has_a_reason(encoder):
    long = "garden " * 30
    words = [["park", "", "cats and dogs" * 9], ["bird"]]
    found = word_log_probs(
        encoder, [long, "Twokitchens."], [70, 3], [76, 11], words, options=EncoderOptions(max_length=12)
    )
    assert found.reasons[0][0] is None
    assert found.reasons[0][1] == "no_piece"
    assert found.reasons[0][2] == "too_long"
    assert np.isnan(found.log_probs[0]).tolist() == [False, True, True]


def test_within_a_word_pieces_around_the_place_may_be_others(bert):
    from lexbeam.transforms.lexicon.encoders.loading_encoders import load_encoder

    # The masked text leaves `s` a word of its own; with the word in it, it is a piece `##s`.
    found = word_log_probs(load_encoder(bert, device="cpu"), ["Two cats."], [4], [7], [["dog"]])
    assert found.reasons == [["uneven"]]
    assert found.pieces[0].tolist() == [0]


def test_no_texts_and_no_words(encoder):
    assert word_log_probs(encoder, [], [], [], []) == ([], [], [])
    assert word_log_probs(encoder, [TEXT], [START], [END], [[]]).reasons == [[]]


def test_wrong_calls_are_errors(encoder):
    with pytest.raises(LexbeamError, match="2 lists of words"):
        word_log_probs(encoder, [TEXT], [START], [END], [[], []])
    with pytest.raises(UsageError, match="did you mean 'pseudo'"):
        word_log_probs(encoder, [TEXT], [START], [END], [[]], scoring="pseud")
