"""Generator `masked-lm`: what masked language models put in the target's place.

A model reads the sentence, and behind it the sentence with a mask for the target (Qiang et al.
2020; Ferrés and Saggion 2022, section 5.1); where both are too long, each keeps the words around
the target. The most probable pieces of the vocabulary, with their probabilities, are cleaned up
(masked_cleaning.py). Each instance goes through a model by itself: padding beside longer sentences
would change the last bits, and an instance's candidates are not to depend on others.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from transforms.common.errors import LexbeamError, UsageError
from transforms.inflection.inflector import Inflecting
from transforms.lexicon.encoders.base import load_encoder
from transforms.lexicon.encoders.encoding import Encoding
from transforms.lexicon.encoders.filling import fill_mask
from transforms.lexicon.encoders.options import DEFAULTS, EncoderOptions
from transforms.lexicon.encoders.records import Encoder, Spans
from transforms.simplification.generation.generator import Context, Source
from transforms.simplification.generation.masked_cleaning import Fill, cleaned
from transforms.simplification.generation.masked_options import MaskedOptions
from transforms.simplification.generation.readings import readings
from transforms.simplification.records import Instance, Proposal

__all__ = ["masked_fills", "masked_proposals", "propose_masked"]

InflectorOf = Callable[[str], Inflecting | None]


def masked_fills(
    encoder: Encoder, instance: Instance, options: MaskedOptions, given: EncoderOptions | None = None
) -> list[Fill]:
    """Return the most probable pieces in the target's place, the most probable first.

    There are none where the target with its special pieces is longer than what the model takes.

    Args:
        encoder: a masked language model.
        instance: the target in its sentence.
        options: how many, and what the model reads.
        given: the encoder's own options; the greatest length counts.

    Raises:
        LexbeamError: the encoder is no masked language model, or takes no two texts.
    """
    texts, starts, ends = [instance.sentence], [instance.start], [instance.end]
    pair = options.masked_input == "pair"
    if pair and encoder.pair is None:
        raise LexbeamError(f"encoder {encoder.info.name!r} takes no pairs of texts: set `masked_input` to single")
    found = fill_mask(
        encoder,
        texts,
        starts,
        ends,
        options.masked_top,
        first=Spans(texts, starts, ends) if pair else None,
        options=given or DEFAULTS,
    )
    if found.reasons[0] is not None:
        return []
    columns = found.words[0], found.probabilities[0].tolist(), found.continues[0].tolist()
    return [Fill(*one) for one in zip(*columns, strict=True)]


class _Lemmas(NamedTuple):
    """What a form dictionary says of forms."""

    inflector: Inflecting

    def of(self, form: str) -> Collection[str]:
        return {row.lemma for row in self.inflector.forms.of_form(form)}


def masked_proposals(
    encoders: Sequence[tuple[Encoder, EncoderOptions]],
    instances: Sequence[Instance],
    options: MaskedOptions,
    inflector_of: InflectorOf | None = None,
) -> list[list[list[Proposal]]]:
    """Return the candidates of each model for each instance, and what is dropped, with its reason.

    Scores are probabilities. Models agree on the spelling of what differs in accents alone, so that
    their scores can be added by form.

    Args:
        encoders: masked language models, each with its own options.
        instances: targets in their sentences.
        options: what is asked, and the rules of the clean-up.
        inflector_of: returns the form dictionary of a language, for the rule `same_stem`.

    Raises:
        UsageError: `same_stem` is asked for, and there is no form dictionary.
        LexbeamError: an encoder is no masked language model, or takes no two texts.
    """
    found: list[list[list[Proposal]]] = [[] for _ in encoders]
    for instance in instances:
        models = [masked_fills(encoder, instance, options, own) for encoder, own in encoders]
        lemmas: dict[str, Any] = {}
        if "same_stem" in options.masked_rules:
            inflector = inflector_of(instance.language) if inflector_of else None
            if inflector is None:
                raise UsageError(
                    "rule `same_stem` of `masked_rules` needs a form dictionary of language "
                    f"{instance.language!r}: give `inflector`, or leave the rule out"
                )
            own = {one.lemma for one in readings(instance, inflector)}
            lemmas = {"lemmas": own, "lemmas_of": _Lemmas(inflector).of}
        rows = cleaned(models, instance.target, rules=options.masked_rules, merge=options.masked_merge, **lemmas)
        for source, row in zip(found, rows, strict=True):
            source.append(row)
    return found


def propose_masked(instances: Sequence[Instance], context: Context) -> Sequence[Source]:
    """Return the candidates of targets by each model: a source each."""
    return masked_proposals(
        [(_loaded(one), one.options) for one in context.encoders],
        instances,
        context.options.masked,
        context.inflector_of,
    )


def _loaded(encoding: Encoding) -> Encoder:
    own = encoding.options
    return load_encoder(str(own.encoder), device=own.device, digest=encoding.info.digest)
