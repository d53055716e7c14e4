import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.stats
from published import scores

from lexbeam.schemas.change.scores import SCORES
from lexbeam.transforms.change.scores.evaluation import EvaluationOptions, evaluate, of_gold
from lexbeam.transforms.change.scores.gold import (
    Gold,
    GoldOptions,
    ScoredWords,
    mean_ranks,
    read_gold,
    read_predictions,
    systems_in,
)
from lexbeam.transforms.change.view.words import ViewOptions
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions

VIEW = ViewOptions()


@pytest.fixture
def write(tmp_path):
    """A function that writes a file and returns its path."""

    def written(text, name="gold.tsv"):
        (tmp_path / name).write_text(text, "utf-8")
        return str(tmp_path / name)

    return written


def test_both_files_of_semeval(write):
    options = GoldOptions(
        binary=write("Attack_nn\t0\nplane_nn\t1\n", "binary.txt"),
        graded=write("attack_nn\t0.25\r\nplane_nn\t0.89\r\nhead_nn\t0", "graded.txt"),
    )
    binary = {"attack_nn": False, "plane_nn": True}
    assert read_gold(options, VIEW) == Gold(binary, {"attack_nn": 0.25, "plane_nn": 0.89, "head_nn": 0})
    assert read_gold(options, VIEW).words == ["attack_nn", "head_nn", "plane_nn"]


@pytest.mark.parametrize("lines", ["Attack_nn\t0\nplane_nn\t1\n", "\ufeffattack_nn\t0\r\nplane_nn\t 1 "])
def test_a_file_of_semeval_is_a_table_of_gold_too_and_its_values_tell_the_subtask(write, lines):
    assert read_gold(GoldOptions(gold=write(lines)), VIEW) == Gold({"attack_nn": False, "plane_nn": True}, {})
    graded = write("Attack_nn\t0\nplane_nn\t0.89\nhead_nn\t1\n")
    assert read_gold(GoldOptions(gold=graded), VIEW) == Gold({}, {"attack_nn": 0, "plane_nn": 0.89, "head_nn": 1})
    above = GoldOptions(gold=graded, changed_above=0.5)
    assert read_gold(above, VIEW).binary == {"attack_nn": False, "plane_nn": True, "head_nn": True}
    with pytest.raises(LexbeamError, match="row 3: the change of 'c' is 'x'; give a number"):
        read_gold(GoldOptions(gold=write("a\t0.5\nb\t1\nc\tx\n")), VIEW)
    with pytest.raises(LexbeamError, match="row 2: '' is no word"):
        read_gold(GoldOptions(gold=write("a\t0.5\n\t1\n")), VIEW)
    with pytest.raises(LexbeamError, match="1 words stand there more than once"):
        read_gold(GoldOptions(gold=write("a\t0.5\nA\t1\n")), VIEW)
    with pytest.raises(UsageError, match="has no column 'far'"):
        read_gold(GoldOptions(gold=graded, graded_column="far"), VIEW)


DWUG = 'lemma\tgrouping\tchange_binary\tchange_graded\na_nn\t1_2\t1\t0.5\n"b\t1_2\t0\t\n'


def test_published_statistics_of_dwug_and_empty_cells(write):
    found = read_gold(GoldOptions(gold=write(DWUG)), VIEW)
    assert found == Gold({"a_nn": True, '"b': False}, {"a_nn": 0.5})


def test_the_truth_of_a_sample(write):
    path = write("word\tkind\tchanged\nx\tgained\t0.5\ny\tcontrol_stable\t0.000\n")
    assert read_gold(GoldOptions(gold=path), VIEW) == Gold({}, {"x": 0.5, "y": 0})
    found = read_gold(GoldOptions(gold=path, changed_above=0), VIEW)
    assert found == Gold({"x": True, "y": False}, {"x": 0.5, "y": 0})


def test_parquet_with_columns_as_named(tmp_path):
    rows = pa.table({"w": ["a", "b"], "gone": [True, False], "far": [1, None], "graded": [0.1, 0.2]})
    pq.write_table(rows, tmp_path / "gold.parquet")
    options = {"gold": str(tmp_path / "gold.parquet"), "word_column": "w"}
    found = read_gold(GoldOptions(**options, binary_column="gone", graded_column="far"), VIEW)
    assert found == Gold({"a": True, "b": False}, {"a": 1.0})
    assert read_gold(GoldOptions(**options), VIEW) == Gold({}, {"a": 0.1, "b": 0.2})


def test_words_are_normalised_as_the_training_view_was(write):
    path = write("word\tgraded\nliber#4\t1\n")
    assert read_gold(GoldOptions(gold=path), VIEW).words == ["liber"]
    assert read_gold(GoldOptions(gold=path), ViewOptions(homonym_marks="keep")).words == ["liber#4"]
    upper = write("word\tgraded\nRat_NN\t1\nRat_nn\t2\n", "upper.tsv")
    assert read_gold(GoldOptions(gold=upper), ViewOptions(case="keep")).words == ["Rat_NN", "Rat_nn"]


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        ("word\tgraded\na\t1\nb\t2\nA\t3\n", {}, r"1 words stand there more than once \(a\)"),
        ("word\tbinary\na\t2\n", {}, r"row 1: the class of 'a' is '2'; give 0 or 1"),
        ("word\tgraded\na\tnan\n", {}, r"row 1: the change of 'a' is 'nan'; give a number"),
        ("word\tgraded\n\t1\n", {}, "row 1: '' is no word"),
        ("word\tgraded\na\n", {}, "line 2: 1 cells under a header of 2"),
        ("word\tgraded\n", {}, "no gold value"),
        ("name\tgraded\na\t1\n", {}, "no column of words: it has 'name', 'graded'"),
        ("word;graded\na;0,5\n", {}, r"the change of 'a' is '0,5'; give a number, such as 0\.5"),
        ("word\tgraded\tgraded\na\t1\t2\n", {}, "several columns 'graded': rename them"),
        ("word\tgraded\na\t1\n", {"changed_above": float("nan")}, "must be a number"),
        ("word\tfar\na\t1\n", {}, "no column of gold values"),
        ("word\tfar\na\t1\n", {"graded_column": "fra"}, "did you mean 'far'"),
        ("word\tbinary\tgraded\na\t1\t1\n", {"changed_above": 0.0}, "has classes already"),
    ],
)
def test_what_is_wrong_is_named(write, text, more, message):
    with pytest.raises(LexbeamError, match=message):
        read_gold(GoldOptions(gold=write(text), **more), VIEW)


def test_files_of_semeval_have_no_header(write):
    path = write("word\tchange_binary\na\t1\n")
    with pytest.raises(LexbeamError, match="the class of 'word' is 'change_binary'"):
        read_gold(GoldOptions(binary=path), VIEW)
    with pytest.raises(LexbeamError, match="line 1: a word, a tab and a value are expected"):
        read_gold(GoldOptions(graded=write("a 1\n")), VIEW)
    with pytest.raises(LexbeamError, match="line 2: '' is no word"):
        read_gold(GoldOptions(graded=write("a\t1\n\t1\n")), VIEW)


def test_spaces_around_cells_and_blank_lines_do_not_count(write):
    path = write("\ufeff word\t graded \r\n a \t 1 \r\n  \t\r\n\r\nb\t2\r\n  ")
    assert read_gold(GoldOptions(gold=path), VIEW) == Gold({}, {"a": 1, "b": 2})
    path = write("\ufeffa \t 1\r\n \r\nb\t0", "pairs.txt")
    assert read_gold(GoldOptions(binary=path), VIEW) == Gold({"a": True, "b": False}, {})


def test_parquet_that_would_fill_the_memory_is_refused(tmp_path):
    words = pa.DictionaryArray.from_arrays(pa.nulls(400_000, pa.int32()).fill_null(0), ["a" * 1000])
    pq.write_table(
        pa.table({"word": words, "graded": pa.nulls(400_000, pa.float64())}), tmp_path / "gold", store_schema=False
    )
    with pytest.raises(LexbeamError, match="expands to over 256 MiB"):
        read_gold(GoldOptions(gold=str(tmp_path / "gold")), VIEW)


def test_columns_of_parquet_that_are_there_twice(tmp_path):
    rows = pa.Table.from_arrays([pa.array(["a"])] * 2 + [pa.array([1.0])], ["word", "word", "far"])
    pq.write_table(rows, tmp_path / "gold.parquet")
    with pytest.raises(LexbeamError, match="several columns 'word': rename them"):
        read_gold(GoldOptions(gold=str(tmp_path / "gold.parquet")), VIEW)


def test_one_form_is_given(write, tmp_path):
    path = write("a\t1\n")
    with pytest.raises(UsageError, match="not from both"):
        read_gold(GoldOptions(gold=path, graded=path), VIEW)
    with pytest.raises(UsageError, match="gold must be given"):
        read_gold(GoldOptions(), VIEW)
    (tmp_path / "latin").write_bytes("word\tgraded\né\t1\n".encode("latin-1"))
    with pytest.raises(LexbeamError, match="latin is not UTF-8 text"):
        read_gold(GoldOptions(gold=str(tmp_path / "latin")), VIEW)
    (tmp_path / "bad").write_bytes(b"PAR1 and no more")
    with pytest.raises(LexbeamError, match="is no Parquet file"):
        read_gold(GoldOptions(gold=str(tmp_path / "bad")), VIEW)


PLAIN = ViewOptions(case="lower")
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
    assert read_predictions([str(tmp_path / name)], PLAIN) == [(name[0], {"attack": 0.5, "b": 0.001})]


def test_parquet_too_and_missing_scores(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"word": ["a", "b"], "score": [0.5, None]}), path)
    ((name, found),) = read_predictions([str(path)], PLAIN)
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
        read_predictions([str(tmp_path / "x.tsv")], PLAIN)


def test_two_files_of_one_name_are_refused(tmp_path):
    for folder in ("p", "q"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.tsv").write_text("word\tscore\na\t1\n")
    with pytest.raises(UsageError, match="several files are called 'x'"):
        read_predictions([str(tmp_path / folder / "x.tsv") for folder in ("p", "q")], PLAIN)
