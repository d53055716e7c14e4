"""Systems that are evaluated: values of scores, files, means of ranks."""

import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.stats
from published import scores

from lexbeam.schemas.change.scores import SCORES
from lexbeam.transforms.change.scores.evaluation import EvaluationOptions, evaluate, of_gold
from lexbeam.transforms.change.scores.gold import Gold, ScoredWords, mean_ranks, read_predictions, systems_in
from lexbeam.transforms.change.view.words import ViewOptions
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions

VIEW = ViewOptions(case="lower")
GOLD = Gold({"a": True, "b": True, "c": False, "d": False}, {"a": 0.9, "b": 0.5, "c": 0.1, "d": 0.05})
ROWS = [
    scores("a", 0.8, excess=0.1, p_value=0.2, q_value=0.4, p_relative=0.2, q_relative=0.9, significant=False),
    scores("b", 0.7, excess=0.4, p_value=0.001, q_value=0.01, p_relative=0.001, q_relative=0.04, significant=True),
    scores("c", 0.6, excess=0.3, p_value=0.01, q_value=0.03, p_relative=0.3, q_relative=0.6, significant=False),
    scores("d", 0.5, excess=0.0),
]
PREFIX = "old:new/op/cosine"


def table(rows):
    return pa.Table.from_pylist(rows, schema=SCORES.schema())


def evaluated(rows, predictions=(), **other):
    options = EvaluationOptions(bootstrap=BootstrapOptions(resamples=0), **other)
    given = of_gold([table(rows)], GOLD.words) if rows else None
    found, missing = evaluate(given, GOLD, options, predictions)
    return {(row["system"], row["metric"]): row["value"] for row in found.to_pylist()}, missing


def test_excess_p_and_q_are_systems_beside_the_score():
    found, missing = evaluated(ROWS, missing="leave-out", metric=("spearman", "precision", "recall"))
    assert found[f"{PREFIX}/mean", "spearman"] == pytest.approx(1)
    # Excess of a b c d: 2nd, 4th, 3rd and 1st least; gold 4th, 3rd, 2nd, 1st.
    assert found[f"{PREFIX}/excess/mean", "spearman"] == pytest.approx(
        scipy.stats.spearmanr([0.9, 0.5, 0.1, 0.05], [0.1, 0.4, 0.3, 0.0]).statistic
    )
    # The least p says most: of a, b, c gold has a before b before c, p has b, c, a.
    assert found[f"{PREFIX}/p_value/mean", "spearman"] == pytest.approx(-0.5)
    # Called changed by p are b and c, by both q-values b alone.
    assert found[f"{PREFIX}/p_value/mean", "precision"] == 0.5
    assert found[f"{PREFIX}/significant/mean", "precision"] == 1.0
    assert found[f"{PREFIX}/significant/mean", "recall"] == 0.5
    reasons = {lacking.system: lacking.words for lacking in missing}
    assert reasons[f"{PREFIX}/q_value/mean"] == {"d": "no_evidence"}


def test_only_what_is_asked_for_is_evaluated():
    found, _ = evaluated(ROWS, missing="leave-out", metric=("spearman",), by=("q_relative",))
    assert {name for name, _ in found} == {f"{PREFIX}/mean", f"{PREFIX}/q_relative/mean"}
    found, _ = evaluated(ROWS, metric=("spearman",), by=("none",))
    assert {name for name, _ in found} == {f"{PREFIX}/mean"}
    with pytest.raises(UsageError, match="none goes with no other"):
        evaluated(ROWS, by=("none", "excess"))


def test_without_nulls_there_is_the_score_alone():
    found, _ = evaluated([scores(word, n / 9) for n, word in enumerate("abcd")], metric=("spearman",))
    assert {name for name, _ in found} == {f"{PREFIX}/mean"}


def test_files_are_systems_and_may_stand_alone():
    file = ScoredWords("mine", {"a": 3.0, "b": 2.0, "c": 1.0, "d": math.nan, "z": 9.0})
    found, missing = evaluated([], [file], metric=("spearman", "average_precision"))
    assert found == pytest.approx({("mine", "spearman"): 1.0, ("mine", "average_precision"): 1.0})
    assert missing == [("mine", {"d": "not_scored"})]
    with pytest.raises(LexbeamError, match=r"1 of 4 gold words are not in file short: d; add them"):
        evaluated([], [ScoredWords("short", {"a": 1.0, "b": 2.0, "c": 3.0})])


def test_a_file_is_compared_with_a_baseline_of_each_pair_and_the_other_way_round():
    file = ScoredWords("mine", {"a": 1.0, "b": 4.0, "c": 3.0, "d": 2.0})
    asked = {"metric": ("spearman",), "by": ("none",)}
    found, _ = evaluated(ROWS, [file], baseline="op/cosine", **asked)
    assert found["mine minus old:new/op/cosine", "spearman"] == pytest.approx(found["mine", "spearman"] - 1)
    found, _ = evaluated(ROWS, [file], baseline="mine", **asked)
    assert found[f"{PREFIX}/mean minus mine", "spearman"] == pytest.approx(1 - found["mine", "spearman"])


def test_means_of_ranks_are_those_of_the_words_that_all_score():
    words = ["a", "b", "c", "d", "e"]
    file = ScoredWords("mine", {"a": 0.1, "b": 0.1, "c": 5.0, "d": 9.0})
    found = list(systems_in(table([*ROWS, scores("e", 0.9)]), [file], words, ()))
    (ranks,) = mean_ranks(found, ["op/cosine", "mine"], words)
    assert ranks.name == "old:new/ranks/mean"
    # Scores of a to d have the ranks 4, 3, 2, 1, those of the file 1.5, 1.5, 3, 4.
    np.testing.assert_allclose(ranks.scores, [2.75, 2.25, 2.5, 2.5, np.nan])
    assert ranks.missing == {"e": "not_scored"}
    with pytest.raises(UsageError, match="`mean_ranks`: there is no 'op/cosin'; did you mean 'op/cosine'"):
        list(mean_ranks(found, ["op/cosin"], words))


def test_files_alone_have_means_of_ranks_too():
    files = [ScoredWords("x", {"a": 1.0, "b": 2.0}), ScoredWords("y", {"a": 3.0, "b": 9.0})]
    systems = list(systems_in(SCORES.schema().empty_table(), files, ["a", "b"], ()))
    (ranks,) = mean_ranks(systems, ["x", "y"], ["a", "b"])
    assert (ranks.name, ranks.scores.tolist()) == ("ranks", [1.0, 2.0])


def test_a_run_asked_for_means_of_ranks_has_them():
    file = ScoredWords("mine", {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0})
    found, _ = evaluated(ROWS, [file], metric=("spearman",), by=("none",), mean_ranks=("op/cosine", "mine"))
    assert found["old:new/ranks/mean", "spearman"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tsv", "word\tscore\nAttack\t.5\nb\t1e-3\n"),
        ("b.tsv", "rank\tscore\tword\n1\t.5\tAttack\n2\t.001\tb\n"),
        ("c.csv", 'word,score\nAttack,.5\n"b",.001\n'),
        ("d.txt", "Attack\t.5\nb\t.001\n"),
        ("e.csv", "Word;Score;note\nAttack;.5;a, b, c\nb;.001;\n"),
        ("f.tsv", "WORD\tScore\nAttack\t.5\nb\t.001\n"),
        ("g.csv", "Attack,.5\nb,.001\n"),
    ],
)
def test_files_of_several_forms(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert read_predictions([str(tmp_path / name)], VIEW) == [(name[0], {"attack": 0.5, "b": 0.001})]


def test_parquet_too_and_missing_scores(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"word": ["a", "b"], "score": [0.5, None]}), path)
    ((name, found),) = read_predictions([str(path)], VIEW)
    assert name == "x"
    assert found["a"] == 0.5
    assert math.isnan(found["b"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("word\tvalue\na\t1\n", r"x.tsv has no columns 'word' and 'score': it has 'word', 'value'; name two "),
        ("word\tscore\na\tmuch\n", r"row 1: the score of 'a' is 'much'; give a number"),
        ("word\tscore\na\tinf\n", r"the score of 'a' is 'inf'"),
        ("word\tscore\na\t1\nA\t2\n", r"words stand there more than once \(a\)"),
        ("word\tscore\n\t1\n", r"row 1: '' is no word"),
        ("word\tscore\na\t\n", r"no word has a score"),
        ("word\tscore\na\n", r"line 2: 1 cells under a header of 2"),
        ("word,score\na,1\nb\n", r"line 3: 1 cells under a header of 2"),
        ("word\tscore\tScore\na\t1\t2\n", r"several columns 'score': rename them"),
        ("word;score\na;0,5\n", r"row 1: the score of 'a' is '0,5'; give a number"),
    ],
)
def test_files_that_are_wrong(tmp_path, text, message):
    (tmp_path / "x.tsv").write_text(text)
    with pytest.raises(LexbeamError, match=message):
        read_predictions([str(tmp_path / "x.tsv")], VIEW)


def test_two_files_of_one_name_are_refused(tmp_path):
    for folder in ("p", "q"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.tsv").write_text("word\tscore\na\t1\n")
    with pytest.raises(UsageError, match="several files are called 'x'"):
        read_predictions([str(tmp_path / folder / "x.tsv") for folder in ("p", "q")], VIEW)
