"""What scorers learn from: instances with features and labels, as rows and as matrices, by how expressions are scored.

A feature of words stands in three columns: NAME, and for multi-word expressions NAME_first and
NAME_last. A layout says which of them make a matrix, so that a single word can be described as an
expression's part is, and the other way round. A mode says which rows and layouts a scorer is trained on, and which
predictions are averaged.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.complexity import features_schema
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.draws.splits import components, fold_of
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.learning.scorer import SINGLES, ScorerTraining

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Texts = npt.NDArray[np.object_]

GENRE = "genre"  # the group of the columns that say the genre
_NOT_FEATURES = tuple(features_schema().names)
# What is put before the features in the table of a design.
KEYS = pa.schema(
    [
        ("instance_id", pa.string()),
        ("kind", pa.string()),
        ("genre", pa.string()),
        ("group", pa.string()),
        ("split", pa.string()),
        ("parts", pa.list_(pa.string())),
        ("complexity", pa.float64()),
        ("source_id", pa.string()),
    ]
)
FIRST, LAST = "_first", "_last"
# By layout, the suffix of the columns of a feature of words; where there is no such column the plain one
# is used. None: all columns.
LAYOUTS: dict[str, str | None] = {"whole": "", "first": FIRST, "last": LAST, "all": None}


class DesignColumn(NamedTuple):
    """A column of features.

    Attributes:
        name: its name.
        dtype: its type, as Arrow calls it.
        group: the group it belongs to.
        vector: the column of vectors whose component it is; empty for a number or a flag.
        dim: components of a column of vectors; 0 for a number or a flag.
    """

    name: str
    dtype: str
    group: str
    vector: str = ""
    dim: int = 0


class DesignRows(NamedTuple):
    """Instances, sorted by id.

    Attributes:
        ids, kinds, genres, groups, splits: texts; the genre and the split empty where not known.
        parts: the case-folded words of the target.
        source_ids: their ids in the files that they came from; None without one.
        labels: complexity, 0 to 1; nan for unlabelled instances.
        columns: the features; of a vector one for each component, NAME.0, NAME.1, ..., NAME.0_first.
        values: (rows, columns), nan where not known, 0 and 1 for flags.
    """

    ids: Texts
    kinds: Texts
    genres: Texts
    groups: Texts
    splits: Texts
    parts: Texts
    source_ids: Texts
    labels: Floats
    columns: tuple[DesignColumn, ...]
    values: Floats

    def at(self, which: npt.NDArray[np.generic]) -> "DesignRows":
        """Return some of the rows, by a mask or by places."""
        chosen = {name: getattr(self, name)[which] for name in self._fields if name != "columns"}
        return self._replace(**chosen)


def columns_of(schema: pa.Schema) -> tuple[DesignColumn, ...]:
    """Return the features of table `complexity/features`.

    The group of a column is what its metadata say, else its name up to the first underscore.

    Raises:
        UsageError: there are no features, or a feature is neither a number nor a truth value nor a vector.
    """
    columns = []
    for field in schema:
        if field.name in _NOT_FEATURES:
            continue
        said = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        dim = int(said.get("dim", "0"))
        kind = field.type.value_type if dim and pa.types.is_list(field.type) else field.type
        if not (pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
            raise UsageError(
                f"table complexity/features: column {field.name!r} is of type {field.type}: a scorer takes numbers, "
                "truth values, and vectors, lists whose metadata say `dim`; code it as such, or leave it out"
            )
        dtype = f"vector of {dim} {kind}" if dim else str(field.type)
        columns.append(DesignColumn(field.name, dtype, said.get("group") or field.name.split("_")[0], dim=dim))
    if not columns:
        raise UsageError("table complexity/features has no features: make some by `lexbeam complexity features`")
    return tuple(columns)


def joined_rows(
    features: pa.Table, instances: pa.Table, labels: pa.Table | None = None, splits: pa.Table | None = None
) -> pa.Table:
    """Return the table of a design: `KEYS`, then the features as they are, sorted by id.

    Args:
        features: `complexity/features`.
        instances: `complexity/instances`, columns instance_id, token, source_id and published_split.
        labels: `complexity/labels`; those of all annotators count. None: there are none.
        splits: `complexity/splits`; None: the published split of the instances counts.

    Raises:
        LexbeamError: the tables differ in their instances, or repeat one.
    """
    ids = features["instance_id"]
    order = pc.sort_indices(ids)
    features = features.take(order)
    ids = features["instance_id"].combine_chunks()
    if len(pc.unique(ids)) != len(ids):
        raise LexbeamError("table complexity/features has an instance twice: make it anew")
    of_instances = _of(ids, instances)
    if of_instances["token"].null_count:
        gone = ids.filter(pc.is_null(of_instances["token"]))[0]
        raise LexbeamError(
            f"instance {gone} of complexity/features is not in complexity/instances: make the features anew"
        )
    split = of_instances["published_split"]
    if splits is not None:
        split = _of(ids, splits)["split"]
    complexity = pa.chunked_array([pa.nulls(len(ids), pa.float64())])
    if labels is not None:
        complexity = _of(ids, labels.filter(pc.equal(labels["group"], "")))["complexity"]
    parts = [token.casefold().split() or [token] for token in of_instances["token"].to_pylist()]
    keys = [
        ids,
        features["kind"],
        features["genre"],
        features["group"],
        split,
        pa.array(parts, pa.list_(pa.string())),
        complexity,
        of_instances["source_id"],
    ]
    design = pa.table(keys, schema=KEYS)
    for column in columns_of(features.schema):
        design = design.append_column(features.schema.field(column.name), features[column.name])
    return design.combine_chunks()


def _of(ids: pa.Array, table: pa.Table) -> pa.Table:
    """Return the rows of a table that ids name, of nulls where it has none."""
    return table.take(pc.index_in(ids, table["instance_id"].combine_chunks()))


def rows_of(design: pa.Table) -> DesignRows:
    """Return the rows of the table of a design."""
    of_table = columns_of(design.drop_columns([n for n in KEYS.names if n not in _NOT_FEATURES]).schema)
    columns = tuple(component for column in of_table for component in _components(column))
    values = np.empty((design.num_rows, len(columns)))
    place = 0
    for column in of_table:
        cells = _numbers(design[column.name].combine_chunks(), column)
        values[:, place : place + cells.shape[1]] = cells
        place += cells.shape[1]
    # Infinite values would leave nothing of a scale.
    values[~np.isfinite(values)] = np.nan
    texts = {name: _texts(design[name]) for name in ("instance_id", "kind", "group")}
    more = {name: _texts(pc.fill_null(design[name], "")) for name in ("genre", "split")}
    parts = np.empty(design.num_rows, object)
    parts[:] = [tuple(cells) for cells in design["parts"].to_pylist()]
    labels = design["complexity"].to_numpy().astype(np.float64)
    return DesignRows(
        texts["instance_id"],
        texts["kind"],
        more["genre"],
        texts["group"],
        more["split"],
        parts,
        _texts(design["source_id"]),
        labels,
        columns,
        values,
    )


def _components(column: DesignColumn) -> Iterator[DesignColumn]:
    """Yield a column itself, or those of the components of a vector."""
    if not column.dim:
        yield column
    end = next((end for end in (FIRST, LAST) if column.name.endswith(end)), "")
    for number in range(column.dim):
        name = f"{column.name.removesuffix(end)}.{number}{end}"
        yield column._replace(name=name, vector=column.name)


def _numbers(cells: pa.Array, column: DesignColumn) -> Floats:
    """Return a column as numbers, (rows, 1), or vectors, (rows, components); nan where not known.

    Raises:
        LexbeamError: a vector has not the components that its column says.
    """
    if not column.dim:
        return np.asarray(cells.cast(pa.float64()).to_numpy(zero_copy_only=False))[:, None]
    lengths = pc.fill_null(pc.list_value_length(cells), column.dim)
    if not pc.all(pc.equal(lengths, column.dim)).as_py():
        raise LexbeamError(
            f"table complexity/features: vectors of {column.name!r} have not {column.dim} components, as its metadata "
            "say: make the features anew"
        )
    numbers = np.full((len(cells), column.dim), np.nan)
    known = cells.is_valid().to_numpy(zero_copy_only=False)
    numbers[known] = cells.flatten().cast(pa.float64()).to_numpy(zero_copy_only=False).reshape(-1, column.dim)
    return numbers


def _texts(column: pa.ChunkedArray) -> Texts:
    texts = np.empty(len(column), object)
    texts[:] = column.to_pylist()
    return texts


def layout_names(names: Sequence[str], layout: str) -> list[tuple[str, int]]:
    """Return the columns of a layout: what each is called there, and its place among `names`.

    In the layout `all` every column has its own name. In the others the columns of parts have the
    name of the whole.
    """
    places = {name: place for place, name in enumerate(names)}
    behind = LAYOUTS[layout]
    if behind is None:
        return list(zip(names, range(len(names)), strict=True))
    return [(name, places.get(name + behind, places[name])) for name in names if not _is_part(name, places)]


def _is_part(name: str, names: Iterable[str]) -> bool:
    return any(name.endswith(end) and name.removesuffix(end) in names for end in (FIRST, LAST))


class FeatureMatrix(NamedTuple):
    """Columns that a scorer takes: their names, groups and vectors (empty: none), and (rows, columns) values."""

    names: list[str]
    groups: list[str]
    vectors: list[str]
    values: Floats


def matrix_of(
    rows: DesignRows, layout: str, genres: Sequence[str], without: str = "", *, kinds: bool = False
) -> FeatureMatrix:
    """Return the columns of a layout, the genres behind them as 0 and 1.

    In the layout `all`, a single word is its own first and last part.

    Args:
        rows: the instances.
        layout: one of `LAYOUTS`.
        genres: those that the scorer was trained with; any other genre is none of them.
        without: a group of columns to blank out, possibly GENRE; empty for none.
        kinds: whether the column `is_single` tells single words from expressions, as it always does
            in the layout `all`.
    """
    chosen = layout_names([column.name for column in rows.columns], layout)
    values = rows.values[:, [at for _, at in chosen]]
    names = [name for name, _ in chosen]
    groups = [rows.columns[at].group for _, at in chosen]
    vector_of = {column.name: column.vector for column in rows.columns}
    vectors = [vector_of[name] for name in names]
    single = rows.kinds == "single"
    if LAYOUTS[layout] is None:
        places = {name: place for place, name in enumerate(names)}
        for name, place in places.items():
            if single.any() and _is_part(name, places):
                whole = places[name.removesuffix(FIRST).removesuffix(LAST)]
                values[single, place] = values[single, whole]
    if kinds or LAYOUTS[layout] is None:
        names, groups = [*names, SINGLES], [*groups, ""]
        values = np.column_stack([values, single])
    names += [f"genre:{genre}" for genre in genres]
    groups += [GENRE] * len(genres)
    vectors += [""] * (len(names) - len(vectors))
    values = np.column_stack([values, *(rows.genres == genre for genre in genres)]).astype(float)
    if without:
        values[:, [group == without for group in groups]] = np.nan
    return FeatureMatrix(names, groups, vectors, np.ascontiguousarray(values))


def folds_of(rows: DesignRows, k: int, *, seed: int, by: str) -> npt.NDArray[np.int64]:
    """Return the fold of each row, 0 to k - 1.

    Args:
        rows: the instances, of one kind.
        k: how many folds.
        seed: of the draw.
        by: `token`, the case-folded target, or `part`, which keeps together all targets that share
            a word, directly or over others.
    """
    if by == "token":
        return fold_of(rows.groups.tolist(), k, seed=seed)
    # An edge for each word of a target: rows of (target, word), joined by either.
    owners = np.repeat(np.arange(len(rows.ids)), [len(parts) for parts in rows.parts])
    words = [word for parts in rows.parts for word in parts]
    joined = components({"target": rows.ids[owners].tolist(), "word": words})
    # A component is called by its least word, so that ids decide nothing.
    least: dict[int, str] = {}
    for component, word in zip(joined.of_row.tolist(), words, strict=True):
        least[component] = min(word, least.get(component, word))
    fold = fold_of([least[c] for c in joined.of_row.tolist()], k, seed=seed)
    first = np.searchsorted(owners, np.arange(len(rows.ids)))
    return fold[first]


@dataclass(frozen=True)
class Mode(Entry):
    """What is trained on, and predicted, in which layouts (`LAYOUTS`).

    Where both kinds are trained on, the column `is_single` tells them apart.

    Attributes:
        singles: layouts in which labelled single words are training rows.
        expressions: layouts in which labelled expressions are.
        predicts: the layouts whose predictions are averaged.
    """

    singles: tuple[str, ...]
    expressions: tuple[str, ...]
    predicts: tuple[str, ...]

    @property
    def both(self) -> bool:
        """Whether both kinds are trained on."""
        return bool(self.singles and self.expressions)


# Single words are scored apart.
SINGLE = Mode(("whole",), (), ("whole",), doc="single words alone")
MODES: Registry[Mode] = Registry(
    {
        "own": Mode(
            (), ("all",), ("all",), doc="trained on expressions alone, by the columns of the whole and both parts"
        ),
        "average": Mode(
            ("whole",), (), ("first", "last"), doc="the mean of what the scorer of single words says of both parts"
        ),
        "double": Mode((), ("first", "last"), ("first", "last"), doc="trained on expressions, a row for each part"),
        "pooled": Mode(
            ("all",), ("all",), ("all",), doc="trained on both kinds, a single word as its own first and last part"
        ),
        "words": Mode(
            ("whole",),
            ("first", "last"),
            ("first", "last"),
            doc="trained on words: single words and both parts of expressions, a row each",
        ),
    },
    what="mode of `mwe`",
)


def training_of(rows: DesignRows, mode: Mode, genres: Sequence[str], without: str = "") -> ScorerTraining:
    """Return what a scorer learns from.

    Args:
        rows: labelled instances of both kinds.
        mode: how expressions are scored.
        genres: the genres among them.
        without: a group of columns that is left out.
    """
    single = rows.kinds == "single"
    matrices: list[tuple[FeatureMatrix, DesignRows]] = []
    for layouts, of_kind in ((mode.singles, rows.at(single)), (mode.expressions, rows.at(~single))):
        matrices += [(matrix_of(of_kind, layout, genres, without, kinds=mode.both), of_kind) for layout in layouts]
    return ScorerTraining(
        values=np.concatenate([matrix.values for matrix, _ in matrices]),
        names=matrices[0][0].names,
        labels=np.concatenate([of_kind.labels for _, of_kind in matrices]),
        groups=[group for _, of_kind in matrices for group in of_kind.groups.tolist()],
        vectors=matrices[0][0].vectors,
    )


def matrices_of(rows: DesignRows, mode: Mode, genres: Sequence[str], without: str = "") -> list[FeatureMatrix]:
    """Return the matrices of rows of one kind whose predictions are averaged."""
    return [matrix_of(rows, layout, genres, without, kinds=mode.both) for layout in mode.predicts]


def mean_of(predictions: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """Return the mean of several predictions of the same rows."""
    return np.asarray(sum(predictions) / len(predictions), np.float64)
