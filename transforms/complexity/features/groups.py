"""The features of instances: the registry of groups, the columns that they give, and their parts and coverage.

    setting = FeatureSetting(use=("form", "frequency"), lexicon=lexicon, lists=(), languages=("de",))
    table = features_of(rows_of_instances, setting)

A feature of words has three columns: NAME is that of a single word, and of an expression the mean
of what is known of its first and its last word (a flag: whether it holds of both; a code: the last
word's); NAME_first and NAME_last are those of an expression's words, null for single words.

ComputeFeatures   a part of the instances -> a part of the features, and its coverage
SumCoverage       the coverage of all parts -> table complexity/coverage
"""

import logging
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.columns import column
from lexbeam.schemas.complexity import ABSENT, COVERAGE, FEATURES, features_schema
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.errors import UsageError, check_packages
from lexbeam.transforms.common.options.fields import check_given, option
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.identity import INHERITED
from lexbeam.transforms.common.store.inheriting import Mask, Read, write_inheriting
from lexbeam.transforms.common.store.receipts import File, checked
from lexbeam.transforms.common.store.tables import (
    Part,
    PartFile,
    read_rows,
    read_table,
    sort_rows,
    write_part,
    write_rows,
)
from lexbeam.transforms.common.texts.languages import stated_language
from lexbeam.transforms.complexity.features.base import (
    LAYERS,
    READ,
    Feature,
    FeatureGroup,
    FeatureSetting,
    InstanceBatch,
    batch_of,
    known_tag,
    spread,
)
from lexbeam.transforms.complexity.features.corpus_counts import CORPUS, CountedWords, open_counts
from lexbeam.transforms.complexity.features.in_sentence import CONTEXT, SYNTAX
from lexbeam.transforms.complexity.features.looked_up import MWE, NORMS, WORDNET, FeatureLists
from lexbeam.transforms.complexity.features.surprisal import SURPRISAL, CountedNgrams, open_ngrams
from lexbeam.transforms.complexity.features.vectors import ENCODER, RESOURCE, VECTORS, centroids_of, encoding_of
from lexbeam.transforms.complexity.features.word_forms import FORM, FREQUENCY, TRIGRAMS, ZIPF
from lexbeam.transforms.corpora.document_reading import column_names
from lexbeam.transforms.lexicon.encoders.loading_encoders import check_encoder_packages
from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions
from lexbeam.transforms.lexicon.resource_cache import parse_spec
from lexbeam.transforms.lexicon.resources import LexiconOptions, ResourceAlias, check_specs, prepare

GROUPS: Registry[FeatureGroup] = Registry(
    {
        "form": FORM,
        "frequency": FREQUENCY,
        "norms": NORMS,
        "wordnet": WORDNET,
        "vectors": VECTORS,
        "context": CONTEXT,
        "syntax": SYNTAX,
        "surprisal": SURPRISAL,
        "mwe": MWE,
        "corpus": CORPUS,
        "encoder": ENCODER,
    },
    what="group of features",
    group="lexbeam.feature_groups",
)


class FeatureColumn(NamedTuple):
    """A column of the table.

    Attributes:
        name: its name.
        group: the group of its feature.
        feature: its feature.
        of: `whole`, or the `first` or `last` word of an expression.
    """

    name: str
    group: str
    feature: Feature
    of: str = "whole"

    def field(self) -> pa.Field:
        """Return the Arrow field.

        Its metadata name doc, unit, range, group, source, `of`, language (those that it is known
        for, or `any`), needs_corpus (yes or no) and, of a vector, dim.
        """
        doc = self.feature.doc
        if self.of != "whole":
            doc = f"{doc}: of the expression's {self.of} word"
        kind = pa.bool_() if self.feature.range == "0 or 1" else pa.float64()
        if self.feature.dim:
            kind = pa.list_(pa.float32())
        arrow = column(self.name, kind, doc, unit=self.feature.unit, range=self.feature.range, nullable=True)
        more = {"group": self.group, "source": self.feature.source, "of": self.of}
        if self.feature.dim:
            more["dim"] = str(self.feature.dim)
        languages = self.feature.languages
        more["language"] = "any" if languages is None else " ".join(languages)
        more["needs_corpus"] = "yes" if self.feature.needs_corpus else "no"
        return arrow.with_metadata({**arrow.metadata, **more})


def columns_of(setting: FeatureSetting) -> tuple[FeatureColumn, ...]:
    """Return the columns of a setting, in their order.

    Raises:
        UsageError: a word list has the name of another column.
    """
    columns = tuple(_columns(setting))
    names = list(features_schema().names)
    for feature_column in columns:
        if feature_column.name in names:
            raise UsageError(
                f"two columns would be called {feature_column.name!r} (group {feature_column.group}): "
                "give the word list another name"
            )
        names.append(feature_column.name)
    return columns


def _columns(setting: FeatureSetting) -> Iterator[FeatureColumn]:
    for name in setting.use:
        group = GROUPS[name]
        for feature in group.columns(setting):
            yield FeatureColumn(feature.name, name, feature, feature.of)
            if group.of_words is not None and feature.each:
                yield FeatureColumn(f"{feature.name}_first", name, feature, "first")
                yield FeatureColumn(f"{feature.name}_last", name, feature, "last")


def schema_of(setting: FeatureSetting) -> pa.Schema:
    """Return the schema of `complexity/features` for a setting."""
    return features_schema(column.field() for column in columns_of(setting))


def group_of_target(token: str) -> str:
    """Return the hash of a case-folded target, 16 hexadecimal digits."""
    return format(int(content_hashes([token.casefold()])[0]), "016x")


def features_of(instances: pa.Table, setting: FeatureSetting) -> pa.Table:
    """Return the features of instances, in their order.

    Args:
        instances: columns `READ` of `complexity/instances`; others are ignored.
        setting: groups and resources.

    Returns:
        A table with the schema of `schema_of`.
    """
    schema = schema_of(setting)
    if not instances.num_rows:
        return schema.empty_table()
    batch = batch_of(instances.select(columns_read(instances.column_names)))
    values: dict[str, np.ndarray] = {}
    for name in setting.use:
        group = GROUPS[name]
        if group.of_words is not None:
            of_words = group.of_words
            of_language = spread(batch.words, lambda words, of=of_words: of(words, setting))  # type: ignore[misc]
            for feature in filter(attrgetter("each"), group.columns(setting)):
                values.update(_of_targets(feature, of_language.get(feature.name), batch))
        if group.of_instances is not None:
            values.update(group.of_instances(batch, setting))
    rows = batch.rows
    hashes = content_hashes([token.casefold() for token in rows["token"].to_pylist()])
    columns: list[pa.Array | pa.ChunkedArray] = [rows["instance_id"], rows["kind"], rows["genre"]]
    columns.append(pa.array([format(value, "016x") for value in hashes.tolist()]))
    for field in schema:
        if len(columns) > schema.get_field_index(field.name):
            continue
        columns.append(_arrow(values.get(field.name), field, rows.num_rows))
    return pa.table(columns, schema=schema)


def columns_read(names: Collection[str]) -> list[str]:
    """Return the columns of instances that features are computed from."""
    return [*READ, *(name for name in LAYERS if name in names)]


def _arrow(values: np.ndarray | None, field: pa.Field, count: int) -> pa.Array:
    if values is None:
        return pa.nulls(count, field.type)
    if pa.types.is_list(field.type):
        known = ~np.isnan(values).any(axis=1)
        ends = np.concatenate([[0], np.cumsum(known)]) * values.shape[1]
        flat = pa.array(values[known].astype(np.float32).ravel())
        return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), flat, mask=pa.array(~known)).cast(field.type)
    if values.dtype == bool:
        return pa.array(values).cast(field.type)
    missing = np.isnan(values)
    if pa.types.is_boolean(field.type):
        return pa.array(values > 0, mask=missing)
    return pa.array(values, field.type, mask=missing)


def _of_targets(feature: Feature, values: np.ndarray | None, batch: InstanceBatch) -> Mapping[str, np.ndarray]:
    """Return the three columns of a feature of words."""
    if values is None:
        values = np.full(sum(len(words.forms) for words in batch.words), np.nan)
    values = values.astype(float)
    first, last = values[batch.first], values[batch.last]
    if feature.whole == "both":
        whole = np.minimum(first, last)
    elif feature.whole == "last":
        whole = last
    else:
        whole = first.copy()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # where nothing is known of either
            whole[batch.mwe] = np.nanmean([first[batch.mwe], last[batch.mwe]], axis=0)
    return {
        feature.name: whole,
        f"{feature.name}_first": np.where(batch.mwe, first, np.nan),
        f"{feature.name}_last": np.where(batch.mwe, last, np.nan),
    }


def needed(use: Sequence[str]) -> dict[str, str]:
    """Return the options that groups need, by group."""
    return {name: GROUPS[name].needs for name in use if GROUPS[name].needs}


log = logging.getLogger("lexbeam")

# Instances computed at once, those of a row group: each distinct word of a batch is looked up once, so
# larger batches are faster.
_BATCH = 16_384
_VECTORS = ResourceAlias(RESOURCE, "vectors")
_GROUPS = "lexbeam.transforms.complexity.features.groups:GROUPS"


@dataclass(frozen=True, kw_only=True)
class FeatureOptions(FeatureLists, EncoderOptions):
    """Which features are computed, and from what."""

    use: tuple[str, ...] = option(
        (), help="groups of features; if not given, all whose needs are met", metavar="GROUP", choices=_GROUPS
    )
    vectors: str | None = option(
        None,
        help="static vectors, FILE or DIR:slice=NAME[,seed=N] of `lexbeam change`, and what "
        "docs/reference/resources.md has of options",
        metavar="FILE|DIR",
        path="resource",
        within=_VECTORS.within,
        stands_for=_VECTORS.spec,
        check=check_specs,
        group="resources",
    )
    corpus: str | None = option(
        None,
        help="folder of `lexbeam corpus`: a reference corpus in which words and n-grams are counted",
        metavar="CORPUS_DIR",
        path="place",
    )
    languages: tuple[str, ...] = option(
        ("de", "en", "es", "fr", "it", "nl", "pt", "sv"),
        help="languages beside its own in which a word's frequency is looked up",
        metavar="LANG",
        stands_for=stated_language,
        group="resources",
    )


def check_features(options: FeatureOptions) -> None:
    """Check that the groups named have the options that they need.

    Raises:
        UsageError: a group lacks an option that it needs, or a package that is not installed.
    """
    for name in options.use:
        check_given(GROUPS[name].needs, options, f"`use` names the group {name}", "use")
    check_packages("features need", ("wordfreq",), "complexity")  # has the languages
    for name in _groups_of(options):
        GROUPS[name].check_installed(f"group `{name}`")
    if options.encoder is not None:
        check_encoder_packages(options.encoder)


def setting_of(
    options: FeatureOptions, languages: Sequence[str | None], targets: Iterable[tuple[str | None, str]] = ()
) -> FeatureSetting:
    """Return the groups and resources for instances of some languages; resources are compiled.

    Args:
        options: of the command.
        languages: those of the instances.
        targets: genre and target of the instances; only vectors need them.

    Raises:
        UsageError: a group lacks an option that it needs, or two columns would have the same name.
        LexbeamError: a resource cannot be read, or a package is missing.
    """
    check_features(options)
    use = _groups_of(options)
    present = sorted({tag for tag in map(known_tag, languages) if tag})
    # With instances of one language only, a second column of its frequency would repeat the first.
    others = tuple(dict.fromkeys(tag for tag in options.languages if [tag] != present))
    known = _wordfreq_languages()
    for tag in options.languages:
        if tag not in known:
            raise UsageError(f"`languages`: wordfreq has no language {tag!r}; there are {', '.join(known)}")
    for tag in present:
        if tag not in known:
            log.warning("wordfreq has no language %r: its frequencies are null", tag)
    listed = [tag for tag in present if tag in known]
    resources: list[str] = []
    if {"frequency", "context", "mwe", "surprisal", "vectors"} & set(use):
        wanted = {*listed, *(others if "frequency" in use else ())}
        resources += [f"{ZIPF}=wordfreq:{tag}" for tag in sorted(wanted)]
    if "form" in use:
        resources += [f"{TRIGRAMS}=trigrams:{tag}" for tag in listed]
    if "wordnet" in use and options.wordnet:
        resources.append(options.wordnet)
    if "vectors" in use and options.vectors:
        resources.append(options.vectors)
    lists: tuple[str, ...] = ()
    if "norms" in use:
        resources += options.wordlist
        lists = tuple(sorted({parse_spec(text).name for text in options.wordlist}))
    lexicon = prepare(LexiconOptions(resources=tuple(resources), cache=options.cache))
    centroids = centroids_of(targets, lexicon) if "vectors" in use else ()
    encoder = encoding_of(options) if "encoder" in use else None
    setting = FeatureSetting(use, lexicon, lists, others if "frequency" in use else (), centroids, encoder=encoder)
    columns_of(setting)
    return setting


def _groups_of(options: FeatureOptions) -> tuple[str, ...]:
    return tuple(
        name for name, group in GROUPS.items() if (name in options.use if options.use else _by_default(group, options))
    )


def _by_default(group: FeatureGroup, options: FeatureOptions) -> bool:
    needed = [name for name in (group.needs, group.default_needs) if name]
    return all(getattr(options, name) for name in needed)


def _wordfreq_languages() -> list[str]:
    from wordfreq import available_languages

    return sorted(available_languages())


class FeatureTask(NamedTuple):
    """A part of the instances.

    Attributes:
        part: the part.
        counts: of the reference corpus, if any.
        ngrams: counts of n-grams, if surprisal is computed.
    """

    part: Annotated[Part, INHERITED]
    counts: CountedWords | None = None
    ngrams: CountedNgrams | None = None


def feature_tasks(
    part: Part, counts: CountedWords | None = None, ngrams: CountedNgrams | None = None
) -> Iterator[tuple[int, FeatureTask]]:
    """Yield the task of a part of the instances."""
    yield part.number, FeatureTask(part, counts, ngrams)


@dataclass(frozen=True)
class Featured:
    """Receipt of a part of the features.

    Attributes:
        part: the part.
        keys: what each instance's features were made from.
        coverage: its rows of complexity/coverage.
    """

    part: PartFile
    keys: File
    coverage: File


@dataclass(frozen=True)
class ComputeFeatures(Step[FeatureTask, Featured]):
    """Compute the features of a part of the instances, and of how many each is known."""

    setting: FeatureSetting

    name = "complexity/feature"
    noun = "features"
    unit = "parts"

    def make(self, artefact: Artefact, task: FeatureTask) -> Featured:
        """Write a part of the features, and its coverage."""
        setting = self.setting
        if task.counts is not None:
            setting = setting._replace(counts=open_counts(task.counts))
        if task.ngrams is not None:
            setting = setting._replace(ngrams=open_ngrams(task.ngrams))
        columns = columns_of(setting)
        covered = COVERAGE.schema().empty_table()

        names = columns_read(column_names(task.part))
        absent = absent_layers(columns, names)

        def made(wanted: Mask) -> Iterator[pa.Table]:
            for some in read_rows([checked(task.part)], names):
                rows = some.filter(wanted(some))
                for start in range(0, rows.num_rows, _BATCH):
                    yield features_of(rows.slice(start, _BATCH), setting)

        def cover(rows: pa.Table) -> None:
            nonlocal covered
            covered = _added([covered, _coverage(rows, columns, absent)])

        read = [Read([task.part], names)]
        part, keys = write_inheriting(artefact, schema_of(setting), "instance_id", FEATURES.key, read, made, cover)
        with artefact.writing(".coverage.parquet") as stream:
            write_rows(stream, COVERAGE.schema(), [covered], sort_keys=COVERAGE.key)
        return Featured(part, keys, artefact.file(".coverage.parquet"))

    def chosen(self, _: FeatureTask) -> Mapping[str, Collection[str]]:
        """Return the groups."""
        return {_GROUPS: self.setting.use}


def absent_layers(columns: Sequence[FeatureColumn], names: Collection[str]) -> dict[str, str]:
    """Return by layer that columns need and instances lack the reason that coverage gives.

    Args:
        columns: those of a setting.
        names: the columns of the instances.
    """
    needed = {column.feature.layer for column in columns}
    return {layer: why for why, layer in ABSENT.items() if layer in needed and layer not in names}


def _coverage(features: pa.Table, columns: Sequence[FeatureColumn], absent: Mapping[str, str]) -> pa.Table:
    """Return for how many instances of each kind and genre each column is known."""
    groups = pa.TableGroupBy(_null_unknown(features, columns), ["kind", "genre"])
    counts = groups.aggregate(
        [("instance_id", "count"), *((one.name, "count", pc.CountOptions(mode="only_valid")) for one in columns)]
    )
    rows = []
    for row in counts.to_pylist():
        for one in columns:
            if row["kind"] == "single" and (one.of != "whole" or one.group == "mwe"):
                continue  # single words cannot have it
            rows.append(
                {
                    "feature": one.name,
                    "feature_group": one.group,
                    "kind": row["kind"],
                    "genre": row["genre"],
                    "instances": row["instance_id_count"],
                    "known": row[f"{one.name}_count"],
                    "reason": absent.get(one.feature.layer),
                }
            )
    return pa.Table.from_pylist(rows, COVERAGE.schema())


def _null_unknown(features: pa.Table, columns: Sequence[FeatureColumn]) -> pa.Table:
    """Return features with null for each flag that says that a value is not known."""
    for one in columns:
        if one.feature.name.endswith("_known"):
            place = features.schema.get_field_index(one.name)
            values = features[one.name]
            nulled = pc.if_else(values, values, pa.scalar(None, pa.bool_()))
            features = features.set_column(place, one.name, nulled)
    return features


def _added(tables: Sequence[pa.Table]) -> pa.Table:
    keys = ["feature", "feature_group", "kind", "genre", "reason"]
    whole = pa.concat_tables([COVERAGE.schema().empty_table(), *tables])
    sums = pa.TableGroupBy(whole, keys).aggregate([("instances", "sum"), ("known", "sum")])
    # Arrow's sums may be null; the next addition needs the schema again.
    named = sums.rename_columns([*keys, "instances", "known"]).select(COVERAGE.schema().names)
    return sort_rows(named.cast(COVERAGE.schema()), COVERAGE.key)


def coverage_tasks(featured: Sequence[tuple[int, Featured]]) -> Iterator[tuple[int, tuple[File, ...]]]:
    """Yield the task of all parts: their coverage."""
    yield 0, tuple(sorted((of.coverage for _, of in featured), key=attrgetter("sha256")))


@dataclass(frozen=True)
class SumCoverage(Step[Sequence[File], PartFile]):
    """Sum the coverage of all parts."""

    name = "complexity/cover"
    noun = "coverage"
    unit = "tables"

    def make(self, artefact: Artefact, task: Sequence[File]) -> PartFile:
        """Write complexity/coverage."""
        rows = read_table([checked(file) for file in task])
        return write_part(artefact, COVERAGE.schema(), [_added([rows])], sort_keys=COVERAGE.key)
