"""The generators by name, each with a column of scores, in this order; and the files that they take.

Generator `vectors` gives the nearest words of the target by static vectors. Generator `gold` gives people's
substitutes, so that rankers can be evaluated alone, as in ALEXSIS: those are the answer, so figures of a setting
that has it say something of its rankers, and of nothing else. The others stand beside.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import check_given, option
from lexbeam.transforms.inflection.models import InflectorReference, inflector_for, inflector_reference
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING
from lexbeam.transforms.lexicon.encoders.loading_encoders import check_encoder, check_encoder_packages, path_of
from lexbeam.transforms.lexicon.encoders.span_vectors import DEVICES, EncoderOptions, Encoding, encoding_of
from lexbeam.transforms.lexicon.resources import (
    WORDNET,
    Lexicon,
    LexiconOptions,
    check_specs,
    is_installed,
    prepare,
    spec_or_default,
    wordnet_option,
)
from lexbeam.transforms.simplification.generation.generator import (
    THESAURUS,
    Context,
    GenerationOptions,
    Generator,
    Source,
)
from lexbeam.transforms.simplification.generation.masked_words import MERGED, RULES, propose_masked
from lexbeam.transforms.simplification.generation.sense_generators import propose_thesaurus, propose_wordnet
from lexbeam.transforms.simplification.generation.target_forms import alike, read_words, readings
from lexbeam.transforms.simplification.records import Instance, Proposal
from lexbeam.transforms.simplification.resources import VECTORS, InflectorFile, VectorsFile, WordlistFiles, by_language

if TYPE_CHECKING:
    from lexbeam.transforms.lexicon.compiled.static_vectors import StaticVectors


def propose_vectors(instances: Sequence[Instance], context: Context) -> Sequence[Source]:
    """Return the nearest words of targets with their cosines: one source.

    Vectors of forms are looked up by the target as it stands, else by its lemma, and their neighbours stay as they
    are; vectors of lemmas are looked up by the lemma, and their neighbours are lemmas, to be inflected.
    """
    options = context.options
    proposals: list[list[Proposal]] = [[] for _ in instances]
    for rows, vectors in by_language(context.lexicon, VECTORS.name, [instance.language for instance in instances]):
        words = _query_words([instances[row] for row in rows], vectors, options.neighbours_of)
        near = _nearest(vectors, words, options.neighbours)
        for row, word in zip(rows, words, strict=True):
            proposals[row] = [
                Proposal(text, cosine, options.neighbours_of == "lemma") for text, cosine in near.get(word, ())
            ]
    return [proposals]


def _query_words(instances: Sequence[Instance], vectors: "StaticVectors", of: str) -> list[str]:
    lemmas = [instance.lemma or instance.target.lower() for instance in instances]
    if of == "lemma":
        return lemmas
    forms = [instance.target for instance in instances]
    known = vectors.rows(pa.array(forms, pa.string())) != MISSING
    return [form if is_known else lemma for form, lemma, is_known in zip(forms, lemmas, known.tolist(), strict=True)]


def _nearest(vectors: "StaticVectors", words: Sequence[str], k: int) -> dict[str, list[tuple[str, float]]]:
    near = vectors.nearest(pc.unique(pa.array(words, pa.string())), k)
    neighbours: dict[str, list[tuple[str, float]]] = {}
    for word, neighbour, cosine in zip(
        *(near[name].to_pylist() for name in ("word", "neighbour", "cosine")), strict=True
    ):
        neighbours.setdefault(word, []).append((neighbour, cosine))
    return neighbours


def propose_gold(instances: Sequence[Instance], context: Context) -> Sequence[Source]:
    """Return the substitutes of targets other than the target itself: one source.

    All have the same score, so that later stages do not learn how many people gave one.
    """
    return [
        [[Proposal(text, 1.0, False) for text in context.gold.get(instance.instance_id, ())] for instance in instances]
    ]


GENERATORS: Registry[Generator] = Registry(
    {
        "thesaurus": Generator(
            propose_thesaurus,
            needs="thesaurus",
            doc="senses of thesauri that have the candidate, weighed by how well they fit the sentence where there are "
            "vectors",
            reasons={"placeholder": "it is no word of the language, but stands for a translation that is missing"},
        ),
        "wordnet": Generator(
            propose_wordnet, needs="wordnet", doc="senses of WordNet that have the candidate as a synonym or hypernym"
        ),
        "vectors": Generator(propose_vectors, needs="vectors", doc="cosine of static vectors of target and candidate"),
        "masked-lm": Generator(
            propose_masked,
            needs="model",
            adds=True,
            doc="probability of the candidate in the target's place; several models': the sum",
            reasons={
                **{name: rule.doc for name, rule in RULES.items() if name != "none"},
                MERGED: "another spelling of it has a higher score, and takes its score over",
            },
        ),
        "gold": Generator(propose_gold, doc="1 for what people gave: for the evaluation of rankers alone"),
    },
    what="generator",
    group="lexbeam.generators",
)


log = logging.getLogger("lexbeam")


def check_languages(
    languages: Collection[str], generators: Mapping[str, Sequence[str]], lexicon: Lexicon, thesauri: Sequence[str]
) -> None:
    """Check that the generators of each setting have a resource for the languages of the instances; warn of others.

    Args:
        languages: of the instances.
        generators: those that a setting uses, by its name.
        lexicon: all resources.
        thesauri: what the thesauri are called there.

    Raises:
        UsageError: a setting has none for any of them, so that nothing would be generated.
    """
    of_need = {"thesaurus": thesauri, "wordnet": (WORDNET.name,), "vectors": (VECTORS.name,)}
    for setting, used in sorted(generators.items()):
        needs = [GENERATORS[name].needs for name in used]
        names = {name for need in needs for name in of_need.get(need, ())}
        if any(need not in of_need for need in needs):
            continue  # such as a language model, which says nothing of its language
        served = {held.language for held in lexicon.held if held.name in names}
        lacking = [language for language in sorted(languages) if not served & {language, None}]
        if not lacking:
            continue
        told = (
            f"setting {setting} generates by {', '.join(used)}, whose files are of {_listed(served)}, and instances "
            f"are of {', '.join(lacking)}"
        )
        if len(lacking) == len(set(languages)):
            raise UsageError(f"{told}: {_remedy(lacking[0])}")
        log.warning("%s: those get no candidates; %s", told, _remedy(lacking[0]))


def _listed(languages: Collection[str | None]) -> str:
    return ", ".join(sorted(language for language in languages if language)) or "no language"


def _remedy(language: str) -> str:
    short = language.partition("-")[0]
    return (
        f"bring a thesaurus of {language} by `thesaurus` FILE (LibreOffice's th_{short}_*.dat, of Debian's packages "
        f"mythes-{short}*) or a wordnet of it by `wordnet` FILE.tab:language={language}; "
        "docs/tasks/simplification/languages/ has sources"
    )


def _check_models(paths: tuple[str, ...]) -> None:
    for path in paths:
        check_encoder(path)


@dataclass(frozen=True, kw_only=True)
class GenerationFiles(WordlistFiles, InflectorFile, VectorsFile):
    """What candidates are generated from; the same for all settings."""

    thesaurus: tuple[str, ...] = option(
        (),
        help="thesauri: MyThes files, tab files of Open Multilingual Wordnet, extracts of Wiktionary (kaikki), "
        "ConceptNet, PPDB, dictionaries of two languages (freedict, pairs), lists of your own, commenced,began; behind "
        "it :format=, encoding=, language=, side=, least=",
        metavar="FILE",
        split=False,
        path="resource",
        data="lists",
        within=THESAURUS.within,
        stands_for=THESAURUS.spec,
        check=check_specs,
        group="resources",
    )
    wordnet: str | None = wordnet_option()
    model: tuple[str, ...] = option(
        (),
        help="masked language models: folders as save_pretrained writes them",
        metavar="PATH",
        split=False,
        path="place",
        within=path_of,
        check=_check_models,
        group="resources",
    )
    model_device: str = option(
        "auto",
        help="where models run; auto: a CUDA device if there is one, else the CPU",
        choices=DEVICES,
        group="resources",
    )
    bar: str | None = option(
        None,
        help="words that must not be candidates: a text file with a word a line",
        metavar="FILE",
        path="file",
        data="words",
        group="resources",
    )
    protect: str | None = option(
        None,
        help="words that get no candidates: a text file with a word a line",
        metavar="FILE",
        path="file",
        data="words",
        group="resources",
    )


def _described_generators() -> tuple[tuple[str, ...], ...]:
    return tuple((name, entry.doc, *entry.reasons) for name, entry in GENERATORS.items())


class GenerationInputs(NamedTuple):
    """What candidates are generated with, for all instances.

    Attributes:
        settings: by name, in the order of names.
        lexicon: all resources.
        thesauri: names of the thesauri, in the order in which they were given.
        lists: names of the word lists, in that order.
        inflector: makes forms of lemmas; None: lemmas stand as they are.
        encoders: masked language models.
        barred: words that must not be candidates, sorted.
        protected: words that get no candidates, sorted.
        columns: all generators, their doc lines and reasons, which the columns of the table name.
    """

    settings: Mapping[str, GenerationOptions]
    lexicon: Lexicon
    thesauri: tuple[str, ...]
    lists: tuple[str, ...]
    inflector: InflectorReference | None
    # Of `Encoding`: a stage counts whatever its annotations name, and would count every encoder.
    encoders: tuple[Any, ...]
    barred: tuple[str, ...]
    protected: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...] = _described_generators()

    def context(self, setting: str, gold: Mapping[str, list[str]]) -> Context:
        """Return what generators of a setting work with."""
        return Context(
            self.settings[setting], self.lexicon, self.thesauri, self.lists, self.inflector, self.encoders, gold
        )

    def lemmas_to_protect(self, instance: Instance) -> list[str]:
        """Return what the form dictionary has as lemmas of a target; none where they decide nothing."""
        if not self.protected or instance.lemma or self.inflector is None:
            return []
        return [reading.lemma for reading in readings(instance, inflector_for(self.inflector, instance.language))]

    def barred_from(self, instances: Sequence[Instance], options: GenerationOptions) -> list[Collection[str]]:
        """Return the words that must not be candidates of each instance."""
        always = frozenset(self.barred)
        barred: list[Collection[str]] = [always] * len(instances)
        if options.antonyms == "keep":
            return barred
        for rows, wordnet in by_language(self.lexicon, WORDNET.name, [instance.language for instance in instances]):
            lemmas = [instances[row].lemma or instances[row].target.lower() for row in rows]
            lists = wordnet.antonyms(pa.array(lemmas, pa.string())).to_pylist()
            for row, words in zip(rows, lists, strict=True):
                barred[row] = always | {alike(word) for word in words or ()}
        return barred

    def frequencies(
        self, instances: Sequence[Instance], forms: Sequence[Sequence[str]]
    ) -> list[dict[str, float | None]] | None:
        """Return the frequencies of each instance's forms by the first list; phrases have none. None: no list."""
        if not self.lists:
            return None
        by_instance: list[dict[str, float | None]] = [{} for _ in instances]
        languages = [instance.language for instance in instances]
        for rows, word_list in by_language(self.lexicon, self.lists[0], languages):
            words = list(dict.fromkeys(form for row in rows for form in forms[row] if " " not in form))
            looked_up = word_list.look_up(pa.array(words, pa.string()))["value"]
            values = dict(zip(words, looked_up.to_pylist(), strict=True))
            for row in rows:
                by_instance[row] = {form: values.get(form) for form in forms[row]}
        return by_instance

    def cosines(
        self, instances: Sequence[Instance], forms: Sequence[Sequence[str]]
    ) -> list[dict[str, float | None]] | None:
        """Return the cosines of each instance's forms to its target; None: no vectors."""
        if not any(held.name == VECTORS.name for held in self.lexicon.held):
            return None
        by_instance: list[dict[str, float | None]] = [{} for _ in instances]
        languages = [instance.language for instance in instances]
        for rows, vectors in by_language(self.lexicon, VECTORS.name, languages):
            pairs = [(row, form) for row in rows for form in forms[row]]
            targets = pa.array([instances[row].target for row, _ in pairs], pa.string())
            cosines = vectors.cosine(targets, pa.array([form for _, form in pairs], pa.string()))
            for (row, form), cosine in zip(pairs, cosines.to_pylist(), strict=True):
                by_instance[row][form] = cosine
        return by_instance


def check_generation(
    settings: Mapping[str, GenerationOptions], resources: GenerationFiles, choice: str = "generators"
) -> None:
    """Check that generators have what they need.

    Args:
        settings: by name.
        resources: what is given.
        choice: the option by which other generators are chosen.

    Raises:
        UsageError: a setting contradicts itself, or lacks a resource that it needs.
    """
    for name, options in settings.items():
        _check_generators(name, options, resources, choice)
        if options.sense_votes == "cosine" and not resources.vectors:
            raise UsageError(
                f"setting {name} weighs senses by cosine, which needs `vectors`: give them, or another choice of "
                "`sense_votes`"
            )
        if "masked-lm" in options.generators and "same_stem" in options.masked.masked_rules and not resources.inflector:
            raise UsageError(
                f"setting {name} has rule same_stem of `masked_rules`, which needs `inflector`: "
                "give it, or leave the rule out"
            )
        if options.unlisted == "drop" and not resources.wordlist:
            raise UsageError(
                f"setting {name} drops what no list has by `unlisted`, which needs `wordlist`: give a list"
            )
        if options.order == "frequency" and not resources.wordlist:
            raise UsageError(f"setting {name} ranks by frequency, which needs `wordlist`: give a list")
    for path in resources.model:
        check_encoder_packages(path)


def _check_generators(name: str, options: GenerationOptions, resources: GenerationFiles, choice: str) -> None:
    if twice := sorted({*options.generators} & {*options.evidence}):
        raise UsageError(
            f"setting {name} has {', '.join(twice)} both as generator and as `evidence`: take it out of one"
        )
    for generator in options.used_generators:
        need = GENERATORS[generator].needs
        if need == "wordnet" and is_installed():
            continue
        check_given(need, resources, f"setting {name} generates by {generator}", choice)
    if "thesaurus" in options.used_generators and options.senses == "best" and not resources.vectors:
        raise UsageError(
            f"setting {name} takes the best sense, which needs `vectors`: give them, or another choice of `senses`"
        )


def generation_inputs(settings: Mapping[str, GenerationOptions], resources: GenerationFiles) -> GenerationInputs:
    """Return what candidates are generated with; resources are compiled, the inflector is opened.

    Raises:
        UsageError: a generator lacks a resource it needs, or a file cannot be read.
        LexbeamError: a resource or the inflector cannot be read, or a package is missing.
    """
    check_generation(settings, resources)
    thesauri = tuple(f"{THESAURUS.name}{n}" for n in range(1, len(resources.thesaurus) + 1))
    specs = [name + text.removeprefix(THESAURUS.name) for name, text in zip(thesauri, resources.thesaurus, strict=True)]
    wordnet = resources.wordnet
    if any("wordnet" in options.used_generators for options in settings.values()):
        wordnet = spec_or_default(wordnet)
    specs += [spec for spec in (resources.vectors, wordnet) if spec]
    inflector = inflector_reference(resources.inflector) if resources.inflector else None
    if inflector is None and any(options.gives_lemmas for options in settings.values()):
        log.warning(
            "without `inflector` candidates that are lemmas stand as they are, in no form of the target; compile a "
            "form dictionary by `lexbeam simplify train-inflector`, or name one of a package (English: lemminflect): "
            "docs/tasks/simplification/languages/ has sources"
        )
    return GenerationInputs(
        settings=settings,
        lexicon=prepare(LexiconOptions(resources=(*specs, *resources.wordlist), cache=resources.cache)),
        thesauri=thesauri,
        lists=resources.list_names,
        inflector=inflector,
        encoders=_encoders(resources),
        barred=read_words(resources.bar, "bar"),
        protected=read_words(resources.protect, "protect"),
    )


def _encoders(resources: GenerationFiles) -> tuple[Encoding, ...]:
    """Return the models, each once: a copy under another name would double its probabilities."""
    encodings: dict[str, Encoding] = {}
    for path in resources.model:
        encoding = encoding_of(EncoderOptions(encoder=path, device=resources.model_device))
        encodings.setdefault(encoding.info.digest, encoding)
    return tuple(encodings.values())
