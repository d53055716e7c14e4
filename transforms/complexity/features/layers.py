"""Features of syntax and entities, if the instances have these layers.

They describe the target's last token, the head of most expressions. Relations are named as in
Universal Dependencies, or as spaCy's models of English have them.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.complexity.features.base import (
    FLAG,
    Feature,
    FeatureGroup,
    FeatureSetting,
    Floats,
    InstanceBatch,
    Values,
    item_at,
    numbers,
)

_ROLES = {
    "subject": ("nsubj", "csubj", "nsubjpass", "csubjpass"),
    "object": ("obj", "dobj", "iobj", "dative"),
    "oblique": ("obl", "pobj"),
    "modifier": ("amod", "compound", "nmod", "appos", "poss"),
    "root": ("root", "ROOT"),
}


def _columns(_: FeatureSetting) -> Sequence[Feature]:
    def of(name: str, doc: str, layer: str, unit: str = FLAG, range: str = "0 or 1") -> Feature:
        return Feature(name, doc, range, unit, f"annotation: layer {layer}", layer=layer)

    return (
        *(
            of(f"target_{role}", f"whether it is a {role} ({', '.join(names)}, with or without a subtype)", "deprels")
            for role, names in _ROLES.items()
        ),
        of("target_depth", "steps along heads to the root of the sentence", "heads", "steps", "0 and up"),
        of("target_dependents", "tokens whose head it is", "heads", "tokens", "0 and up"),
        of("target_entity", "whether it is in a named entity", "entities"),
        of("sentence_entities", "named entities of the sentence", "entities", "entities", "0 and up"),
    )


def _of_instances(batch: InstanceBatch, setting: FeatureSetting) -> Values:
    rows = batch.rows
    place = numbers(rows["position"]) + numbers(rows["tokens"]) - 1
    columns: dict[str, np.ndarray] = {}
    if "deprels" in rows.column_names:
        labels = item_at(rows["deprels"], place)
        names = pc.replace_substring_regex(labels, ":.*", "")
        for role, wanted in _ROLES.items():
            has_role = pc.is_in(names, value_set=pa.array(wanted, names.type))
            columns[f"target_{role}"] = _flag(has_role, pc.is_valid(labels))
    if "entities" in rows.column_names:
        labels = item_at(rows["entities"], place)
        columns["target_entity"] = _flag(pc.not_equal(labels, "O"), pc.is_valid(labels))
        lists = rows["entities"].combine_chunks()
        begins = pc.starts_with(pc.list_flatten(lists), "B-").fill_null(False)
        owners = pc.list_parent_indices(lists).to_numpy()
        counts = np.bincount(owners, begins.to_numpy(zero_copy_only=False), len(lists))
        there = pc.is_valid(lists).to_numpy(zero_copy_only=False).astype(bool)
        columns["sentence_entities"] = np.where(there, counts, np.nan)
    if "heads" in rows.column_names:
        columns["target_depth"], columns["target_dependents"] = _of_heads(rows["heads"], place)
    return columns


def _flag(values: pa.Array, known: pa.Array) -> Floats:
    flags = values.fill_null(False).to_numpy(zero_copy_only=False).astype(float)
    return np.where(known.to_numpy(zero_copy_only=False).astype(bool), flags, np.nan)


def _of_heads(column: pa.ChunkedArray, place: Floats) -> tuple[Floats, Floats]:
    """Return the steps from a token to the root, and how many tokens have it as their head."""
    lists = column.combine_chunks()
    sizes = np.nan_to_num(numbers(pc.list_value_length(lists))).astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    heads = np.nan_to_num(numbers(pc.list_flatten(lists))).astype(np.int64)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    there = (place >= 0) & (place < sizes)
    target = np.where(there, place, 0).astype(np.int64)
    dependents = np.bincount(owners, heads - 1 == target[owners], len(sizes))
    depth, at = np.zeros(len(sizes)), target.copy()
    left = np.flatnonzero(there)
    while len(left):
        head = heads[starts[left] + at[left]]
        on = (head > 0) & (depth[left] < sizes[left])  # heads of a circle would lead on for ever
        left, head = left[on], head[on]
        depth[left] += 1
        at[left] = np.minimum(head - 1, sizes[left] - 1)
    return np.where(there, depth, np.nan), np.where(there, dependents, np.nan)


SYNTAX = FeatureGroup(
    _columns,
    of_instances=_of_instances,
    doc="role, depth and entity, where the instances have heads, deprels, entities",
)
