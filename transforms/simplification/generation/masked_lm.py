"""Generator `masked-lm`: what masked language models put in the target's place.

A model reads the sentence, followed by the sentence with a mask for the target (Qiang et al. 2020;
Ferrés and Saggion 2022, section 5.1); where both are too long, each keeps the words around the
target. The most probable pieces of the vocabulary, with their probabilities, are cleaned up
(masked_cleaning.py). Each instance goes through a model by itself: padding beside longer sentences
would change the last bits, and an instance's candidates must not depend on others.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.lexicon.encoders.encoder_batches import Encoder, Spans
from lexbeam.transforms.lexicon.encoders.loading_encoders import load_encoder
from lexbeam.transforms.lexicon.encoders.model_heads import fill_mask
from lexbeam.transforms.lexicon.encoders.span_vectors import DEFAULTS, EncoderOptions, Encoding
from lexbeam.transforms.simplification.generation.generator import Context, Source
from lexbeam.transforms.simplification.generation.masked_cleaning import Fill, cleaned
from lexbeam.transforms.simplification.generation.options import MaskedOptions
from lexbeam.transforms.simplification.generation.readings import readings
from lexbeam.transforms.simplification.records import Instance, Proposal

InflectorOf = Callable[[str], Inflecting | None]


def masked_fills(
    encoder: Encoder, instance: Instance, options: MaskedOptions, encoder_options: EncoderOptions | None = None
) -> list[Fill]:
    """Return the most probable pieces in the target's place, the most probable first.

    There are none where the target with its special pieces is longer than the model's input.

    Args:
        encoder: a masked language model.
        instance: the target in its sentence.
        options: how many, and what the model reads.
        encoder_options: how the encoder is used; the greatest length counts.

    Raises:
        LexbeamError: the encoder is no masked language model, or takes no pairs of texts.
    """
    texts, starts, ends = [instance.sentence], [instance.start], [instance.end]
    pair = options.masked_input == "pair"
    if pair and encoder.pair is None:
        raise LexbeamError(f"encoder {encoder.info.name!r} takes no pairs of texts: set `masked_input` to single")
    filled = fill_mask(
        encoder,
        texts,
        starts,
        ends,
        options.masked_top,
        first=Spans(texts, starts, ends) if pair else None,
        options=encoder_options or DEFAULTS,
    )
    if filled.reasons[0] is not None:
        return []
    columns = filled.words[0], filled.probabilities[0].tolist(), filled.continues[0].tolist()
    return [Fill(*row) for row in zip(*columns, strict=True)]


class _Lemmas(NamedTuple):
    """The lemmas that a target may have, and the dictionary that says those of other forms."""

    of_target: frozenset[str]
    inflector: Inflecting | None

    def of_form(self, form: str) -> frozenset[str]:
        rows = self.inflector.forms.of_form(form) if self.inflector is not None else []
        return frozenset(row.lemma for row in rows)


def _lemmas(instance: Instance, options: MaskedOptions, inflector_of: InflectorOf | None) -> _Lemmas:
    """Return the lemmas of an instance; only the rule `same_stem` needs any.

    Raises:
        UsageError: there is no form dictionary for them.
    """
    if "same_stem" not in options.masked_rules:
        return _Lemmas(frozenset(), None)
    inflector = inflector_of(instance.language) if inflector_of else None
    if inflector is None:
        raise UsageError(
            "rule `same_stem` of `masked_rules` needs a form dictionary of language "
            f"{instance.language!r}: give `inflector`, or leave the rule out"
        )
    return _Lemmas(frozenset(reading.lemma for reading in readings(instance, inflector)), inflector)


def masked_proposals(
    encoders: Sequence[tuple[Encoder, EncoderOptions]],
    instances: Sequence[Instance],
    options: MaskedOptions,
    inflector_of: InflectorOf | None = None,
) -> list[list[list[Proposal]]]:
    """Return the candidates of each model for each instance, and what is dropped, with its reason.

    Scores are probabilities. Models agree on the spelling of words that differ only in accents, so
    that their scores can be added by form.

    Args:
        encoders: masked language models, each with its options.
        instances: targets in their sentences.
        options: what the models read, and the rules of the clean-up.
        inflector_of: returns the form dictionary of a language, for the rule `same_stem`.

    Raises:
        UsageError: the rule `same_stem` is chosen, and there is no form dictionary.
        LexbeamError: an encoder is no masked language model, or takes no pairs of texts.
    """
    proposals: list[list[list[Proposal]]] = [[] for _ in encoders]
    for instance in instances:
        models = [masked_fills(encoder, instance, options, encoder_options) for encoder, encoder_options in encoders]
        lemmas = _lemmas(instance, options, inflector_of)
        rows = cleaned(
            models,
            instance.target,
            rules=options.masked_rules,
            merge=options.masked_merge,
            lemmas=lemmas.of_target,
            lemmas_of=lemmas.of_form,
        )
        for source, row in zip(proposals, rows, strict=True):
            source.append(row)
    return proposals


def propose_masked(instances: Sequence[Instance], context: Context) -> Sequence[Source]:
    """Return the candidates of targets by each model: a source each."""
    return masked_proposals(
        [(_loaded(encoding), encoding.options) for encoding in context.encoders],
        instances,
        context.options.masked,
        context.inflector_of,
    )


def _loaded(encoding: Encoding) -> Encoder:
    options = encoding.options
    return load_encoder(str(options.encoder), device=options.device, digest=encoding.info.digest)
