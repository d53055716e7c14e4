"""Masked language models from disk: their words, cleaned up, and several models together."""

import dataclasses

import pytest

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.inflection.dictionaries import FormRow
from lexbeam.transforms.lexicon.encoders.loading_encoders import load_encoder
from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions, encoding_of
from lexbeam.transforms.simplification.generation.candidate_generation import SourceOf, combined
from lexbeam.transforms.simplification.generation.generator import Context, GenerationOptions, MaskedOptions
from lexbeam.transforms.simplification.generation.generators import GENERATORS
from lexbeam.transforms.simplification.generation.masked_words import comparable, masked_fills, masked_proposals
from lexbeam.transforms.simplification.generation.target_forms import formed
from lexbeam.transforms.simplification.records import Instance

pytestmark = pytest.mark.slow
torch = pytest.importorskip("torch")

CPU = EncoderOptions(device="cpu")
ALL = MaskedOptions(masked_top=10_000)


def instance(sentence, target, language="es"):
    start = sentence.index(target)
    return Instance(target, language, sentence, target, start, start + len(target), None, None, None)


GARDEN = instance("El gato duerme en el parque.", "parque")
MOOD = instance("El niño estaba contento.", "contento")


@pytest.fixture(params=["bert", "roberta"])
def folder(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def encoder(folder):
    return load_encoder(folder, device="cpu")


def by_hand(folder, instance):
    """All pieces in the target's place with their probabilities, by transformers alone."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    masked = instance.sentence[: instance.start] + tokenizer.mask_token + instance.sentence[instance.end :]
    encoded = tokenizer(instance.sentence, masked, return_tensors="pt")
    if model.config.type_vocab_size > 1:
        first = len(tokenizer(instance.sentence)["input_ids"])
        types = [0] * first + [1] * (encoded["input_ids"].shape[1] - first)
        encoded["token_type_ids"] = torch.tensor([types])
    with torch.no_grad():
        logits = model(**encoded).logits[0]
    place = (encoded["input_ids"][0] == tokenizer.mask_token_id).nonzero()[-1, 0]
    probabilities = logits[place].softmax(-1).tolist()
    pieces = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    special = set(tokenizer.all_special_tokens)
    return [
        (tokenizer.convert_tokens_to_string([piece]).strip(), piece, score)
        for piece, score in zip(pieces, probabilities[: len(pieces)], strict=True)
        if piece not in special
    ]


def whole(piece, folder):
    return piece.startswith("Ġ") if "roberta" in folder else not piece.startswith("##")


@pytest.mark.parametrize("target", [GARDEN, MOOD], ids=["garden", "mood"])
def test_scores_are_the_models_probabilities_added_by_what_is_compared(folder, encoder, target):
    expected: dict[str, float] = {}
    for text, piece, score in by_hand(folder, target):
        key = comparable(text)
        if whole(piece, folder) and len(key) > 2 and not comparable(target.target).startswith(key):
            expected[key] = expected.get(key, 0.0) + score
    proposals = masked_proposals([(encoder, CPU)], [target], ALL)[0][0]
    remaining = {comparable(p.text): p.score for p in proposals if p.reason is None}
    assert remaining == pytest.approx(expected, abs=1e-6)
    assert len(remaining) > 3


def test_a_trained_model_gives_sensible_candidates(encoder):
    moods, places = (
        [p for p in row if p.reason is None]
        for row in masked_proposals([(encoder, CPU)], [MOOD, GARDEN], MaskedOptions())[0]
    )
    assert moods[0].text in {"cansado", "alegre", "feliz"}
    assert {p.text for p in moods[:6]} >= {"cansado", "alegre", "feliz"}
    assert {comparable(p.text) for p in places[:2]} <= {"jardin", "sillon", "patio"}
    assert not any(p.is_lemma for p in moods)


def test_what_is_dropped_is_there_with_its_reason(encoder):
    rows = masked_proposals([(encoder, CPU)], [GARDEN], ALL)[0][0]
    reasons = {p.text: p.reason for p in rows}
    assert reasons["parque"] == "is_target"
    assert {reasons["jardín"], reasons["jardin"]} == {None, "merged"}
    assert {"subword", "too_short"} <= set(reasons.values())
    forms = {fill.text.lower() for fill in masked_fills(encoder, GARDEN, ALL)}
    assert {p.text for p in rows} == {form.replace("_", " ").strip() for form in forms}


def test_the_target_without_its_accent_is_dropped(encoder):
    target = instance("El gato duerme en el jardín.", "jardín")
    rows = masked_proposals([(encoder, CPU)], [target], ALL)[0][0]
    reasons = {p.text: p.reason for p in rows}
    assert (reasons["jardín"], reasons["jardin"]) == ("is_target", "accent_variant")


def test_rules_and_input_are_options(encoder):
    free = MaskedOptions(masked_top=5, masked_rules=("none",), masked_merge="capitals")
    rows = masked_proposals([(encoder, CPU)], [GARDEN], free)[0][0]
    assert {p.reason for p in rows} == {None}
    fills = masked_fills(encoder, GARDEN, free)
    assert len(fills) == 5
    assert sum(p.score for p in rows) == pytest.approx(sum(fill.score for fill in fills))
    single = masked_fills(encoder, GARDEN, dataclasses.replace(free, masked_input="single"))
    assert [fill.score for fill in single] != [fill.score for fill in fills]


def test_an_instance_does_not_depend_on_others(encoder):
    alone = masked_proposals([(encoder, CPU)], [GARDEN], MaskedOptions())[0][0]
    among = masked_proposals([(encoder, CPU)], [MOOD, GARDEN, MOOD], MaskedOptions())[0][1]
    assert alone == among


def test_where_both_are_too_long_each_keeps_the_target(folder, encoder):
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    seen = []

    def log_probs(batch, rows, columns):
        seen.append(" ".join(tokenizer.decode(batch.ids[0]).replace(".", " . ").split()))
        assert batch.ids.shape == (1, 40)
        return encoder.masked_lm.log_probs(batch, rows, columns)

    model = dataclasses.replace(encoder.masked_lm, log_probs=log_probs)
    around = "El perro estaba feliz. " * 20
    long = instance(around + GARDEN.sentence + " " + around, "parque")
    assert masked_fills(dataclasses.replace(encoder, masked_lm=model), long, MaskedOptions())
    plain = seen[0].replace(tokenizer.mask_token, f" {tokenizer.mask_token}").split()
    assert plain.count("parque") == 1
    assert plain[plain.index("parque") - 2 :][:4] == ["en", "el", "parque", "."]
    assert plain[plain.index(tokenizer.mask_token) - 2 :][:4] == ["en", "el", tokenizer.mask_token, "."]
    short = EncoderOptions(device="cpu", max_length=8)
    wide = instance("El gato duerme en " + "el parque " * 9, "el parque " * 9)
    assert masked_fills(encoder, wide, MaskedOptions(), short) == []


class Dictionary:
    """A form dictionary in which two words have one lemma."""

    language = "es"

    @property
    def forms(self):
        return self

    def has_verb(self, form):
        return False

    def of_form(self, form):
        lemma = {"feliz": "contento", "contento": "contento"}.get(form)
        return [FormRow(lemma, "ADJ Number=Sing", form, 1)] if lemma else []


def test_stems_need_a_form_dictionary(encoder):
    options = MaskedOptions(masked_rules=("is_target", "same_stem"))
    with pytest.raises(UsageError, match="needs a form dictionary of language 'es'"):
        masked_proposals([(encoder, CPU)], [MOOD], options)
    rows = masked_proposals([(encoder, CPU)], [MOOD], options, lambda language: Dictionary())
    reasons = {p.text: p.reason for p in rows[0][0]}
    assert (reasons["feliz"], reasons["contento"]) == ("same_stem", "is_target")
    assert reasons["alegre"] is None


def test_a_model_that_takes_no_pairs_says_what_to_do(encoder):
    alone = dataclasses.replace(encoder, pair=None)
    with pytest.raises(LexbeamError, match="set `masked_input` to single"):
        masked_fills(alone, MOOD, MaskedOptions())
    assert masked_fills(alone, MOOD, MaskedOptions(masked_input="single"))


@pytest.mark.parametrize("combine", ["union", "intersection"])
def test_two_models_together(bert, roberta, combine):
    encoders = tuple(encoding_of(EncoderOptions(encoder=folder, device="cpu")) for folder in (bert, roberta))
    options = GenerationOptions(generators=("masked-lm",), masked=MaskedOptions(masked_top=25))
    about = GENERATORS["masked-lm"]
    first, other = about.propose([GARDEN], Context(options, encoders=encoders))
    sources = [SourceOf("masked_lm", about.adds, formed(GARDEN, rows, None)) for rows in (first[0], other[0])]
    candidates = combined(sources, combine=combine, k=50)
    ours, yours = (
        {p.text: p.score for p in rows if p.reason is None and p.text.isalpha()} for rows in (first[0], other[0])
    )
    only = set(ours) ^ set(yours)
    shared = set(ours) & set(yours)
    assert only
    assert len(shared) > 3
    remaining = {candidate.form: candidate.score for candidate in candidates if candidate.reason is None}
    assert remaining == pytest.approx(
        {form: ours.get(form, 0.0) + yours.get(form, 0.0) for form in (shared | only if combine == "union" else shared)}
    )
    assert [candidate.rank for candidate in candidates if candidate.rank] == list(range(1, len(remaining) + 1))
    assert sorted(remaining.values(), reverse=True) == list(remaining.values())
    reasons = {candidate.form: candidate.reason for candidate in candidates}
    expected = None if combine == "union" else "one_generator"
    assert {reasons[form] for form in only} == {expected}
