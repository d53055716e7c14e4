import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group

from lexbeam.transforms.change.scores.measures import cosine_distance
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.embeddings.alignment import (
    ALIGNMENTS,
    FitOn,
    composed_alignment,
    fit_alignment,
    fit_in_frame,
    frame_places,
    parse_fit_on,
)
from lexbeam.transforms.embeddings.spaces import Side, Space, apply, shared_places

SEEDS = st.integers(0, 10_000)
FITTED = [name for name, method in ALIGNMENTS.items() if method.least_words]


def space(vectors, words=None, counts=None, tokens=10_000):
    words = words or [f"w{i:03}" for i in range(len(vectors))]
    counts = np.full(len(words), 9, np.int64) if counts is None else np.array(counts, np.int64)
    return Space(words, counts, vectors.astype(np.float32), tokens)


def random_spaces(seed, words=60, dim=6):
    generator = np.random.default_rng(seed)
    return (generator.normal(size=(words, dim)) + 0.5 for _ in range(2))


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.sampled_from(["op", "op-"]))
def test_procrustes_agrees_with_scipy(seed, name):
    z, x = (rows.astype(np.float32).astype(float) for rows in random_spaces(seed))
    earlier, later = space(z), space(x)
    alignment = fit_alignment(name, earlier, later)
    z, x = unit(z), unit(x)
    if name == "op":
        z, x = z - z.mean(axis=0), x - x.mean(axis=0)
    rotation, _ = scipy.linalg.orthogonal_procrustes(x, z)
    np.testing.assert_allclose(alignment.target.matrix, rotation, atol=1e-9)
    assert alignment.source.matrix is None
    np.testing.assert_allclose(apply(alignment.source, earlier.vectors), z, atol=1e-12)
    np.testing.assert_allclose(apply(alignment.target, later.vectors), x @ rotation, atol=1e-9)
    residual = np.sqrt(np.mean(np.sum((x @ rotation - z) ** 2, axis=1)))
    assert alignment.residual == pytest.approx(residual)
    assert alignment.fit_words == 60


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.sampled_from(["op", "op-"]))
def test_procrustes_recovers_a_planted_rotation(seed, name):
    z, _ = random_spaces(seed)
    rotation = ortho_group.rvs(6, random_state=seed)
    stretch = np.random.default_rng(seed).uniform(0.5, 2.0, (60, 1))
    earlier, later = space(z), space(z @ rotation * stretch)
    alignment = fit_alignment(name, earlier, later)
    np.testing.assert_allclose(alignment.target.matrix, rotation.T, atol=1e-5)
    assert alignment.residual < 1e-5


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.sampled_from(["cca", "cca-reversed"]), st.booleans())
def test_cca_recovers_any_planted_linear_map(seed, name, rotated):
    z, _ = random_spaces(seed)
    generator = np.random.default_rng(seed)
    planted = np.eye(6) + 0.3 * generator.normal(size=(6, 6)) / np.sqrt(6)
    planted = ortho_group.rvs(6, random_state=seed) if rotated else planted
    earlier, later = space(z), space(z @ planted)
    alignment = fit_alignment(name, earlier, later)
    expected = planted if name == "cca" else np.linalg.inv(planted)
    side, other = alignment.source, alignment.target
    if name == "cca-reversed":
        side, other = other, side
    np.testing.assert_allclose(side.matrix, expected, atol=1e-3)
    assert other == Side()
    assert alignment.residual < 1e-3


def cca_by_eigenproblem(x, y):
    """R = A B^-1 by the textbook's generalised eigenproblem, full rank."""
    xx, yy, xy = x.T @ x, y.T @ y, x.T @ y
    values, a = scipy.linalg.eigh(xy @ np.linalg.solve(yy, xy.T), xx)
    b = np.linalg.solve(yy, xy.T @ a) / np.sqrt(values)
    return a @ np.linalg.inv(b)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_cca_agrees_with_the_generalised_eigenproblem(seed):
    z, x = random_spaces(seed)
    earlier, later = space(z), space(x)
    forward = fit_alignment("cca", earlier, later).source.matrix
    z, x = earlier.vectors.astype(float), later.vectors.astype(float)
    expected = cca_by_eigenproblem(z, x)
    size = np.abs(expected).max()
    np.testing.assert_allclose(forward / size, expected / size, atol=1e-6)
    reverse = fit_alignment("cca-reversed", earlier, later).target.matrix
    expected = cca_by_eigenproblem(x, z)
    size = np.abs(expected).max()
    np.testing.assert_allclose(reverse / size, expected / size, atol=1e-6)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(3, 6), st.integers(3, 6))
def test_cca_drops_directions_without_variance(seed, rank_z, rank_x):
    generator = np.random.default_rng(seed)
    z, x = (
        (generator.normal(size=(60, rank)) @ generator.normal(size=(rank, 6))).astype(np.float32)
        for rank in (rank_z, rank_x)
    )
    got = fit_alignment("cca", space(z), space(x), rcond=1e-5).source.matrix
    # the formula as it stands in the notes, with numpy's pseudo-inverse of all of B
    (uz, dz, vz), (ux, dx, vx) = (np.linalg.svd(rows.astype(float), False) for rows in (z, x))
    uz, dz, vz = uz[:, :rank_z], dz[:rank_z], vz[:rank_z]
    ux, dx, vx = ux[:, :rank_x], dx[:rank_x], vx[:rank_x]
    p, _, qt = np.linalg.svd(uz.T @ ux, full_matrices=False)
    a, b = vz.T @ np.diag(1 / dz) @ p, vx.T @ np.diag(1 / dx) @ qt.T
    expected = a @ np.linalg.pinv(b)
    np.testing.assert_allclose(got, expected, atol=1e-6 * np.abs(expected).max())


def test_centring_uses_the_full_vocabulary_and_fitting_the_shared_words():
    z, x = (rows.astype(np.float32) for rows in random_spaces(1, words=30))
    earlier = space(z, [f"a{i:02}" for i in range(10)] + [f"s{i:02}" for i in range(20)])
    later = space(x, [f"s{i:02}" for i in range(20)] + [f"z{i:02}" for i in range(10)])
    alignment = fit_alignment("op", earlier, later)
    zc, xc = (unit(rows.astype(float)) for rows in (z, x))
    zc, xc = zc - zc.mean(axis=0), xc - xc.mean(axis=0)
    rotation, _ = scipy.linalg.orthogonal_procrustes(xc[:20], zc[10:])
    np.testing.assert_allclose(alignment.target.matrix, rotation, atol=1e-9)
    assert alignment.fit_words == 20


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("shared", FitOn()),
        ("without-targets", FitOn(True)),
        ("top:50", FitOn(top=50)),
        ("without-targets + top:7", FitOn(True, 7)),
        ("shared+top:7", FitOn(top=7)),
    ],
)
def test_reads_fit_on(spec, expected):
    assert parse_fit_on(spec) == expected


@pytest.mark.parametrize("spec", ["", "top", "top:0", "top:x", "without-target", "shared:3", "+"])
def test_bad_fit_on_is_a_usage_error(spec):
    with pytest.raises(UsageError, match="`fit_on`"):
        parse_fit_on(spec)


def test_top_takes_the_larger_smaller_relative_frequency_ties_by_word():
    z, x = random_spaces(2, words=4, dim=2)
    earlier = space(z, list("abcd"), [40, 10, 20, 10], tokens=100)
    later = space(x, list("abcd"), [10, 100, 200, 100], tokens=1000)
    # smaller relative frequencies: a .01, b .1, c .2, d .1
    fitted = fit_alignment("op-", earlier, later, fit_on="top:2")
    chosen = fit_alignment(
        "op-", *(s._replace(words=["b", "c"], counts=s.counts[1:3], vectors=s.vectors[1:3]) for s in (earlier, later))
    )
    assert fitted.fit_words == 2
    np.testing.assert_array_equal(fitted.target.matrix, chosen.target.matrix)


def test_targets_are_left_out_by_cca_and_kept_by_op():
    z, x = random_spaces(3)
    targets = frozenset(["w000", "w017"])
    assert fit_alignment("op", space(z), space(x), targets=targets).fit_words == 60
    cca = fit_alignment("cca", space(z), space(x), targets=targets)
    keep = np.delete(np.arange(60), [0, 17])
    words = [f"w{i:03}" for i in keep]
    expected = fit_alignment("cca", space(z[keep], words), space(x[keep], words))
    assert cca.fit_words == 58
    np.testing.assert_array_equal(cca.source.matrix, expected.source.matrix)


def plus_by_steps(z, x, whiten, reweight, dewhiten):
    """OP+ as the steps are published, of rows that are shared; Z first."""
    z, x = (unit(unit(rows) - unit(rows).mean(axis=0)) for rows in (z, x))
    w_z, w_x = (np.linalg.inv(scipy.linalg.sqrtm(rows.T @ rows)) if whiten else np.eye(6) for rows in (z, x))
    u, s, vt = np.linalg.svd((x @ w_x).T @ (z @ w_z))
    x, z, v = x @ w_x @ u, z @ w_z @ vt.T, vt.T
    x, z = x @ np.diag(s**reweight), z @ np.diag(s**reweight)
    if whiten and dewhiten:
        x, z = x @ (u.T @ np.linalg.inv(w_x) @ u), z @ (v.T @ np.linalg.inv(w_z) @ v)
    return z, x


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.booleans(), st.sampled_from([0.0, 0.5, 1.0]), st.booleans())
def test_op_plus_takes_the_published_steps_of_those_asked_for(seed, whiten, reweight, dewhiten):
    z, x = (rows.astype(np.float32) for rows in random_spaces(seed))
    fitted = fit_alignment("op+", space(z), space(x), whiten=whiten, reweight=reweight, dewhiten=dewhiten)
    sides = [apply(side, rows) for side, rows in ((fitted.source, z), (fitted.target, x))]
    expected = plus_by_steps(z.astype(float), x.astype(float), whiten, reweight, dewhiten)
    # Singular vectors are determined up to their signs, which cancel in all products of rows.
    for one, other in ((0, 1), (0, 0), (1, 1)):
        np.testing.assert_allclose(sides[one] @ sides[other].T, expected[one] @ expected[other].T, atol=1e-9)
    gap = sides[0] - sides[1]
    assert fitted.residual == pytest.approx(np.sqrt((gap**2).sum(axis=1).mean()))


def test_op_plus_without_its_steps_is_procrustes_of_unit_centred_vectors():
    z, x = (rows.astype(np.float32) for rows in random_spaces(7))
    plain = fit_alignment("op+", space(z), space(x), whiten=False, reweight=0.0)
    sides = [apply(side, rows) for side, rows in ((plain.source, z), (plain.target, x))]
    z, x = (unit(unit(rows.astype(float)) - unit(rows.astype(float)).mean(axis=0)) for rows in (z, x))
    rotation, _ = scipy.linalg.orthogonal_procrustes(x, z)
    np.testing.assert_allclose(sides[0] @ sides[1].T, z @ (x @ rotation).T, atol=1e-9)


@settings(max_examples=10, deadline=None)
@given(SEEDS)
def test_op_plus_recovers_a_planted_rotation(seed):
    z, _ = random_spaces(seed)
    earlier, later = space(z), space(z @ ortho_group.rvs(6, random_state=seed))
    fitted = fit_alignment("op+", earlier, later)
    np.testing.assert_allclose(apply(fitted.source, earlier.vectors), apply(fitted.target, later.vectors), atol=1e-4)
    assert fitted.residual < 1e-4


@settings(max_examples=10, deadline=None)
@given(SEEDS, st.sampled_from([0.0, 0.5]))
def test_whitening_recovers_a_planted_linear_map_that_no_rotation_is(seed, reweight):
    """Of vectors that keep length 1 and mean 0 under it: two halves, each of one length, and their negatives."""
    generator = np.random.default_rng(seed)
    halves = [unit(generator.normal(size=(30, 3))) for _ in range(2)]
    shares = (0.9, np.sqrt(1 - 0.9**2)), (0.5, np.sqrt(1 - 0.5**2))
    z, x = (np.hstack([half * share for half, share in zip(halves, some, strict=True)]) for some in shares)
    earlier, later = (space(np.vstack([rows, -rows])) for rows in (z, x @ ortho_group.rvs(6, random_state=seed)))
    fitted = fit_alignment("op+", earlier, later, dewhiten=False, reweight=reweight)
    np.testing.assert_allclose(apply(fitted.source, earlier.vectors), apply(fitted.target, later.vectors), atol=1e-4)
    assert fit_alignment("op", earlier, later).residual > 0.1


def test_op_plus_needs_words_and_dimensions():
    z, x = random_spaces(8)
    assert fit_alignment("op+", space(z[:11]), space(x[:11])).reason == "too_few_shared"
    flat = x @ np.diag([1, 1, 1, 1, 1, 0])
    for one, other in ((z, flat), (flat, x)):
        fitted = fit_alignment("op+", space(one), space(other))
        assert (fitted.residual, fitted.reason, fitted.fit_words) == (None, "rank_deficient", 60)
        assert fit_alignment("op+", space(one), space(other), whiten=False).reason is None


def test_too_few_shared_words_fit_nothing():
    z, x = random_spaces(4, words=11, dim=6)
    cca = fit_alignment("cca", space(z), space(x))
    assert (cca.residual, cca.fit_words, cca.reason) == (None, 11, "too_few_shared")
    assert cca.source.matrix is None
    assert cca.target.matrix is None
    for name in ("op", "op-"):
        assert fit_alignment(name, space(z[:6]), space(x[:6])).residual > 0
        few = fit_alignment(name, space(z[:5]), space(x[:5]))
        assert (few.residual, few.fit_words, few.reason) == (None, 5, "too_few_shared")
    apart = space(x, [f"x{i:02}" for i in range(11)])
    assert fit_alignment("op", space(z), apart).residual is None
    assert fit_alignment("none", space(z), apart).residual is None


@pytest.mark.parametrize("name", FITTED)
def test_nothing_is_fitted_on_zero_vectors(name):
    z, x = random_spaces(9)
    z[:10], x[50:] = 0, 0
    fitted = fit_alignment(name, space(z), space(x))
    gap = apply(fitted.source, space(z).vectors)[10:50] - apply(fitted.target, space(x).vectors)[10:50]
    assert fitted.fit_words == 40
    assert fitted.residual == pytest.approx(np.sqrt((gap**2).sum(axis=1).mean()))
    composed = composed_alignment(name, *fitted[:2], space(z), space(x))
    assert (composed.fit_words, composed.residual) == (40, fitted.residual)
    assert fit_alignment(name, space(z), space(x), fit_on="top:40").fit_words == 40
    z, x = random_spaces(9)
    z[3:] = 0
    few = fit_alignment(name, space(z), space(x))
    assert (few.reason, few.residual, few.fit_words) == ("too_few_shared", None, 3)


def test_none_changes_nothing():
    z, x = random_spaces(5)
    alignment = fit_alignment("none", space(z), space(x))
    assert alignment[:2] == (Side(), Side())
    assert alignment.residual > 0


@settings(max_examples=10, deadline=None)
@given(SEEDS, st.sampled_from(FITTED), st.booleans())
def test_axes_of_spaces_that_differ_change_no_score(seed, name, permuted):
    """Turned or permuted axes leave cosine distances where they are, to the rounding of float32."""
    z, x = random_spaces(seed)
    x = z + x  # so that maps are far from chance
    turns = [np.random.default_rng(seed + n).permutation(np.eye(6)) for n in range(2)]
    if not permuted:
        turns = [ortho_group.rvs(6, random_state=seed + n) for n in range(2)]
    scores = []
    for earlier, later in ((z, x), (z @ turns[0], x @ turns[1])):
        fitted = fit_alignment(name, space(earlier), space(later))
        scores.append(
            cosine_distance(*(apply(side, rows) for side, rows in zip(fitted[:2], (earlier, later), strict=True)))
        )
    assert scores[0].max() > 0.05
    np.testing.assert_allclose(*scores, atol=1e-5)


def test_zero_vectors_stay_zero():
    rows = np.array([[0.0, 0.0], [3.0, 4.0]], np.float32)
    side = Side(True, np.array([1.0, 1.0]), np.eye(2))
    np.testing.assert_allclose(apply(side, rows), [[0, 0], [-0.4, -0.2]])


def test_shared_places_pair_the_same_words():
    mine, theirs = shared_places(space(np.eye(3), list("abd")), space(np.eye(3), list("bcd")))
    assert (mine.tolist(), theirs.tolist()) == ([1, 2], [0, 2])


def test_unknown_alignment_is_a_usage_error():
    with pytest.raises(UsageError, match="did you mean 'cca'"):
        fit_alignment("ccaa", space(np.eye(2)), space(np.eye(2)))


@pytest.mark.parametrize("name", ALIGNMENTS)
def test_same_bits_twice_and_whatever_the_blas_threads(name):
    import threadpoolctl

    z, x = random_spaces(6, words=400, dim=50)
    results = []
    for threads in (1, 2):
        with threadpoolctl.threadpool_limits(limits=threads, user_api="blas"):
            fitted = fit_alignment(name, space(z), space(x))
            results.append(
                apply(fitted.source, z.astype(np.float32)).tobytes()
                + apply(fitted.target, x.astype(np.float32)).tobytes()
            )
    assert results[0] == results[1]


MOVING = [name for name, method in ALIGNMENTS.items() if method.moves]
WORDS, DIM = 40, 4


def turn(random):
    return np.linalg.qr(random.normal(size=(DIM, DIM)))[0]


def spaces_of(turns, noise=0.0, words=WORDS):
    """Spaces that are turns of one, all but for noise."""
    random = np.random.default_rng(3)
    base = random.normal(size=(words, DIM))
    return {
        place: Space(
            [f"w{n:03}" for n in range(words)],
            np.full(words, 9),
            ((base + noise * random.normal(size=base.shape)) @ one).astype(np.float32),
            999,
        )
        for place, one in enumerate(turns)
    }


def aligned(found, spaces, pair):
    return [apply(side, spaces[place].vectors) for side, place in zip((found.source, found.target), pair, strict=True)]


@pytest.mark.parametrize("anchor", [None, 0, 1, 3])
@pytest.mark.parametrize("name", MOVING)
def test_planted_rotations_are_undone_between_any_two_slices(name, anchor):
    random = np.random.default_rng(1)
    spaces = spaces_of([turn(random) for _ in range(4)])
    for pair in ((0, 1), (1, 2), (0, 3), (1, 3)):
        needed = {place: spaces[place] for place in {*pair, *frame_places(pair, anchor)}}
        found = fit_in_frame(name, needed, pair, anchor)
        np.testing.assert_allclose(*aligned(found, spaces, pair), atol=1e-5)
        assert found.residual < 1e-5
        assert found.fit_words == WORDS


@pytest.mark.parametrize("name", MOVING)
def test_maps_of_a_chain_are_those_of_neighbours_one_after_the_other(name):
    spaces = spaces_of([np.eye(DIM)] * 3, noise=0.5)
    first, last = aligned(fit_in_frame(name, spaces, (0, 2), None), spaces, (0, 2))

    def step(moving, fixed):
        """The map of a slice onto another one, and what is done before it."""
        if ALIGNMENTS[name].moves == "later":
            found = fit_alignment(name, spaces[fixed], spaces[moving])
            return found.target, found.source
        found = fit_alignment(name, spaces[moving], spaces[fixed])
        return found.source, found.target

    onto_first, stays = step(1, 0)
    onto_second, _ = step(2, 1)
    np.testing.assert_allclose(first, apply(stays, spaces[0].vectors))
    np.testing.assert_allclose(last, apply(onto_second, spaces[2].vectors) @ onto_first.matrix)


def test_a_chain_maps_each_slice_onto_the_one_before_as_that_was_mapped():
    """Procrustes of a slice and the one before it, which has been turned already."""
    spaces = spaces_of([np.eye(DIM)] * 3, noise=0.5)
    second = fit_alignment("op-", spaces[0], spaces[1]).target
    turned = spaces[1]._replace(vectors=apply(second, spaces[1].vectors).astype(np.float32))
    third = fit_alignment("op-", turned, spaces[2]).target
    found = fit_in_frame("op-", spaces, (1, 2), None)
    np.testing.assert_allclose(found.source.matrix, second.matrix)
    np.testing.assert_allclose(found.target.matrix, third.matrix, atol=1e-6)


@pytest.mark.parametrize("name", MOVING)
def test_with_an_anchor_each_slice_is_mapped_onto_it_alone(name):
    spaces = spaces_of([np.eye(DIM)] * 3, noise=0.5)
    found = fit_in_frame(name, spaces, (0, 2), 1)
    for place, side in ((0, found.source), (2, found.target)):
        if ALIGNMENTS[name].moves == "later":
            by_itself = fit_alignment(name, spaces[1], spaces[place]).target
        else:
            by_itself = fit_alignment(name, spaces[place], spaces[1]).source
        np.testing.assert_array_equal(side.matrix, by_itself.matrix)


def test_a_step_that_cannot_be_fitted_leaves_no_map():
    spaces = spaces_of([np.eye(DIM)] * 3)
    others = spaces[1]._replace(words=[f"v{n:03}" for n in range(WORDS)])
    found = fit_in_frame("op", {**spaces, 1: others}, (0, 2), None)
    assert (found.reason, found.residual, found.fit_words) == ("too_few_shared", None, 0)
    assert fit_in_frame("op", {**spaces, 1: others}, (0, 2), 0).reason is None
