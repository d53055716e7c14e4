"""The features of instances: the registry of groups, and the columns that they give.

    setting = FeatureSetting(use=("form", "frequency"), lexicon=lexicon, lists=(), languages=("de",))
    table = features_of(rows_of_instances, setting)

A feature of words has three columns: NAME is that of a single word, and of an expression the mean
of what is known of its first and its last word (a flag: whether it holds of both; a code: the last
word's); NAME_first and NAME_last are those of an expression's words, null for single words.
"""

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.schemas.columns import column
from lexbeam.schemas.complexity import features_schema
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.complexity.features.base import (
    LAYERS,
    READ,
    Feature,
    FeatureGroup,
    FeatureSetting,
    InstanceBatch,
    batch_of,
    spread,
)
from lexbeam.transforms.complexity.features.context import CONTEXT
from lexbeam.transforms.complexity.features.corpus import CORPUS
from lexbeam.transforms.complexity.features.encoder import ENCODER
from lexbeam.transforms.complexity.features.form import FORM
from lexbeam.transforms.complexity.features.frequency import FREQUENCY
from lexbeam.transforms.complexity.features.layers import SYNTAX
from lexbeam.transforms.complexity.features.mwe import MWE
from lexbeam.transforms.complexity.features.norms import NORMS
from lexbeam.transforms.complexity.features.surprisal import SURPRISAL
from lexbeam.transforms.complexity.features.vectors import VECTORS
from lexbeam.transforms.complexity.features.wordnet import WORDNET

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
