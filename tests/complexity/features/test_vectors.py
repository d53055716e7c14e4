"""Features of vectors against cosines by hand."""

import math

import pytest
from featured import columns, computed, instance, setting_with

from lexbeam.transforms.complexity.features.groups import columns_of
from lexbeam.transforms.complexity.features.vectors import NEAR, centroids_of

VECTORS = {"sea": (3.0, 4.0), "ship": (1.0, 0.0), "over": (0.0, 2.0), "gene": (-2.0, 0.0)}
TARGETS = [("bible", "Sea"), ("bible", "sea"), ("bible", "ship over"), ("biomed", "gene"), ("biomed", "xqz")]


@pytest.fixture(scope="module")
def setting(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lists")
    lines = [f"{word} {a} {b}" for word, (a, b) in VECTORS.items()]
    (folder / "v.txt").write_text("\n".join([f"{len(lines)} 2", *lines]) + "\n")
    setting = setting_with(folder, use=("vectors",), more=(f"vectors_=vectors:{folder}/v.txt",))
    return setting._replace(centroids=centroids_of(TARGETS, setting.lexicon))


def distance(a, b):
    return 1 - sum(x * y for x, y in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b)


def test_centroids_are_of_distinct_words(setting):
    centroids = dict(setting.centroids)
    assert centroids["bible"] == pytest.approx(((0.6 + 1) / 3, (0.8 + 1) / 3))
    assert centroids["biomed"] == pytest.approx((-0.5, 0))
    moved = centroids_of(reversed(TARGETS), setting.lexicon)
    assert moved == setting.centroids


def test_distances_by_hand(setting):
    sea, gene, pair, none = computed(
        setting,
        instance("sea", "Ship over sea"),
        instance("gene", genre="biomed"),
        instance("ship over"),
        instance("xqz"),
    )
    assert columns(sea, "vector_known", "vector_norm", "vector_words") == [True, 5, None]
    assert sea["vector_genre"] == pytest.approx(distance((3, 4), (1.6, 1.8)))
    assert sea["vector_sentence"] == pytest.approx(distance((3, 4), (1, 1)))
    assert gene["vector_genre"] == pytest.approx(0)
    assert gene["vector_sentence"] is None
    assert columns(pair, "vector_norm", "vector_norm_last", "vector_words") == [1.5, 2, 1]
    assert pair["vector_genre"] == pytest.approx(distance((1, 1), (1.6, 1.8)))
    assert columns(none, "vector_known", "vector_norm", "vector_genre") == [False, None, None]


def test_the_vectors_themselves(setting):
    sea, pair, half, none = computed(
        setting, instance("Sea"), instance("ship over"), instance("ship xqz"), instance("xqz")
    )
    names = ("vector", "vector_first", "vector_last")
    assert columns(sea, *names) == [[3, 4], None, None]
    assert columns(pair, *names) == [[0.5, 1], [1, 0], [0, 2]]
    assert columns(half, *names) == [[1, 0], [1, 0], None]
    assert columns(none, *names) == [None, None, None]
    fields = {one.name: one.field().metadata[b"of"] for one in columns_of(setting) if one.name in names}
    assert fields == {"vector": b"whole", "vector_first": b"first", "vector_last": b"last"}


def test_neighbours_by_hand(setting):
    sea, none, pair = computed(setting, instance("sea"), instance("xqz"), instance("ship over"))
    # Ten are asked for, and there are three: all others.
    cosines = [1 - distance(VECTORS["sea"], VECTORS[word]) for word in ("ship", "over", "gene")]
    assert sea["vector_near"] == pytest.approx(sum(cosines) / 3)
    assert sea["vector_near_zipf"] == pytest.approx((4.9 + 6.0 + 4.2) / 3)
    assert columns(none, "vector_near", "vector_near_zipf") == [None, None]
    assert pair["vector_near_zipf_first"] == pytest.approx((5.1 + 6.0 + 4.2) / 3)


def test_only_the_nearest_count_and_unknown_ones_have_no_frequency(tmp_path):
    near = {f"w{n}": (1.0, 0.1 + n / 100) for n in range(NEAR)}
    words = {"sea": (1.0, 0.0), "ship": (-1.0, 0.0), **near}
    lines = [f"{word} {a} {b}" for word, (a, b) in words.items()]
    (tmp_path / "v.txt").write_text("\n".join([f"{len(lines)} 2", *lines]) + "\n")
    setting = setting_with(tmp_path, use=("vectors",), more=(f"vectors_=vectors:{tmp_path}/v.txt",))
    (sea,) = computed(setting, instance("sea"))
    expected = [1 - distance((1, 0), vector) for vector in near.values()]
    assert sea["vector_near"] == pytest.approx(sum(expected) / NEAR)
    assert sea["vector_near_zipf"] is None
