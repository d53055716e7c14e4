"""Submissions as TSAR-2022 takes them: read, matched, evaluated, written."""

import random
from collections import Counter

import plain_metrics
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions
from lexbeam.transforms.simplification.evaluation.evaluated_tables import SimplificationMeasureOptions, figure_rows
from lexbeam.transforms.simplification.evaluation.list_measures import gold_of
from lexbeam.transforms.simplification.evaluation.submissions import (
    evaluate_rows,
    matched_rows,
    read_gold,
    read_predictions,
    submission,
)

NONE = BootstrapOptions(resamples=0)
GOLD = """\
Un trabajo arduo.\tarduo\tduro\tDuro\tdifícil\tarduo\t\tpesado
Un trabajo arduo.\ttrabajo\templeo\templeo\tlabor
Iba veloz .\tveloz\trápido\trápido\tágil\tágil
"""


def written(folder, name, text):
    path = folder / name
    path.write_text(text, "utf-8", newline="")
    return str(path)


def evaluated(folder, gold, predictions, layout="tsar", **options):
    """Return the ratios of metrics by subset, metric and k, and what a person is warned of."""
    measuring = SimplificationMeasureOptions(**{"bootstrap": NONE, **options})
    paths = written(folder, "gold.tsv", gold), written(folder, "run.tsv", predictions)
    notes = []
    judged = read_gold(paths[0], layout, notes, as_written=measuring.tsar_scorer)
    rows = matched_rows(judged, read_predictions(paths[1]), paths[1], notes)
    known = gold_of(judged, as_written=measuring.tsar_scorer)
    result = evaluate_rows(known, rows, "run", measuring)
    metrics = {
        (r["subset"], r["metric"], r["k"]): (r["numerator"], r["denominator"])
        for r in figure_rows(known, result, measuring)
        if r["system"] == "run"
    }
    return metrics, notes, list(result.funnel.rows())


def test_gold_by_hand(tmp_path):
    notes = []
    first, second, third = read_gold(written(tmp_path, "g.tsv", GOLD), "tsar", notes)
    assert first.ranks == {"Duro": 1, "difícil": 2, "pesado": 2}
    assert second.ranks == {"empleo": 1, "labor": 2}
    assert third.ranks == {"rápido": 1, "ágil": 1}
    assert notes == []
    as_written = read_gold(written(tmp_path, "g.tsv", GOLD), "tsar", notes, as_written=True)[0]
    assert as_written.ranks == dict.fromkeys(["Duro", "duro", "difícil", "pesado"], 1)


def test_metrics_by_hand(tmp_path):
    # Without targets and repeats: difícil, largo, duro; nothing; nothing, for there is no row.
    run = "Un trabajo arduo.\tarduo\tArduo\tdifícil\tlargo\tDIFÍCIL\tduro\n"
    run += "Un trabajo arduo.\ttrabajo\n"
    metrics, notes, funnel = evaluated(tmp_path, GOLD, run, k=(1, 3))
    assert metrics["ranking", "potential_at_k", 1] == (1, 3)
    assert metrics["ranking", "precision_at_k", 3] == (2, 3)
    assert metrics["ranking", "recall_at_k", 3] == (2, 3 + 2 + 2)
    assert metrics["ranking", "f1_at_k", 3] == (4, 3 + 7)
    assert metrics["ranking", "map_at_k", 3] == pytest.approx(((1 + 2 / 3) / 3, 3))
    assert metrics["ranking", "accuracy_at_k_top1", 2] == (0, 3)
    assert metrics["ranking", "accuracy_at_k_top1", 3] == (1, 3)
    assert metrics["ranking", "trank_at_k", 1] == (0, 1)
    assert metrics["ranking", "trank_at_k", 2] == (1, 1)
    # The first word of the first row is the target, and of the others there is none.
    assert metrics["pipeline", "precision", None] == (3, 3)
    assert metrics["pipeline", "accuracy", None] == (0, 3)
    assert metrics["pipeline", "changed", None] == (0, 3)
    assert len(notes) == 1
    assert "1 of 3 instances of gold have no row: 'veloz'" in notes[0]
    lost = {(r["stage"], r["reason"]): r["instances_lost"] for r in funnel if r["reason"]}
    assert lost == {("ranking", "no_rows"): 2, ("pipeline", "keep_target"): 1}
    # The public scorer lets the third go free, not the second; and duro is not what most gave.
    metrics, _, _ = evaluated(tmp_path, GOLD, run, k=(1, 3), tsar_scorer=True)
    assert metrics["ranking", "potential_at_k", 1] == (0, 2)  # Arduo is another word than arduo
    assert metrics["ranking", "potential_at_k", 3] == (1, 2)
    assert metrics["ranking", "map_at_k", 3] == pytest.approx((1 / 2 / 3, 2))


def test_the_first_word_is_what_a_pipeline_chooses(tmp_path):
    run = "Un trabajo arduo.\tarduo\tDuro\nUn trabajo arduo.\ttrabajo\tlago\tlabor\n"
    metrics, _, _ = evaluated(tmp_path, GOLD, run)
    assert metrics["pipeline", "precision", None] == (2, 3)  # of veloz nothing is told: it stays
    assert metrics["pipeline", "accuracy", None] == (1, 3)
    assert metrics["pipeline", "changed", None] == (2, 3)


WORDS = ["aa", "Aa", "bb", "cc", "dd", "t"]
ROWS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(WORDS[:5]), min_size=1, max_size=6),
        st.none() | st.lists(st.sampled_from(WORDS), max_size=6),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, k=st.integers(1, 5))
def test_the_option_gives_the_public_scorers_numbers(rows, k, tmp_path_factory):
    if all(words is None for _, words in rows):
        return
    folder = tmp_path_factory.mktemp("scorer")
    gold = "".join(f"S {n} t.\tt\t" + "\t".join(words) + "\n" for n, (words, _) in enumerate(rows))
    run = "".join(
        "\t".join([f"S {n} t.", "t", *words]) + "\n" for n, (_, words) in enumerate(rows) if words is not None
    )
    metrics, _, _ = evaluated(folder, gold, run, k=(k,), tsar_scorer=True)
    expected = plain_metrics.public_scorer([("t", *row) for row in rows], k)
    for name, value in expected.items():
        if name != "accuracy_at_k_top1" or k <= 3:
            above, below = metrics["ranking", name, k]
            assert above / below == pytest.approx(value)


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, k=st.integers(1, 5))
def test_without_it_missing_rows_are_misses(rows, k, tmp_path_factory):
    folder = tmp_path_factory.mktemp("misses")
    gold = "".join(f"S {n} t.\tt\t" + "\t".join(words) + "\n" for n, (words, _) in enumerate(rows))
    run = "".join(
        "\t".join([f"S {n} t.", "t", *words]) + "\n" for n, (_, words) in enumerate(rows) if words is not None
    )
    if not run:
        return
    metrics, _, _ = evaluated(folder, gold, run, k=(k,))
    cases = [("t", Counter(gold), words or []) for gold, words in rows]
    for name, expected in plain_metrics.of_lists(cases, k).items():
        if name != "accuracy_at_k_top1" or k <= 3:
            assert metrics["ranking", name, k] == pytest.approx(tuple(map(float, expected)))


def test_gold_of_other_layouts(tmp_path):
    benchls = "A hard task .\thard\t1\t1:tough\t3:difficult\t3:Tough\t4:hard\n"
    metrics, _, _ = evaluated(tmp_path, benchls, "A hard task .\thard\tdifficult\n", "benchls")
    assert metrics["ranking", "trank_at_k", 1] == (0, 1)
    assert metrics["ranking", "trank_at_k", 2] == (1, 1)
    assert metrics["ranking", "recall_at_k", 1] == (1, 2)


@pytest.mark.parametrize(
    ("gold", "run"),
    [
        ("Un  coche ra\u0301pido.\tra\u0301pido\tveloz\n", "Un coche rápido. \trápido\tveloz\r\n"),
        ("The king’s ship.\tking's\truler's\n", "The king's ship.\tking’s\truler’s\n"),
    ],
)
def test_spaces_and_forms_of_characters_do_not_keep_rows_apart(tmp_path, gold, run):
    metrics, notes, _ = evaluated(tmp_path, gold, run)
    assert metrics["ranking", "potential_at_k", 1] == (1, 1)
    assert not notes


def test_rows_of_gold_that_stand_there_twice_are_one_instance(tmp_path):
    gold = "A b.\tb\tx\ty\nA c.\tc\tx\nA b.\tb\tx\n"
    notes = []
    first, _ = read_gold(written(tmp_path, "g.tsv", gold), "tsar", notes)
    assert first.ranks == {"x": 1, "y": 2}
    assert len(notes) == 1
    assert "(lines 1 and 3)" in notes[0]


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("Un trabajo arduo.\tardua\tduro\n", "line 1: gold has no target 'ardua' in this sentence, but arduo, trabajo"),
        ("\nUn trabajo ardua.\tarduo\tduro\n", "line 2: gold has no sentence 'Un trabajo ardua.'"),
        (
            "Iba veloz .\tveloz\ta\nIba veloz .\tveloz\tb\n",
            "line 2: target 'veloz' of this sentence stands in line 1 with other substitutes",
        ),
        ("Iba veloz .\n", "line 1: no sentence or no target; give sentence, target"),
        ("\n\n", "is empty"),
    ],
)
def test_rows_that_do_not_fit_are_named(tmp_path, run, message):
    with pytest.raises(UsageError) as caught:
        evaluated(tmp_path, GOLD, run)
    assert message in str(caught.value)


def test_rows_that_are_equal_are_one(tmp_path):
    run = "Iba veloz .\tveloz\tágil\n" * 2
    assert evaluated(tmp_path, GOLD, run)[0]["ranking", "potential_at_k", 1] == (1, 3)


def test_a_bad_row_of_gold_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"line 2: the place of the target is .x.; rows of layout benchls are"):
        read_gold(written(tmp_path, "g.tsv", "A b .\tb\t1\t1:x\nA b\tb\tx\n"), "benchls", [])


def test_what_is_written_is_read_again(tmp_path):
    draw = random.Random(2)
    rows = [(f"Frase {n} con t.", "t", tuple(draw.sample("abcdef", draw.randrange(5)))) for n in range(20)]
    path = written(tmp_path, "run.tsv", submission(rows))
    read = read_predictions(path)
    assert [(row.sentence, row.target, row.words) for row in read] == rows


def test_signs_that_part_cells_and_lines_become_spaces():
    assert submission([("a\tb\nc", "b", ["x\u2028y"])]) == "a b c\tb\tx y\n"
