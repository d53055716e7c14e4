"""Files that candidates are generated from, and all that a part of the instances is asked with."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from transforms.common.code.registry import docs_of
from transforms.common.errors import UsageError
from transforms.common.options.fields import option
from transforms.common.options.small_texts import read_lines
from transforms.inflection.kept import KeptInflector, kept_inflector, within_inflector
from transforms.lexicon.encoders.base import check_encoder, path_of
from transforms.lexicon.encoders.encoding import Encoding, encoding_of
from transforms.lexicon.encoders.options import DEVICES, EncoderOptions
from transforms.lexicon.kinds import parse_spec
from transforms.lexicon.resources import (
    CacheOptions,
    Lexicon,
    LexiconOptions,
    check_resources,
    check_specs,
    path_within,
    prepare,
)
from transforms.simplification.generation.forms import key_of
from transforms.simplification.generation.generator import THESAURUS, VECTORS, WORDNET, Context
from transforms.simplification.generation.generators import GENERATORS
from transforms.simplification.generation.options import GenerationOptions

__all__ = ["GenerationFiles", "GenerationInputs", "asking_of", "check_generation"]

log = logging.getLogger("lexbeam")


def _check_models(paths: tuple[str, ...]) -> None:
    for path in paths:
        check_encoder(path)


@dataclass(frozen=True, kw_only=True)
class GenerationFiles(CacheOptions):
    """What candidates are generated from; the same for all settings."""

    thesaurus: tuple[str, ...] = option(
        (),
        help="thesauri: MyThes files, tab files of Open Multilingual Wordnet; behind it :format=, encoding=, language=",
        metavar="FILE",
        split=False,
        path="resource",
        within=THESAURUS.within,
        stands_for=THESAURUS.spec,
        check=check_specs,
        group="resources",
    )
    vectors: str | None = option(
        None,
        help="static vectors, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`",
        metavar="FILE|DIR",
        path="resource",
        within=VECTORS.within,
        stands_for=VECTORS.spec,
        check=check_specs,
        group="resources",
    )
    wordnet: str | None = option(
        None,
        help="folder of the database files of WordNet, see docs/reference/wordnet.md",
        metavar="DIR",
        path="resource",
        within=WORDNET.within,
        stands_for=WORDNET.spec,
        check=check_specs,
        group="resources",
    )
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
    inflector: str | None = option(
        None,
        help="what makes forms of lemmas: a file of `lexbeam simplify train-inflector`, or lemminflect for English",
        metavar="FILE",
        path="file",
        within=within_inflector,
        group="resources",
    )
    wordlist: tuple[str, ...] = option(
        (),
        help="word lists, NAME=FILE:word=COLUMN,value=COLUMN or NAME=wordfreq:LANG; the first settles ties",
        metavar="NAME=SPEC",
        split=False,
        path="resource",
        within=path_within,
        check=check_resources,
        group="resources",
    )
    bar: str | None = option(
        None,
        help="words that are no candidates: a text file, one a line",
        metavar="FILE",
        path="file",
        group="resources",
    )
    protect: str | None = option(
        None,
        help="words that get no candidates: a text file, one a line",
        metavar="FILE",
        path="file",
        group="resources",
    )


class GenerationInputs(NamedTuple):
    """What the instances of a part are asked with.

    Attributes:
        settings: by name, in the order of names.
        lexicon: all resources.
        thesauri: names of the thesauri, in the order in which they were given.
        lists: names of the word lists, likewise.
        inflector: makes forms of lemmas; None: lemmas stand as they are.
        encoders: masked language models.
        barred: words that are no candidates, sorted.
        protected: words that get none, sorted.
        columns: all generators and their doc lines, which the table has columns of.
    """

    settings: Mapping[str, GenerationOptions]
    lexicon: Lexicon
    thesauri: tuple[str, ...]
    lists: tuple[str, ...]
    inflector: KeptInflector | None
    encoders: tuple[Encoding, ...]
    barred: tuple[str, ...]
    protected: tuple[str, ...]
    columns: tuple[tuple[str, str], ...] = tuple(docs_of(GENERATORS).items())

    def context(self, setting: str, gold: Mapping[str, list[str]]) -> Context:
        """Return what generators of a setting are given."""
        return Context(
            self.settings[setting], self.lexicon, self.thesauri, self.lists, self.inflector, self.encoders, gold
        )

    def uses(self, generator: str) -> bool:
        """Return whether some setting uses a generator."""
        return any(generator in (*own.generators, *own.evidence) for own in self.settings.values())


def check_generation(settings: Mapping[str, GenerationOptions], given: GenerationFiles) -> None:
    """Check that generators have what they need.

    Raises:
        UsageError: one has not.
    """
    for name, own in settings.items():
        if twice := sorted({*own.generators} & {*own.evidence}):
            raise UsageError(
                f"setting {name} has {', '.join(twice)} both as generator and as `evidence`: take it out of one"
            )
        for generator in (*own.generators, *own.evidence):
            need = GENERATORS[generator].needs
            if need and not getattr(given, need):
                raise UsageError(f"setting {name} generates by {generator}, which needs `{need}`: give it")
        if "thesaurus" in (*own.generators, *own.evidence) and own.senses == "best" and not given.vectors:
            raise UsageError(
                f"setting {name} takes the best sense, which needs `vectors`: give them, or another choice of `senses`"
            )
        if own.sense_votes == "cosine" and not given.vectors:
            raise UsageError(f"setting {name} weighs senses by cosine, which needs `vectors`")
        if "masked-lm" in own.generators and "same_stem" in own.masked.masked_rules and not given.inflector:
            raise UsageError(
                f"setting {name} has rule same_stem of `masked_rules`, which needs `inflector`: "
                "give it, or leave the rule out"
            )
        if own.order == "frequency" and not given.wordlist:
            raise UsageError(f"setting {name} ranks by frequency, which needs `wordlist`: give a list")


def asking_of(settings: Mapping[str, GenerationOptions], given: GenerationFiles) -> GenerationInputs:
    """Return what is asked; resources are compiled, the inflector is read.

    Raises:
        UsageError: a generator has not what it needs, or a file cannot be read.
        LexbeamError: a resource or the inflector cannot be read, or a package is missing.
    """
    check_generation(settings, given)
    thesauri = tuple(f"{THESAURUS.name}{n}" for n in range(1, len(given.thesaurus) + 1))
    specs = [name + text.removeprefix(THESAURUS.name) for name, text in zip(thesauri, given.thesaurus, strict=True)]
    specs += [one for one in (given.vectors, given.wordnet) if one]
    lexicon = prepare(LexiconOptions(resources=(*specs, *given.wordlist), cache=given.cache))
    inflector = kept_inflector(given.inflector) if given.inflector else None
    if inflector is None and any(own.gives_lemmas for own in settings.values()):
        log.warning("without `inflector` candidates that are lemmas stand as they are, in no form of the target")
    return GenerationInputs(
        settings=settings,
        lexicon=lexicon,
        thesauri=thesauri,
        lists=tuple(dict.fromkeys(parse_spec(text).name for text in given.wordlist)),
        inflector=inflector,
        encoders=_encoders(given),
        barred=_words(given.bar, "bar"),
        protected=_words(given.protect, "protect"),
    )


def _encoders(given: GenerationFiles) -> tuple[Encoding, ...]:
    """Return the models, each once: a copy under another name would double its probabilities."""
    found: dict[str, Encoding] = {}
    for path in given.model:
        one = encoding_of(EncoderOptions(encoder=path, device=given.model_device))
        found.setdefault(one.info.digest, one)
    return tuple(found.values())


def _words(path: str | None, name: str) -> tuple[str, ...]:
    if path is None:
        return ()
    return tuple(sorted({key_of(line) for line in read_lines(path, name) if line.strip()}))
