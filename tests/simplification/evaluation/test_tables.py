"""Metrics of simplification: an example worked by hand, and brute force against plain Python."""

import doctest
import random

import plain_metrics
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simplified import candidates, instance, parts_of, rankings, row, selections, worked
from simplified import chosen as chose

from lexbeam.schemas.simplification import CANDIDATES, INSTANCES, SUBSTITUTES
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions
from lexbeam.transforms.simplification.evaluation import list_measures
from lexbeam.transforms.simplification.evaluation import list_measures as listing
from lexbeam.transforms.simplification.evaluation.evaluated_tables import (
    SimplificationMeasureOptions,
    evaluate_tables,
    figure_rows,
    gold_in,
    gold_settings,
)

NONE = BootstrapOptions(resamples=0)
GOLD = (INSTANCES.name, SUBSTITUTES.name)


def evaluated(folder, rows, *, number=1, lemmas=None, **options):
    """Return gold, rows of metrics by system, subset, metric and k, and rows of the funnel."""
    parts = parts_of(folder / "part", rows, number)
    paths = {name: [part.path for part in table_parts] for name, table_parts in parts.items()}
    gold = gold_in({name: paths[name] for name in GOLD})
    stages = {name: table_paths for name, table_paths in paths.items() if name not in GOLD}
    measuring = SimplificationMeasureOptions(**{"bootstrap": NONE, **options})
    result = evaluate_tables(gold, stages, measuring, lemmas)
    metrics = list(figure_rows(gold, result, measuring))
    keyed = {(r["system"], r["subset"], r["metric"], r["k"]): r for r in metrics}
    assert len(keyed) == len(metrics)
    return gold, keyed, list(result.funnel.rows())


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    return evaluated(tmp_path_factory.mktemp("worked"), worked(), number=2, k=(1, 3))


def ratio(metrics, *key):
    row = metrics[key]
    return row["numerator"], row["denominator"]


def test_doctests():
    for module in (list_measures, listing, list_measures):
        assert doctest.testmod(module).failed == 0


def test_what_counts_has_gold(example):
    # Of 5 annotators gave the target alone, of 6 there is no gold.
    gold, _, _ = example
    assert [int(identifier, 16) for identifier in gold.ids] == [1, 2, 3, 4]
    assert [int(identifier, 16) for identifier in gold.without] == [5]
    assert gold.ranks[0] == {"duro": 1, "difícil": 2, "pesado": 3}


def test_generation_by_hand(example):
    # Without the target: 1 difícil largo duro; 2 rápido raudo; 3 nothing; 4 áspero duro. Gold has
    # 3 + 3 + 1 + 2 = 9 substitutes.
    _, metrics, _ = example
    values = {
        # Right at 1: difícil, rápido. Three lists have a first word.
        ("potential_at_k", 1): (2, 4),
        ("precision_at_k", 1): (2, 3),
        ("recall_at_k", 1): (2, 9),
        ("f1_at_k", 1): (2 * 2, 3 + 9),
        ("map_at_k", 1): (2, 4),
        # At 3: difícil, duro; rápido; duro. 3 + 2 + 2 words.
        ("potential_at_k", 3): (3, 4),
        ("precision_at_k", 3): (4, 7),
        ("recall_at_k", 3): (4, 9),
        ("f1_at_k", 3): (2 * 4, 7 + 9),
        # 1: (1/1 + 2/3) / 3; 2: 1/1 / 3; 4: 1/2 / 3.
        ("map_at_k", 3): (5 / 9 + 1 / 3 + 1 / 6, 4),
        # What most gave: 1 duro; 2 rápido and ágil; 4 duro and trabajoso.
        ("accuracy_at_k_top1", 1): (1, 4),
        ("accuracy_at_k_top1", 2): (2, 4),
        ("accuracy_at_k_top1", 3): (3, 4),
    }
    for (metric, k), expected in values.items():
        assert ratio(metrics, "a", "generation", metric, k) == pytest.approx(expected), metric
        assert metrics["a", "generation", metric, k]["n"] == 4
    # b has one list, duro.
    assert ratio(metrics, "b", "generation", "potential_at_k", 3) == (1, 4)
    assert ratio(metrics, "b", "generation", "precision_at_k", 3) == (1, 1)
    assert ratio(metrics, "b", "generation", "f1_at_k", 3) == (2, 1 + 9)


def test_ties_of_selection_stand_as_generated(example):
    # duro and difícil have the same score, and difícil was generated first: 2 of 3 at 1 are gold
    # (difícil, duro of 4), and raudo is not.
    _, metrics, _ = example
    assert ratio(metrics, "a", "selection", "precision_at_k", 1) == (2, 3)
    assert ratio(metrics, "a", "selection", "accuracy_at_k_top1", 1) == (1, 4)
    assert ratio(metrics, "a", "selection", "precision_at_k", 3) == (3, 5)


def test_rankers_by_hand(example):
    _, metrics, _ = example
    # frequency: 1 ties difícil (rank 2) and duro (rank 1); 2 raudo is wrong; 4 duro. 3 has none.
    for k, expected in ((1, 0.5 + 0 + 1), (2, 1 + 0 + 1), (3, 2)):
        assert ratio(metrics, "a frequency", "ranking", "trank_at_k", k) == (expected, 3)
        assert metrics["a frequency", "ranking", "trank_at_k", k]["n"] == 3
    # senses: 1 difícil; 2 raudo; 4 ties áspero and duro.
    for k, expected in ((1, 0 + 0 + 0.5), (2, 1 + 0 + 0.5)):
        assert ratio(metrics, "a senses", "ranking", "trank_at_k", k) == (expected, 3)
    # Chance: half of {difícil, duro}, nothing of {raudo}, half of {áspero, duro}; a ranker that
    # ties all has the same.
    for system in ("a random-order", "a constant"):
        for k, expected in ((1, 0.5 + 0.5), (2, 1 + 0.5)):
            assert ratio(metrics, system, "ranking", "trank_at_k", k) == (expected, 3)
    difference = metrics["a senses minus a random-order", "ranking", "trank_at_k", 1]
    assert difference["value"] == pytest.approx(0.5 / 3 - 1 / 3)
    # With one ranker the setting is the system.
    assert ratio(metrics, "b", "ranking", "trank_at_k", 1) == (1, 1)


def test_pipelines_by_hand(example):
    _, metrics, _ = example
    expected = {
        # difícil is gold; the target stays twice, once for want of candidates; duro is gold.
        "a frequency": {"precision": 4, "accuracy": 2, "changed": 2},
        # difícil; raudo is neither; nothing is told of 3, so the target stays; áspero is neither.
        "a senses": {"precision": 2, "accuracy": 1, "changed": 3},
        "b": {"precision": 4, "accuracy": 1, "changed": 1},
    }
    for system, values in expected.items():
        for metric, above in values.items():
            assert ratio(metrics, system, "pipeline", metric, None) == (above, 4)
        right_of_changed = (values["accuracy"], values["changed"])
        assert ratio(metrics, system, "pipeline", "change_precision", None) == right_of_changed


def test_the_funnel_by_hand(example):
    _, _, rows = example
    columns = ("candidates", "gold_candidates", "instances_lost", "instances_left")
    by_stage = {
        (r["ranker"], r["stage"], r["reason"]): tuple(r[name] for name in columns) for r in rows if r["setting"] == "a"
    }
    assert by_stage == {
        (None, "generation", None): (7, 4, None, 3),
        (None, "generation", "beyond_k"): (1, 1, 0, None),  # pesado
        (None, "generation", "not_generated"): (0, 4, 1, None),  # ágil ligero obstáculo trabajoso
        (None, "selection", None): (5, 3, None, 2),
        (None, "selection", "target_inflection"): (1, 0, 0, None),
        (None, "selection", "pos_mismatch"): (1, 0, 0, None),
        (None, "selection", "merged"): (1, 1, 1, None),  # rápido, the only one of 2
        ("frequency", "ranking", None): (5, 3, None, 2),
        ("frequency", "pipeline", None): (2, 2, None, 2),
        ("frequency", "pipeline", "not_chosen"): (2, 1, 0, None),  # duro of 1, áspero of 4
        ("frequency", "pipeline", "keep_target"): (1, 0, 0, None),  # raudo
        ("senses", "ranking", None): (5, 3, None, 2),
        ("senses", "pipeline", None): (3, 1, None, 1),
        ("senses", "pipeline", "not_chosen"): (2, 2, 1, None),  # duro of 1, duro of 4
    }
    # Gold of each stage adds up to what the stage before left.
    lost = sum(values[1] for key, values in by_stage.items() if key[:2] == (None, "generation"))
    assert lost == 9


def test_differences_are_of_the_same_stage_and_metric(example):
    _, metrics, _ = example
    row = metrics["a minus b", "generation", "potential_at_k", 3]
    assert (row["value"], row["n"], row["numerator"]) == (0.5, 4, None)
    assert ("a frequency minus a senses", "pipeline", "accuracy", None) in metrics
    assert not any(key[0].startswith("b minus a") for key in metrics)


def test_a_baseline_is_what_others_are_compared_with(tmp_path):
    _, metrics, _ = evaluated(tmp_path, worked(), k=(1,), baseline="a senses")
    pairs = {key[0] for key in metrics if " minus " in key[0] and "random" not in key[0]}
    assert pairs == {"a frequency minus a senses", "b minus a senses"}
    with pytest.raises(UsageError, match="`baseline`: there is no system 'c'"):
        evaluated(tmp_path, worked(), baseline="c")


def test_the_public_scorers_way_leaves_out_instances_without_candidates(tmp_path):
    _, metrics, _ = evaluated(tmp_path, worked(), k=(3,), tsar_scorer=True)
    assert ratio(metrics, "a", "generation", "potential_at_k", 3) == (3, 3)
    assert metrics["a", "generation", "potential_at_k", 3]["n"] == 3
    assert ratio(metrics, "b", "generation", "accuracy_at_k_top1", 1) == (1, 1)
    # Recall is of all gold, whatever the scorer.
    assert ratio(metrics, "a", "generation", "recall_at_k", 3) == (4, 9)


def test_candidates_match_by_lemma(tmp_path):
    rows = [
        instance(1, "moradas"),
        row(SUBSTITUTES, instance_id=f"{1:032x}", substitute="casas", gold_rank=1),
        instance(2, "reto"),
        *(
            row(SUBSTITUTES, instance_id=f"{2:032x}", substitute=word, gold_rank=rank)
            for word, rank in (("desafíos", 1), ("desafío", 2), ("duelo", 2))
        ),
        row(CANDIDATES, instance_id=f"{1:032x}", setting="a", form="casa", lemma="casa", rank=1),
        row(CANDIDATES, instance_id=f"{2:032x}", setting="a", form="apuesta", lemma="apuesta", rank=1),
        row(CANDIDATES, instance_id=f"{2:032x}", setting="a", form="duelo", lemma="duelo", reason="no_form"),
    ]
    lemmas = {"casas": ["casa"], "desafíos": ["desafío"]}
    _, metrics, _ = evaluated(tmp_path, rows, lemmas=lambda form: lemmas.get(form, [form]), k=(5,))
    assert ratio(metrics, "a", "generation", "potential_at_k", 5) == (0, 2)
    oracle = "a lemma-match"
    # casa is a lemma of casas, duelo would be right if it had a form; desafíos and desafío are one.
    assert ratio(metrics, oracle, "generation", "potential_at_k", 5) == (2, 2)
    assert ratio(metrics, oracle, "generation", "recall_at_k", 5) == (2, 1 + 2)
    assert ratio(metrics, oracle, "generation", "precision_at_k", 5) == (2, 3)


def test_settings_with_gold_among_their_candidates_are_known(tmp_path):
    rows = [*candidates(1, "own", ["a"]), *candidates(1, "given", ["a"], gold_score=3.0)]
    parts = parts_of(tmp_path / "part", rows)
    assert gold_settings([part.path for part in parts[CANDIDATES.name]]) == ["given"]


def check_conserved(rows, gold):
    """Gold of each stage is lost for a reason or goes on; an instance is lost once, or is left."""
    before, instances = int(gold.sizes.sum()), len(gold.ids)
    for stage in ("generation", "ranking", "pipeline"):
        stage_rows = [row for row in rows if row["stage"] == stage]
        if stage_rows:
            assert sum(row["gold_candidates"] for row in stage_rows) == before
            assert sum(row["instances_lost"] or row["instances_left"] or 0 for row in stage_rows) == (instances)
            before, instances = next(
                (row["gold_candidates"], row["instances_left"]) for row in stage_rows if row["reason"] is None
            )


WORDS = ["ab", "Ba", "cc", "DD", "é", "f g"]
COUNTS = st.dictionaries(st.sampled_from(WORDS), st.integers(1, 3), max_size=5)
LISTS = st.lists(st.sampled_from([w.lower() for w in WORDS]), unique=True, max_size=6)
CASES = st.lists(st.tuples(st.sampled_from(WORDS), COUNTS, LISTS, LISTS, st.integers(0, 99)), min_size=1, max_size=6)


def check_rankers(metrics, ranked):
    """Check TRank-at-n of a ranker, of random order and of a constant ranker."""
    for n in (1, 2, 3):
        key = ("s", "ranking", "trank_at_k", n)
        if key in metrics:
            expected = plain_metrics.of_ranker(ranked, n)
            assert ratio(metrics, *key) == pytest.approx(tuple(map(float, expected)))
            chance = [(t, g, dict.fromkeys(o, 1)) for t, g, o in ranked]
            expected = plain_metrics.of_ranker(chance, n)
            for system in ("s random-order", "s constant"):
                assert ratio(metrics, system, *key[1:]) == pytest.approx(tuple(map(float, expected)))


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(cases=CASES, k=st.integers(1, 7))
def test_all_metrics_are_those_of_plain_python(cases, k, tmp_path_factory):
    rows, generated, ranked, pipeline = [], [], [], []
    for number, (target, gold, first, second, seed) in enumerate(cases):
        draw = random.Random(seed)
        rows.append(instance(number, target, f"{number} {target} ."))
        counts = plain_metrics.counted(gold, target)
        rows += [
            row(
                SUBSTITUTES,
                instance_id=f"{number:032x}",
                substitute=word,
                gold_rank=plain_metrics.rank_of(word, counts),
            )
            for word in counts
        ]
        rows += candidates(number, "s", first)
        ranks = {word: draw.randint(1, 2) for word in second}
        dense = {word: sorted({*ranks.values()}).index(n) + 1 for word, n in ranks.items()}
        order = dict(sorted(dense.items(), key=lambda item: item[1]))
        rows += rankings(number, "s", "r", order)
        word = draw.choice([target, *second])
        rows.append(chose(number, "s", "r", word))
        generated.append((target, gold, first))
        ranked.append((target, gold, order))
        if counts:
            same = word.casefold() == target.casefold()
            right = word.casefold() in counts
            pipeline.append((same or right, right, not same))
    if not pipeline:
        return
    gold, metrics, list_measures = evaluated(tmp_path_factory.mktemp("brute"), rows, number=2, k=(k,))
    check_conserved(list_measures, gold)
    lists = {"generation": generated, "ranking": [(t, g, list(o)) for t, g, o in ranked]}
    for stage, given_rows in lists.items():
        if ("s", stage, "recall_at_k", k) not in metrics:
            assert not any(words for *_, words in given_rows)
            continue
        for name, expected in plain_metrics.of_lists(given_rows, k).items():
            if name != "accuracy_at_k_top1" or k <= 3:
                assert ratio(metrics, "s", stage, name, k) == pytest.approx(tuple(map(float, expected)))
    check_rankers(metrics, ranked)
    for place, name in enumerate(("precision", "accuracy", "changed")):
        above = sum(values[place] for values in pipeline)
        assert ratio(metrics, "s", "pipeline", name, None) == (above, len(pipeline))


def test_numerators_of_lists_are_whole_even_where_scores_tie(tmp_path):
    rows = [
        instance(1, "x"),
        row(SUBSTITUTES, instance_id=f"{1:032x}", substitute="b", gold_rank=1),
        *candidates(1, "a", ["c", "b", "d"]),
        *selections(1, "a", {"b": 1.0, "c": 1.0, "d": 1.0}),
    ]
    _, metrics, _ = evaluated(tmp_path, rows, k=(1, 2))
    assert ratio(metrics, "a", "selection", "recall_at_k", 1) == (0, 1)
    assert ratio(metrics, "a", "selection", "recall_at_k", 2) == (1, 1)


@pytest.mark.parametrize(
    ("cluster", "reason"), [("target", "one_cluster"), ("sentence", "one_cluster"), ("instance", None)]
)
def test_instances_are_resampled_by_what_the_option_says(tmp_path, cluster, reason):
    rows = []
    for number in (1, 2):
        rows.append(instance(number, "reto", sentence="Un reto."))
        rows.append(row(SUBSTITUTES, instance_id=f"{number:032x}", substitute="casas", gold_rank=1))
        rows += candidates(number, "a", ["casas"])
    _, metrics, _ = evaluated(tmp_path, rows, k=(1,), cluster=cluster, bootstrap=BootstrapOptions(resamples=20))
    assert metrics["a", "generation", "potential_at_k", 1]["reason"] == reason
