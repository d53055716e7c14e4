"""The one form of values by which artefacts are named."""

import enum
import itertools
import math
from dataclasses import dataclass, field, make_dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.common.store.identity import Place, Position, Size, canonical
from lexbeam.transforms.common.store.receipts import ArtefactPath, File

REGISTRY = {"cca": 1, "op": 2}
ENTRIES = f"{__name__}:REGISTRY"
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Pair(NamedTuple):
    first: Any
    second: Any = None


@dataclass(frozen=True)
class Same:
    first: Any
    second: Any = None


@dataclass(frozen=True)
class Found:
    path: Place
    bytes: Size
    number: Position
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Inner:
    rcond: float = option(0.1, help="", of=f"{ENTRIES}=cca")


@dataclass(frozen=True, kw_only=True)
class Options:
    use: tuple[str, ...] = option(("op",), help="", choices=ENTRIES)
    folder: str = option("", help="", path="place")
    resume: bool = option(False, help="", published=False)
    alone: int = option(1, help="", of=f"{ENTRIES}=op")
    inner: Inner = embedded(Inner)


def kind_of(value):
    """Return a value in which what Python takes for equal differs: 1, 1.0 and True, 0.0 and -0.0."""
    if isinstance(value, list):
        return [kind_of(item) for item in value]
    if isinstance(value, dict):
        return {key: kind_of(item) for key, item in value.items()}
    return type(value).__name__, repr(value)


@settings(max_examples=60)
@given(PLAIN, PLAIN)
def test_only_equal_values_have_the_same_form(one, other):
    assert (canonical(one) == canonical(other)) == (kind_of(one) == kind_of(other))


def test_what_looks_alike_differs():
    values = [
        *(None, True, False, 0, 1, 1.0, 0.0, -0.0, math.nan, math.inf, "", "1", b"1", "None", "nan"),
        *((), ((),), ("",), ("1",), (1, 2), ("1", "2"), ("12",), {}, {"a": 1}, {"a": "1"}, {"a": {}}, set(), {1}),
        *(Colour.RED, Colour.BLUE, Pair(1), Pair(1, 2), Same(1), Same(1, 2)),
        *(np.float32(1), np.float64(1), np.array([1]), np.array([1.0]), np.array([[1]]), np.array([1], "i4")),
        *(pa.table({"a": [1]}), pa.table({"a": [2]}), pa.table({"b": [1]}), pa.field("a", pa.int32())),
        *(pa.field("a", pa.int64()), pa.schema([("a", pa.int32())])),
    ]
    for one, other in itertools.combinations(values, 2):
        assert canonical(one) != canonical(other), (one, other)


def test_what_is_the_same_has_the_same_form():
    assert canonical([1, (2,)]) == canonical((1, [2]))
    assert canonical({"a": 1, "b": 2}) == canonical({"b": 2, "a": 1})
    assert canonical({3, 1, 2}) == canonical(frozenset([2, 3, 1]))
    assert canonical(np.arange(6).reshape(2, 3).T.copy()) == canonical(np.arange(6).reshape(2, 3).T)
    chunks = pa.concat_tables([pa.table({"a": [1]}), pa.table({"a": [2]})])
    assert canonical(chunks) == canonical(pa.table({"a": [1, 2]}))
    assert canonical(math.nan) == canonical(-math.nan)
    assert canonical("\ud800") != canonical("\udc00")


def test_a_field_more_is_another_value_whatever_it_holds():
    names = {
        canonical(make_dataclass("Given", fields, frozen=True)(*values))
        for fields, values in (
            (["a"], [1]),
            (["b"], [1]),
            (["a", "b"], [1, None]),
            (["a", "b"], [1, 0]),
            (["a", ("b", int, field(default=0))], [1, 2]),
        )
    }
    assert len(names) == 5
    one, other = (make_dataclass("Given", names)(1, 2) for names in (["a", "b"], ["b", "a"]))
    other.a, other.b = 1, 2
    assert canonical(one) == canonical(other)  # by name, not by place


def test_places_sizes_and_positions_never_count():
    found = Found("/a", 1, 2, "x")
    assert canonical(found) == canonical(Found("/b", 3, 4, "x"))
    assert canonical(found) != canonical(Found("/a", 1, 2, "y"))
    files = [File(ArtefactPath(path), 5, digest) for path, digest in (("/a", "x"), ("/b", "x"), ("/a", "y"))]
    assert canonical(files[0]) == canonical(files[1]) != canonical(files[2])


def test_a_path_alone_names_nothing():
    with pytest.raises(TypeError, match=r"task\.first is a ArtefactPath"):
        canonical(Pair(ArtefactPath("/a")), "task")


def test_options_of_the_run_and_paths_never_count():
    plain = canonical(Options())
    assert canonical(Options(folder="/x", resume=True)) == plain
    assert canonical(Options(use=("op", "cca"))) != plain


def test_an_option_of_entries_counts_where_one_is_chosen():
    def form(chosen=None, **given):
        return canonical(Options(**given), chosen=chosen)

    cca = {"inner": Inner(rcond=0.5)}
    assert form(**cca) == form()
    assert form(use=("op", "cca"), **cca) != form(use=("op", "cca"))
    assert form(use=("cca",), alone=2) == form(use=("cca",))
    assert form(alone=2) != form()
    # What a stage has chosen counts, of what the options name.
    both = ("op", "cca")
    assert form({ENTRIES: ["op"]}, use=both, **cca) == form({ENTRIES: ["op"]}, use=both)
    assert form({ENTRIES: ["cca"]}, use=both, **cca) != form({ENTRIES: ["cca"]}, use=both)
    # Where nobody says what is chosen, it counts.
    assert canonical(Inner(rcond=0.5)) != canonical(Inner())


def test_a_class_whose_paths_have_no_digests_gives_them():
    class Held(NamedTuple):
        path: Place
        told: str

        def content_digests(self):
            return [self.told.upper()]

    assert canonical(Held("/a", "x")) == canonical(Held("/b", "x"))
    assert b"X" in canonical(Held("/a", "x"))


def test_order_counts():
    assert canonical(Pair([[1, 2], [3]])) != canonical(Pair([[2, 1], [3]]))


@pytest.mark.parametrize("value", [object(), len, Pair, np.array([object()]), lambda: 1, Pair(object())])
def test_what_has_no_form_is_named(value):
    with pytest.raises(TypeError, match=r"task.* is a .*if nothing reads it, leave it out"):
        canonical(value, "task")
