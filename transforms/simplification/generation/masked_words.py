"""Generator `masked-lm`: what masked language models put in the target's place, and which words of it are candidates.

A model reads the sentence, followed by the sentence with a mask for the target (Qiang et al. 2020;
Ferrés and Saggion 2022, section 5.1); where both are too long, each keeps the words around the
target. The most probable pieces of the vocabulary, with their probabilities, are cleaned up.
Each instance goes through a model by itself: padding beside longer sentences
would change the last bits, and an instance's candidates must not depend on others.

Ferrés and Saggion (2022, section 5.1) drop the target, its prefixes, words of two characters or
fewer, and the target without accents or capitalised; candidates that differ only in accents or
capitals are merged, their scores added. Qiang et al. (2020) drop pieces of words and words with the
target's stem. Each is an entry of `RULES`, which are tried in their order: the first that holds is
the reason. What is dropped stays in the list, with its reason.

Capitals come from sentences, so words are put in lower case. For comparison the acute and the
diaeresis are removed, and no other mark: `publico` equals `público` there, but `ano` not `año`.

    >>> fills = [Fill("publicó", 0.3), Fill("Público", 0.2), Fill("nacional", 0.2),
    ...     Fill("ción", 0.1, True), Fill("púb", 0.05), Fill("el", 0.04), Fill("publico", 0.03)]
    >>> [(word.text, round(word.score, 2), word.reason) for word in cleaned([fills], "nuevo")[0]]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('publicó', 0.53, None), ('nacional', 0.2, None), ('púb', 0.05, None),
     ('público', 0.2, 'merged'), ('ción', 0.1, 'subword'), ('el', 0.04, 'too_short'),
     ('publico', 0.03, 'merged')]
    >>> [(word.text, word.reason) for word in cleaned([fills], "público")[0] if word.reason][:3]
    [('publicó', 'accent_variant'), ('público', 'accent_variant'), ('ción', 'subword')]
"""

import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.inflection.inflector import Inflecting
from lexbeam.transforms.lexicon.encoders.encoder_batches import Encoder, Spans
from lexbeam.transforms.lexicon.encoders.loading_encoders import load_encoder
from lexbeam.transforms.lexicon.encoders.model_heads import fill_mask
from lexbeam.transforms.lexicon.encoders.span_vectors import DEFAULTS, EncoderOptions, Encoding
from lexbeam.transforms.simplification.generation.generator import PAPER, Context, MaskedOptions, Source
from lexbeam.transforms.simplification.generation.target_forms import key_of, readings
from lexbeam.transforms.simplification.records import Instance, Proposal

SHORT = 2  # characters; what has no more is too short

_REMOVED = dict.fromkeys(map(ord, "\u0301\u0308"))  # acute and diaeresis
_BROKEN = "\ufffd"  # bytes that are no whole character

Lemmas = Callable[[str], Collection[str]]


class Fill(NamedTuple):
    """A word that a model puts in the target's place.

    Attributes:
        text: without marks of borders of words.
        score: its probability.
        continues: whether it is a piece that continues a word.
    """

    text: str
    score: float
    continues: bool = False


class Word(NamedTuple):
    """Fills that have one form.

    Attributes:
        form: in lower case, NFC.
        spellings: as the models have it, NFC.
        continues: whether they are pieces that continue a word; the same form may also be a word.
    """

    form: str
    spellings: frozenset[str]
    continues: bool


class Target(NamedTuple):
    """A target.

    Attributes:
        text: as it stands, NFC.
        lemmas: the lemmas that it may have.
        lemmas_of: returns the lemmas that a form in lower case may have.
    """

    text: str
    lemmas: Collection[str]
    lemmas_of: Lemmas


def comparable(text: str) -> str:
    """Return a text as it is compared: in lower case, NFC, without acute and diaeresis.

    >>> comparable("PINGÜINO"), comparable("Año"), comparable("lápiz"), comparable("façade")
    ('pinguino', 'año', 'lapiz', 'façade')
    """
    bare = unicodedata.normalize("NFD", key_of(text)).translate(_REMOVED)
    return unicodedata.normalize("NFC", bare)


def _never(word: Word, target: Target) -> bool:
    return False


def _subword(word: Word, target: Target) -> bool:
    return word.continues or not word.form or _BROKEN in word.form


def _is_target(word: Word, target: Target) -> bool:
    return target.text in word.spellings


def _accent_variant(word: Word, target: Target) -> bool:
    same = comparable(word.form) == comparable(target.text)
    return same and target.text not in word.spellings


def _too_short(word: Word, target: Target) -> bool:
    return len(word.form) <= SHORT


def _prefix_of_target(word: Word, target: Target) -> bool:
    part, whole = comparable(word.form), comparable(target.text)
    return part != whole and whole.startswith(part)


def _same_stem(word: Word, target: Target) -> bool:
    return not set(target.lemmas).isdisjoint(target.lemmas_of(word.form))


@dataclass(frozen=True)
class CleaningRule(Entry):
    """A rule that drops words, named by the reason that it gives."""

    holds: Callable[[Word, Target], bool]


RULES: Registry[CleaningRule] = Registry(
    {
        "none": CleaningRule(_never, doc="drops nothing"),
        "subword": CleaningRule(_subword, doc="a piece of a word"),
        "is_target": CleaningRule(_is_target, doc="the target as it stands"),
        "accent_variant": CleaningRule(_accent_variant, doc="the target with other accents or capitals"),
        "too_short": CleaningRule(_too_short, doc="two characters or fewer"),
        "prefix_of_target": CleaningRule(_prefix_of_target, doc="what the target begins with"),
        "same_stem": CleaningRule(_same_stem, doc="a form of a lemma of the target, by the form dictionary"),
    },
    what="rule of `masked_rules`",
)
MERGED = "merged"


def _same(form: str) -> str:
    return form


@dataclass(frozen=True)
class Merge(Entry):
    """What forms have in common that become one candidate."""

    key: Callable[[str], str]


MERGES: Registry[Merge] = Registry(
    {
        "accents": Merge(comparable, doc="those that differ only in accents or capitals"),
        "capitals": Merge(_same, doc="those that differ only in capitals"),
    },
    what="choice of `masked_merge`",
)


def _no_lemmas(form: str) -> Collection[str]:
    return ()


def cleaned(
    models: Sequence[Sequence[Fill]],
    target: str,
    *,
    rules: Collection[str] = PAPER,
    merge: str = "accents",
    lemmas: Collection[str] = (),
    lemmas_of: Lemmas = _no_lemmas,
) -> list[list[Proposal]]:
    """Return the candidates of each model by score, followed by those that are dropped, by score.

    Each form occurs once. Of merged spellings the one with the highest score in all models together
    stays, so that models agree on it; ties go to the first by code points. A form that is both a
    word and a piece of one counts as a word.

    Args:
        models: the words of each model.
        target: as it stands in the sentence.
        rules: of `RULES`.
        merge: of `MERGES`.
        lemmas: those that the target may have, in lower case, for `same_stem`.
        lemmas_of: returns those that a form may have.
    """
    key = MERGES[merge].key
    about = Target(unicodedata.normalize("NFC", target), lemmas, lemmas_of)
    scores = [_scores(fills) for fills in models]
    reasons = _reasons(models, about, rules)
    totals: dict[str, float] = {}
    for model_scores in scores:
        for (form, continues), score in model_scores.items():
            if reasons[_Key(form, continues)] is None:
                totals[form] = totals.get(form, 0.0) + score
    stays: dict[str, str] = {}
    for form in sorted(totals, key=lambda form: (-totals[form], form)):
        stays.setdefault(key(form), form)
    into = {form: stays[key(form)] for form in totals}
    return [_proposals(model_scores, reasons, into) for model_scores in scores]


class _Key(NamedTuple):
    form: str
    continues: bool


def _key(fill: Fill) -> _Key:
    return _Key(key_of(fill.text), fill.continues)


def _scores(fills: Sequence[Fill]) -> dict[_Key, float]:
    scores: dict[_Key, float] = {}
    for fill in fills:
        scores[_key(fill)] = scores.get(_key(fill), 0.0) + fill.score
    return scores


def _reasons(models: Sequence[Sequence[Fill]], target: Target, rules: Collection[str]) -> dict[_Key, str | None]:
    """Return the reason to drop each form, by the first rule that holds; None: it goes on."""
    spellings: dict[_Key, set[str]] = {}
    for fills in models:
        for fill in fills:
            spellings.setdefault(_key(fill), set()).add(unicodedata.normalize("NFC", fill.text))
    applied = [(name, rule) for name, rule in RULES.items() if name in rules]
    reasons = {}
    for key, texts in spellings.items():
        word = Word(key.form, frozenset(texts), key.continues)
        reasons[key] = next((name for name, rule in applied if rule.holds(word, target)), None)
    return reasons


def _proposals(
    scores: Mapping[_Key, float], reasons: Mapping[_Key, str | None], into: Mapping[str, str]
) -> list[Proposal]:
    """Return the candidates of a model, followed by what is dropped.

    Args:
        scores: of the model's forms.
        reasons: why they are dropped.
        into: for forms that go on, the form that they are merged into.
    """
    passing: dict[str, float] = {}
    dropped: dict[str, tuple[float, str]] = {}
    for key, score in scores.items():
        if reasons[key] is not None:
            continue
        form = key.form
        passing[into[form]] = passing.get(into[form], 0.0) + score
        if into[form] != form:
            dropped[form] = score + dropped.get(form, (0.0, ""))[0], MERGED
    words = {key.form for key in scores if reasons[key] is None} | set(passing)
    for key, score in scores.items():
        reason = reasons[key]
        if reason is not None and key.form not in words:
            dropped[key.form] = max(dropped.get(key.form, (0.0, "")), (score, reason))
    good = [Proposal(form, score, False) for form, score in passing.items()]
    bad = [Proposal(form, score, False, reason=reason) for form, (score, reason) in dropped.items()]
    return [*sorted(good, key=_order), *sorted(bad, key=_order)]


def _order(proposal: Proposal) -> tuple[float, str]:
    return -proposal.score, proposal.text


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
