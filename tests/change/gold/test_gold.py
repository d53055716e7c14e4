import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lexbeam.transforms.change.scores.gold import Gold, GoldOptions, read_gold
from lexbeam.transforms.change.view.words import ViewOptions
from lexbeam.transforms.common.errors import LexbeamError, UsageError

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
