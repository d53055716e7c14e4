"""Files that candidates are selected with, and what is opened of them for each setting."""

from collections.abc import Mapping
from dataclasses import dataclass

from lexbeam.schemas.corpus.sentences import UPOS
from lexbeam.transforms.annotation.engines.registry import check_engine, describe_engine
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.options.needs import check_given
from lexbeam.transforms.inflection.models import inflector_reference
from lexbeam.transforms.lexicon.encoders.loading_encoders import check_encoder_packages
from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions, encoding_of
from lexbeam.transforms.lexicon.resources import (
    LexiconOptions,
    ResourceAlias,
    check_specs,
    is_installed,
    prepare,
    spec_or_default,
    wordnet_option,
)
from lexbeam.transforms.simplification.resources import InflectorFile, VectorsFile
from lexbeam.transforms.simplification.selection.filter import NGRAMS, Selecting
from lexbeam.transforms.simplification.selection.filters import FILTERS
from lexbeam.transforms.simplification.selection.options import SelectionOptions
from lexbeam.transforms.simplification.selection.stage import Selection

_NGRAMS = ResourceAlias(NGRAMS)


def check_tagger(value: str) -> None:
    """Check the specification of an engine that tags.

    Raises:
        UsageError: it is wrong, or the engine tags nothing.
    """
    if value.partition(":")[0] == "none":
        raise UsageError("`engine` none tags nothing: name one that does, or leave filter pos out")
    check_engine(value)


@dataclass(frozen=True, kw_only=True)
class SelectionFiles(InflectorFile, VectorsFile, EncoderOptions):
    """What candidates are selected with; the same for all settings."""

    ngrams: str | None = option(
        None,
        help="counts of pairs for filters ngram and bigrams: FILE:word=COLUMN,value=COLUMN, two words with a space in "
        "the first, for bigrams a word and a part of speech",
        metavar="SPEC",
        path="resource",
        data="wordlist",
        within=_NGRAMS.within,
        stands_for=_NGRAMS.spec,
        check=check_specs,
        group="resources",
    )
    wordnet: str | None = wordnet_option()


def check_selection(
    settings: Mapping[str, SelectionOptions], resources: SelectionFiles, engine: str | None, choice: str = "filters"
) -> None:
    """Check that filters have what they need, and that parts of speech are named rightly.

    Args:
        settings: by name.
        resources: the files that are given.
        engine: what tags, by its specification.
        choice: the option by which other filters are chosen.

    Raises:
        UsageError: a filter lacks what it needs, or there is no such part of speech.
    """
    for name, options in settings.items():
        where = f"setting {name} filters" if name else "`filters`: they filter"
        for filter_name in options.filters:
            need = FILTERS[filter_name].needs
            if need == "wordnet" and is_installed():
                continue
            if need != "engine":
                check_given(need, resources, f"{where} by {filter_name}", choice)
            elif not engine:
                raise UsageError(
                    f"{where} by {filter_name}, which needs `engine`, one that gives parts of speech, such as "
                    f"spacy:NAME: give it, or choose otherwise by `{choice}`"
                )
            if need == "encoder":
                check_encoder_packages(str(resources.encoder))
        for pair in options.same_pos:
            parts = pair.split("=")
            if len(parts) != 2 or not set(parts) <= set(UPOS):
                known = ", ".join(UPOS)
                raise UsageError(f"`same_pos` {pair!r}: it is two parts of speech, VERB=AUX, of {known}")
    if engine:
        info = describe_engine(engine)
        if not info.has_upos and any("pos" in options.filters for options in settings.values()):
            raise UsageError(f"`engine` {info.name} gives no parts of speech: name another for filter pos")


def selection_of(settings: Mapping[str, SelectionOptions], resources: SelectionFiles, engine: str | None) -> Selection:
    """Return what each setting filters with; resources are compiled, the inflector is opened.

    Args:
        settings: all of them, by name.
        resources: the files.
        engine: what tags, by its specification.

    Raises:
        UsageError: a filter lacks what it needs.
        LexbeamError: a resource or the inflector cannot be read.
    """
    check_selection(settings, resources, engine)
    used = {FILTERS[name].needs for options in settings.values() for name in options.filters}
    wordnet = spec_or_default(resources.wordnet) if "wordnet" in used else None
    specs = tuple(spec for spec in (resources.vectors, resources.ngrams, wordnet) if spec)
    lexicon = prepare(LexiconOptions(resources=specs, cache=resources.cache))
    inflector = inflector_reference(resources.inflector) if resources.inflector else None
    fingerprint = describe_engine(engine).fingerprint if engine else ""
    encoder = encoding_of(resources) if "encoder" in used else None
    return {
        name: Selecting(
            options,
            lexicon,
            inflector,
            engine or "",
            fingerprint,
            encoder if any(FILTERS[one].needs == "encoder" for one in options.filters) else None,
        )
        for name, options in settings.items()
    }
