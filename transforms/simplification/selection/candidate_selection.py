"""Selection: generated candidates, filtered by the filters of their setting; and the files that filters take."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import itemgetter

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.schemas.simplification import CANDIDATES, SELECTIONS
from lexbeam.transforms.annotation.engines.known_engines import check_engine, chosen_entries, describe_engine
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import check_given, option
from lexbeam.transforms.common.portions import batched
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.inheriting import Mask, Read, write_inheriting
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.tables import PartFile
from lexbeam.transforms.inflection.models import chosen_formats, inflector_reference
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
from lexbeam.transforms.simplification.records import (
    BATCH,
    ID,
    INSTANCE_COLUMNS,
    InstanceRows,
    JoinTask,
    Row,
    instance_rows,
)
from lexbeam.transforms.simplification.resources import InflectorFile, VectorsFile
from lexbeam.transforms.simplification.selection.candidate_filter import (
    NGRAMS,
    CandidateState,
    InstanceCandidates,
    Selecting,
    SelectionOptions,
    TaggedPlace,
)
from lexbeam.transforms.simplification.selection.filters import FILTERS

_COLUMNS = ("setting", "form", "lemma", "shown", "before", "score", "votes", "inflected", "reason")


# By setting, in the order of names, what its candidates are filtered by.
Selection = Mapping[str, Selecting]


@dataclass(frozen=True)
class SelectedCount:
    """How many candidates of a setting have an outcome, and whether they go on.

    Attributes:
        outcome: their reason, else their note, else `kept`.
        kept: whether they go on.
    """

    setting: str
    outcome: str
    kept: bool
    candidates: int


@dataclass(frozen=True)
class Selected:
    """Receipt of a part of the selections, with what each instance's were made from, and what became of candidates."""

    part: PartFile
    keys: File
    counts: tuple[SelectedCount, ...]


def select(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Apply the filters of a setting, in their order, to the candidates of instances."""
    for name in selecting.options.filters:
        FILTERS[name].drop(groups, selecting)
    for group in groups:
        for state in group.states:
            state.note = state.note if state.reason is None else None


@dataclass(frozen=True)
class SelectCandidates(Step[JoinTask, Selected]):
    """Filter the candidates of one number of instances by the filters of their settings."""

    selection: Selection

    name = "simplification/select"
    noun = "selections"
    unit = "parts"
    blas = True

    def make(self, artefact: Artefact, task: JoinTask) -> Selected:
        """Write a part of the selections."""
        used = self._used()
        schema = SELECTIONS.schema(filters=used)
        counts: Counter[tuple[str, str, bool]] = Counter()

        def made(wanted: Mask) -> Iterator[pa.Table]:
            for batch in batched(instance_rows(task, {CANDIDATES.name: _COLUMNS}, wanted), BATCH):
                yield pa.Table.from_pylist(_selected(batch, self.selection), schema)

        def count(rows: pa.Table) -> None:
            outcomes = pc.coalesce(rows["reason"], rows["note"], "kept").to_pylist()
            counts.update(zip(rows["setting"].to_pylist(), outcomes, rows["kept"].to_pylist(), strict=True))

        read = [Read([task.instances], INSTANCE_COLUMNS), Read([task.tables[CANDIDATES.name]], [ID, *_COLUMNS])]
        if "pos" in used:  # an engine may tag a sentence otherwise beside others
            artefact.before = None
        part, keys = write_inheriting(artefact, schema, ID, SELECTIONS.key, read, made, count)
        return Selected(part, keys, tuple(SelectedCount(*key, counts[key]) for key in sorted(counts)))

    def chosen(self, _: JoinTask) -> Mapping[str, Collection[str]]:
        """Return the filters, and what tags, encodes and inflects for them."""
        used = self._used()
        settings = self.selection.values()
        encoders = (one.encoder.chosen() for one in settings if one.encoder is not None)
        return {
            **next(encoders, {}),
            "lexbeam.transforms.simplification.selection.filters:FILTERS": sorted(used),
            **chosen_entries(next(iter(settings)).engine if "pos" in used else ""),
            **chosen_formats(*(one.inflector for one in settings)),
        }

    def _used(self) -> set[str]:
        return {name for selecting in self.selection.values() for name in selecting.options.filters}


def _selected(batch: Sequence[InstanceRows], selection: Selection) -> list[Row]:
    by_setting: dict[str, list[InstanceCandidates]] = {}
    for joined in batch:
        states_by_setting: dict[str, list[CandidateState]] = {}
        for row in joined.rows[CANDIDATES.name]:
            if row["reason"] is None:
                states_by_setting.setdefault(row["setting"], []).append(_state(row))
        for setting, states in states_by_setting.items():
            by_setting.setdefault(setting, []).append(InstanceCandidates(joined.instance, states))
    rows = []
    tagged: dict[TaggedPlace, str] = {}
    for setting, groups in sorted(by_setting.items()):
        select(groups, selection[setting]._replace(tagged=tagged))
        rows += [_row(group.instance.instance_id, setting, state) for group in groups for state in group.states]
    return sorted(rows, key=itemgetter("instance_id", "setting", "form"))


def _state(row: Row) -> CandidateState:
    shown = row["shown"] if row["shown"] is not None else row["form"]
    return CandidateState(
        row["form"],
        shown,
        row["lemma"],
        row["before"],
        row["score"],
        row["votes"],
        came_as_form=row["inflected"] is None,
    )


def _row(instance_id: str, setting: str, state: CandidateState) -> Row:
    columns = asdict(state)
    del columns["shown"], columns["before"], columns["came_as_form"]
    return {**columns, "instance_id": instance_id, "setting": setting, "kept": state.reason is None}


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
