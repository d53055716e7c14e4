"""What candidates are selected with, and what each setting is filtered by."""

from collections.abc import Mapping
from dataclasses import dataclass

from schemas.corpus.sentences import UPOS
from transforms.annotation.engines.registry import check_engine, describe_engine
from transforms.common.errors import UsageError
from transforms.common.options.fields import option
from transforms.common.options.option import Within
from transforms.inflection.kept import kept_inflector, within_inflector
from transforms.lexicon.resources import CacheOptions, LexiconOptions, check_specs, path_within, prepare
from transforms.simplification.selection.filter import NGRAMS, VECTORS, Selecting
from transforms.simplification.selection.filters import FILTERS
from transforms.simplification.selection.options import SelectionOptions
from transforms.simplification.selection.stage import Selection

__all__ = ["SelectionFiles", "check_selection", "check_tagger", "selection_of"]


def _as_ngrams(text: str) -> str:
    return text if text.startswith(f"{NGRAMS}=") else f"{NGRAMS}={text}"


def _within_ngrams(text: str) -> Within | None:
    return path_within(_as_ngrams(text))


def check_tagger(value: str) -> None:
    """Check an engine that is to tag.

    Raises:
        UsageError: it is wrong, or tags nothing.
    """
    if value.partition(":")[0] == "none":
        raise UsageError("`engine` none tags nothing: name one that does, or leave filter pos out")
    check_engine(value)


@dataclass(frozen=True, kw_only=True)
class SelectionFiles(CacheOptions):
    """What candidates are selected with; the same for all settings."""

    inflector: str | None = option(
        None,
        help="what says the lemmas of forms: a file of `lexbeam simplify train-inflector`; "
        "without it those that candidates came with",
        metavar="FILE",
        path="file",
        within=within_inflector,
        group="resources",
    )
    vectors: str | None = option(
        None,
        help="static vectors for filter similarity, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`",
        metavar="FILE|DIR",
        path="resource",
        within=VECTORS.within,
        stands_for=VECTORS.spec,
        check=check_specs,
        group="resources",
    )
    ngrams: str | None = option(
        None,
        help="counts of bigrams for filter ngram: FILE:word=COLUMN,value=COLUMN, two words with a space in the first",
        metavar="SPEC",
        path="resource",
        within=_within_ngrams,
        stands_for=_as_ngrams,
        check=check_specs,
        group="resources",
    )


def check_selection(settings: Mapping[str, SelectionOptions], given: SelectionFiles, engine: str | None) -> None:
    """Check that filters have what they need, and what is said of parts of speech.

    Raises:
        UsageError: one has not, or the words are wrong.
    """
    for name, own in settings.items():
        where = f"setting {name} filters" if name else "`filters`: they filter"
        for one in own.filters:
            need = FILTERS[one].needs
            has = engine if need == "engine" else getattr(given, need) if need else True
            if not has:
                raise UsageError(f"{where} by {one}, which needs `{need}`: give it")
        for pair in own.same_pos:
            parts = pair.split("=")
            if len(parts) != 2 or not set(parts) <= set(UPOS):
                known = ", ".join(UPOS)
                raise UsageError(f"`same_pos` {pair!r}: it is two parts of speech, VERB=AUX, of {known}")
    if engine:
        info = describe_engine(engine)
        if not info.has_upos and any("pos" in own.filters for own in settings.values()):
            raise UsageError(f"`engine` {info.name} gives no parts of speech: name another for filter pos")


def selection_of(settings: Mapping[str, SelectionOptions], given: SelectionFiles, engine: str | None) -> Selection:
    """Return what settings are filtered by; resources are compiled, the inflector is read.

    Args:
        settings: all that there are.
        given: what they filter with.
        engine: what tags, by its specification.

    Raises:
        UsageError: a filter has not what it needs.
        LexbeamError: a resource or the inflector cannot be read.
    """
    check_selection(settings, given, engine)
    specs = tuple(one for one in (given.vectors, given.ngrams) if one)
    lexicon = prepare(LexiconOptions(resources=specs, cache=given.cache))
    inflector = kept_inflector(given.inflector) if given.inflector else None
    fingerprint = describe_engine(engine).fingerprint if engine else ""

    def of(own: SelectionOptions) -> Selecting:
        return Selecting(own, lexicon, inflector, engine or "", fingerprint)

    return {name: of(own) for name, own in settings.items()}
