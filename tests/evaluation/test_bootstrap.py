import numpy as np
import pytest
from scipy import stats

from lexbeam.transforms.common.options.fields import from_mapping
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions, Draws, interval_of, resampled
from lexbeam.transforms.evaluation.evaluating import measure, measure_difference
from lexbeam.transforms.evaluation.metrics import METRICS, Metric, pearson
from lexbeam.transforms.evaluation.outcomes import Undefined

ROWS = 120
PAIRS = ("pearson", "spearman", "mae", "mse", "r2")


@pytest.fixture(scope="module")
def data():
    """Gold and predicted numbers, and the names of the rows."""
    random = np.random.default_rng(7)
    gold = random.normal(size=ROWS)
    return gold, gold + random.normal(size=ROWS), [f"row {i}" for i in range(ROWS)]


def options(**other):
    return BootstrapOptions(**{"resamples": 200, **other})


def values(name, gold, predicted, clusters, **other):
    return resampled(METRICS[name], (gold, predicted), Draws(clusters, options(**other)))


REFERENCES = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "mae": lambda x, y: np.abs(x - y).mean(),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_resamples_are_distributed_as_those_of_scipy(name, data):
    gold, predicted, rows = data
    reference = stats.bootstrap(
        (gold, predicted),
        REFERENCES[name],
        paired=True,
        vectorized=False,
        n_resamples=600,
        method="percentile",
        random_state=1,
    )
    found = values(name, gold, predicted, rows, resamples=600)
    assert stats.ks_2samp(found, reference.bootstrap_distribution).pvalue > 0.01
    # The interval is taken as scipy takes it, from the same numbers.
    same = interval_of(np.asarray(reference.bootstrap_distribution), 0.95)
    assert same[:2] == pytest.approx(tuple(reference.confidence_interval))


@pytest.mark.parametrize("name", PAIRS)
def test_the_order_of_rows_does_not_matter(name, data):
    gold, predicted, rows = data
    order = np.random.default_rng(1).permutation(ROWS)
    turned = values(name, gold[order], predicted[order], [rows[i] for i in order])
    assert turned == pytest.approx(values(name, gold, predicted, rows))


@pytest.mark.parametrize("name", PAIRS)
def test_rows_of_a_cluster_are_drawn_together(name, data):
    gold, predicted, rows = data
    # Each row three times, under its own name, is the same data: so are all resamples.
    tripled = values(name, np.repeat(gold, 3), np.repeat(predicted, 3), np.repeat(rows, 3))
    assert tripled == pytest.approx(values(name, gold, predicted, rows), rel=1e-6)


def test_clusters_of_any_size_are_drawn_whole(data):
    gold, predicted, _ = data
    clusters = [str(min(i, 9)) for i in range(ROWS)]  # the tenth has all that are left
    draws = Draws(clusters, options())
    for counts, drawn in zip(
        np.concatenate(list(draws.blocks())), resampled(METRICS["mae"], (gold, predicted), draws), strict=True
    ):
        assert counts.sum() == draws.clusters == 10
        index = np.repeat(np.arange(ROWS), counts[draws.place])
        assert drawn == pytest.approx(np.abs(gold - predicted)[index].mean())


def test_a_metric_that_knows_no_weights_is_called_for_each_resample(data):
    gold, predicted, rows = data
    plain = Metric(pearson, "pairs", doc="toy")
    found = resampled(plain, (gold, predicted), Draws(rows, options()))
    assert found == pytest.approx(values("pearson", gold, predicted, rows))


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.sums or metric.many])
def test_a_resample_has_the_value_of_its_instances_and_none_where_they_are_constant(name):
    metric = METRICS[name]
    random = np.random.default_rng(5)
    numbers = metric.takes in ("pairs", "controlled")
    gold = np.array([3.0, 3, 3, 3, 3, 5, 4]) + 1e6 * numbers
    predicted = gold * random.uniform(0.9, 1.1, len(gold))
    more = (random.uniform(size=(len(gold), 2)),) if metric.takes == "controlled" else ()
    if not numbers:
        gold = gold > 3
        predicted = predicted > 3.1 if metric.takes == "classes" else predicted
    clusters = list("aabbccd")
    draws = Draws(clusters, options(resamples=300))
    found = resampled(metric, (gold, predicted, *more), draws)
    wanted = []
    for counts in np.concatenate(list(draws.blocks())):
        index = np.repeat(np.arange(len(gold)), counts[draws.place])
        value = metric.function(gold[index], predicted[index], *(columns[index] for columns in more))
        wanted.append(np.nan if isinstance(value, Undefined) else float(value))
    assert 0 < np.isnan(wanted).sum() < 300
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-9)


def test_the_seed_and_the_names_of_clusters_decide_the_draws(data):
    _, _, rows = data

    def drawn(names, **other):
        return np.concatenate(list(Draws(names, options(**other)).blocks()))

    assert (drawn(rows) == drawn(rows[::-1])).all()
    assert not (drawn(rows) == drawn(rows, seed=1)).all()
    assert not (drawn(["a", "bc", "d"]) == drawn(["ab", "c", "d"])).all()
    # The first of more resamples are the same: intervals get finer, not other.
    assert (drawn(rows, resamples=300)[:200] == drawn(rows)).all()


def test_blocks_are_one_stream_of_draws(data, monkeypatch):
    gold, predicted, rows = data
    whole = values("mae", gold, predicted, rows)
    monkeypatch.setattr("lexbeam.transforms.evaluation.bootstrap.BLOCK", 7 * ROWS)
    assert values("mae", gold, predicted, rows) == pytest.approx(whole)


def test_a_difference_is_paired(data):
    gold, predicted, rows = data
    better = (gold + predicted) / 2
    own = {"clusters": rows, "options": options()}
    found = measure_difference("mae", (gold, better), (gold, predicted), **own)
    differences = values("mae", gold, better, rows) - values("mae", gold, predicted, rows)
    assert found.value == pytest.approx(-np.abs(gold - predicted).mean() / 2)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(differences, [0.025, 0.975])))
    same = measure_difference("mae", (gold, better), (gold, better), **own)
    assert (same.value, same.low, same.high) == (0, 0, 0)


def test_resamples_without_a_value_are_counted():
    # Of 3 rows 1 is positive: 8 of 27 resamples have none.
    gold, rows = np.array([True, False, False]), ["a", "b", "c"]
    found = measure("recall", (gold, gold), clusters=rows, options=options(resamples=2_000))
    assert (found.value, found.low, found.high) == (1, None, None)
    assert found.reason == "undefined_resamples"
    assert found.undefined / 2_000 == pytest.approx(8 / 27, abs=0.03)
    # Of 60 rows 4 are positive: 1.6 % of the resamples, (56 / 60)^60, have none and are left out.
    gold = np.arange(60) < 4
    found = measure("recall", (gold, gold), clusters=[str(i) for i in range(60)], options=options())
    assert 0 < found.undefined <= 10
    assert (found.low, found.high, found.reason) == (1, 1, None)


def test_a_reason_in_a_resample_is_no_value():
    def picky(gold, predicted):
        return Undefined("odd") if gold[0] != gold.min() else 1.0

    rows = [str(i) for i in range(4)]
    found = resampled(Metric(picky, "pairs", doc="toy"), (np.arange(4.0),) * 2, Draws(rows, options()))
    assert set(found.tolist()) == {1.0}
    found = interval_of(np.array([1.0] * 94 + [np.nan] * 6), 0.95)
    assert found == (None, None, "undefined_resamples", 6)


@pytest.mark.slow
@pytest.mark.parametrize(("by_cluster", "least", "most"), [(True, 0.9, 0.97), (False, 0.3, 0.7)])
def test_intervals_cover_what_they_should(by_cluster, least, most):
    # 50 clusters of 8 rows that err alike: whoever draws rows one by one is too sure.
    random = np.random.default_rng(3)
    covered = 0
    for _ in range(200):
        errors = np.repeat(random.exponential(size=50), 8) * random.uniform(0.9, 1.1, size=400)
        clusters = [str(i // 8 if by_cluster else i) for i in range(400)]
        found = measure("mae", (np.zeros(400), errors), clusters=clusters, options=options(resamples=300))
        covered += found.low <= 1 <= found.high
    assert least <= covered / 200 <= most


def test_another_seed_gives_other_resamples(data):
    gold, predicted, rows = data

    def resampled_with(seed):
        seeded = from_mapping(BootstrapOptions, {"resamples": 20, "bootstrap_seed": seed})
        return resampled(METRICS["mae"], (gold, predicted), Draws(rows, seeded))

    assert (resampled_with(0) == values("mae", gold, predicted, rows, resamples=20)).all()
    assert (resampled_with(1) != resampled_with(0)).any()
