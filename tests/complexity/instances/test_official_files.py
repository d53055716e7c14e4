"""Files of complexity by id: formats, ids, metrics."""

import numpy as np
import pytest

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.complexity.instances.official_files import (
    evaluate_files,
    official_ids,
    official_lines,
    read_scores,
)
from lexbeam.transforms.complexity.scorers.scorer_metrics import ScorerMeasureOptions
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions

OPTIONS = ScorerMeasureOptions(bootstrap=BootstrapOptions(resamples=20))


@pytest.fixture
def read(tmp_path):
    def of(text, name="gold"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return read_scores(str(path), name)

    return of


def test_the_official_format_and_back(read):
    found = read("a1,0.25\nb2,0.5\r\n\nc3,1e-3\n")
    assert found.ids == ["a1", "b2", "c3"]
    assert found.values.tolist() == [0.25, 0.5, 0.001]
    again = read("\n".join(official_lines(found.ids, found.values.tolist())))
    assert again.ids == found.ids
    assert again.values.tolist() == found.values.tolist()


def test_windows_line_ends_a_byte_order_mark_and_tabs(read):
    plain = read("a,0.5\nb,0.25\n")
    for text in (
        "\ufeffa,0.5\r\nb,0.25\r\n",
        "a\t0.5\nb\t0.25",
        " a , 0.5 \nb,0.25,\n",
        "\ufeffid,complexity\r\na,0.5\r\nb,0.25\r\n",
    ):
        found = read(text)
        assert (found.ids, found.values.tolist()) == (plain.ids, plain.values.tolist())


def test_predictions_outside_the_scale_count_and_are_warned_of(read, caplog):
    found = read("a,1.25\nb,-0.5\nc,1\n", "predictions")
    assert found.values.tolist() == [1.25, -0.5, 1]
    assert "2 scores are outside 0 to 1 (line 1, id 'a': 1.25)" in caplog.text
    rows = evaluate_files(read("a,1\nb,0\nc,1\n"), found, "mine", OPTIONS)
    assert measured(rows)["all", "mae"] == pytest.approx(0.25)


def test_ids_are_those_of_the_files_each_once():
    known = [
        {"instance_id": "h1", "source_id": "A"},
        {"instance_id": "h2", "source_id": None},
        {"instance_id": "h3", "source_id": "A"},
    ]
    assert official_ids(["h2", "h1"], known) == ["h2", "A"]
    with pytest.raises(LexbeamError, match=r"several instances .'A'.: export one `kind`"):
        official_ids(["h1", "h3"], known)
    with pytest.raises(LexbeamError, match=r"1 instances are predicted, but not in complexity/instances \(h4\)"):
        official_ids(["h1", "h4"], known)


def test_the_files_of_the_task_with_quotes_and_null(read):
    found = read(
        "id\tsubcorpus\tsentence\ttoken\tcomplexity\n"
        '1A\tbible\tHe said, "no.\tnull\t0.1\n'
        '2B\tbiomed\t"Yes" he\tNone\t0.2\n'
    )
    assert found.ids == ["1A", "2B"]
    assert found.values.tolist() == [0.1, 0.2]
    assert found.tokens == ["null", "None"]
    assert found.genres == ["bible", "biomed"]


@pytest.mark.parametrize("header", ["id,complexity", "instance_id,prediction", "ID,Score"])
def test_tables_separated_by_commas(read, header):
    assert read(f'{header}\n"a,b",0.5\n').ids == ["a,b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("id\tscores\n1\t2\n", "no column 'complexity' or 'prediction' or 'score' .it has id, sco"),
        ("a,b,c\n1,2,3\n", "no column 'id' or 'instance_id'"),
        ("a,0.5\nb,x\n", "line 2: id 'b' with 'x'"),
        ("a,0.5\nb,nan\n", "line 2: id 'b' with 'nan'"),
        ("a,0.5\n,0.5\n", "line 2: id '' with '0.5'"),
        ("id\tcomplexity\na\n", "line 2: id 'a' with ''"),
        ("a,0.5\nb,0,5\n", "line 2: 3 cells, and the first line has 2"),
        ("a,0.5\n\nb,0.5\na,0.1\n", "line 4: id 'a' is in line 1 already"),
        ("a,0.5\nb,3\n", "line 2, id 'b': 3 is outside 0 to 1.*rating - 1"),
        ("a,0.5\nb,-0.1\n", "line 2, id 'b': -0.1 is outside 0 to 1"),
        ("a,0.5\nb,inf\n", "line 2: id 'b' with 'inf'"),
        ("name,value\na,0.5\n", "line 1: id 'name' with 'value'"),
        ("a|0.5\nb|0.5\n", "no column 'id'.*or give lines .id,score. without a header"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(read, text, message):
    with pytest.raises(UsageError, match=message):
        read(text)


def measured(rows):
    return {(row["subset"], row["metric"]): row["value"] for row in rows}


def test_metrics_by_genre_whatever_the_order(read):
    gold = read(
        "id\tcorpus\ttoken\tcomplexity\n"
        + "".join(f"{place}\t{'xy'[place % 2]}\tt{place // 3}\t{place / 20}\n" for place in range(12))
    )
    predicted = [(place, (place * 7 % 12) / 12) for place in range(12)]
    lines = [f"{place},{value}" for place, value in reversed(predicted)]
    rows = evaluate_files(gold, read("\n".join(lines), "predictions"), "mine", OPTIONS)
    found = measured(rows)
    truth, said = np.arange(12) / 20, np.array([value for _, value in predicted])
    assert found["all", "pearson"] == pytest.approx(np.corrcoef(truth, said)[0, 1])
    assert found["all/x", "mae"] == pytest.approx(abs(truth - said)[::2].mean())
    assert {row["n"] for row in rows if row["subset"] == "all/y"} == {6}
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows if row["metric"] == "mse")


def test_binary_identification_by_a_threshold(read):
    gold = read("a,0.1\nb,0.5\nc,0.7\nd,0.3\n")
    predicted = read("a,0.6\nb,0.5\nc,0.4\nd,0.2\n", "predictions")
    options = ScorerMeasureOptions(metric=(), threshold=("0.5", "0.9"), bootstrap=BootstrapOptions(resamples=0))
    rows = evaluate_files(gold, predicted, "mine", options)
    found = measured(rows)
    at = "all, complex from 0.5"
    assert [found[at, name] for name in ("accuracy", "precision", "recall", "f1")] == [0.5, 0.5, 0.5, 0.5]
    assert found["all, complex from 0.9", "accuracy"] == 1
    (reason,) = {row["reason"] for row in rows if row["metric"] == "f1" and "0.9" in row["subset"]}
    assert reason == "no_positive"


def test_constant_predictions_have_no_correlation_and_say_why(read):
    rows = evaluate_files(read("a,0.1\nb,0.5\n"), read("a,0.3\nb,0.3\n", "predictions"), "mine", OPTIONS)
    (row,) = (row for row in rows if row["metric"] == "pearson")
    assert (row["value"], row["reason"]) == (None, "constant_predicted")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("a,0.1\n", "predictions lack 1 ids .'b'"),
        ("a,0.1\nb,0.2\nx,0.3\n", "gold lacks 1 ids .'x'"),
        ("a,0.1\nb,0.2\nb,0.2\n", "`predictions` .*line 3: id 'b' is in line 2 already"),
    ],
)
def test_a_missing_or_doubled_id_is_named(read, answer, message):
    with pytest.raises(LexbeamError, match=message):
        evaluate_files(read("a,0.1\nb,0.5\n"), read(answer, "predictions"), "mine", OPTIONS)
