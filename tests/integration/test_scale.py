"""The pure parts of `benchmarks/scale`: slopes, medians, steps, what is made, paper, the page."""

import doctest
import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.scale import cluster, corpora, cut, figures, paper, runs
from benchmarks.scale import page as page_module
from benchmarks.scale.figures import flatness, marginal, medians, select, slope, steps
from benchmarks.scale.page import page, pictures, table
from benchmarks.scale.runs import Results, read_log

GIB = 1 << 30
NAMES = ("tokens", "files", "refresh", "gather", "merging", "memory", "cut", "cluster", "intake")
PIECE = paper.PieceCost(1e-5, 400.0)


def run(size, label="after", case="none", repeat=0, *, words=1000, fixed=5.0, ingest=1e-3, files=10):
    """A run of so many documents whose steps are straight lines: `ingest` seconds and 2,000 bytes a document."""
    return {
        "case": case,
        "label": label,
        "size": size,
        "repeat": repeat,
        "commit": "abcd1234",
        "documents": size,
        "tokens": size * words,
        "files": files,
        "driver": {"start": 1.0, "check": 0.5, "plan": 0.1, "prepare": 0.2, "build": 0.3, "run": 0.4, "publish": 0.6},
        "workers": fixed + (ingest + 2e-4 + 3e-4) * size,
        "stages": {
            "corpus/ingest": {"cpu": ingest * size, "calls": 3, "wall": 1.0},
            "corpus/annotate": {"cpu": 2e-4 * size, "calls": 3, "wall": 1.0},
            "corpus/merge-documents": {"cpu": 1e-4 * size, "calls": 8, "wall": 1.0},
            "corpus/merge-sentences": {"cpu": 2e-4 * size, "calls": 8, "wall": 1.0},
        },
        "within": {"open": 1e-5 * size, "digest": 2e-5 * size},
        "cpu": 3.1 + fixed + (ingest + 5e-4) * size,
        "graph": 100_000,
        "manifest": 10_000 + 10 * size,
        "sent": 100 * size,
        "returned": 90 * size,
        "driver_peak": GIB // 4,
        "worker_peak": GIB // 4 + 8 * size,
        "peak": GIB,
        "artefacts": {"corpus/ingest": {"files": size / 10, "bytes": 500 * size}},
        "published": {"files": 24, "bytes": 700 * size},
    }


@given(st.floats(0.2, 3), st.floats(1e-6, 1e3), st.lists(st.integers(1, 10**9), min_size=2, max_size=6, unique=True))
def test_the_slope_of_a_power_is_its_exponent(power, factor, sizes):
    assert slope(sizes, [factor * size**power for size in sizes]) == pytest.approx(power, rel=1e-4, abs=1e-4)


def test_a_slope_is_that_of_least_squares():
    sizes, costs = [1, 2, 4, 8], [1.0, 3.0, 3.5, 9.0]
    assert slope(sizes, costs) == pytest.approx(np.polyfit(np.log(sizes), np.log(costs), 1)[0])
    with pytest.raises(ValueError, match="two sizes"):
        slope([5, 5], [1.0, 2.0])


def test_medians_are_of_the_runs_of_a_size_and_repeats_do_not_move_them():
    rows = [{"size": 10, "x": 1.0}, {"size": 10, "x": 90.0}, {"size": 10, "x": 3.0}, {"size": 5, "x": 7.0}]
    assert medians(rows, lambda row: row["x"]) == {5: 7.0, 10: 3.0}
    assert list(medians(rows, lambda row: row["x"])) == [5, 10]
    assert select(rows, size=5) == [rows[3]]


def test_flatness_is_the_excess_of_the_largest_wherever_it_stands():
    assert flatness([100, 120, 110]) == pytest.approx(0.2)
    assert flatness([120, 100]) == pytest.approx(0.2)


def test_what_every_run_costs_alike_is_not_marginal():
    rows = [run(size) for size in (1000, 2000, 9000)]
    assert marginal(rows, lambda row: row["cpu"], lambda row: row["documents"]) == pytest.approx(1.5e-3)
    with pytest.raises(ValueError, match="two sizes"):
        marginal(rows[:1], lambda row: row["cpu"], lambda row: row["documents"])


def test_the_steps_of_a_run_add_up_to_its_cpu():
    row = run(1000)
    found = steps(row)
    assert sum(found.values()) == pytest.approx(row["cpu"])
    assert found["start"] == pytest.approx(1.5)
    assert found["graph"] == pytest.approx(0.5)
    assert found["merge"] == pytest.approx(0.3)
    assert found["shuffle and rest"] == pytest.approx(0.4 + 5.0)


def test_the_log_of_a_run_is_divided_into_steps_and_stages():
    lines = [
        {"kind": "step", "pid": 1, "ends": "start", "cpu": 2.0, "at": 0},
        {"kind": "step", "pid": 1, "ends": "before plan", "cpu": 2.5, "at": 0},
        {"kind": "step", "pid": 1, "ends": "plan", "cpu": 4.0, "at": 0},
        {"kind": "step", "pid": 1, "ends": "before pipeline", "cpu": 4.25, "at": 0},
        {"kind": "step", "pid": 1, "ends": "before run", "cpu": 5.0, "at": 0},
        {"kind": "graph", "pid": 1, "bytes": 77, "transforms": 3},
        {
            "kind": "make",
            "pid": 2,
            "stage": "corpus/ingest",
            "cpu": 1.0,
            "start": 10.0,
            "end": 12.0,
            "within": {"open": 0.5},
        },
        {
            "kind": "make",
            "pid": 3,
            "stage": "corpus/ingest",
            "cpu": 2.0,
            "start": 11.0,
            "end": 15.0,
            "within": {"open": 0.25},
        },
        {"kind": "send", "pid": 2, "bytes": 5},
        {"kind": "send", "pid": 1, "bytes": 9},
        {"kind": "step", "pid": 1, "ends": "run", "cpu": 7.0, "at": 0},
        {"kind": "step", "pid": 1, "ends": "pipeline", "cpu": 7.5, "at": 0},
        {"kind": "step", "pid": 1, "ends": "publish", "cpu": 8.0, "at": 0},
    ]
    found = read_log(lines, 1)
    assert found["driver"] == {
        "start": 2.0,
        "check": 0.5,
        "plan": 1.5,
        "prepare": 0.25,
        "build": 0.75,
        "run": 2.0,
        "publish": 1.0,
    }
    assert found["stages"] == {"corpus/ingest": {"cpu": 3.0, "calls": 2, "wall": 5.0}}
    assert (found["within"], found["graph"]) == ({"open": 0.75}, 77)
    assert (found["sent"], found["returned"]) == (5, 9)


def test_a_part_goes_on_where_it_was_killed(tmp_path):
    path = tmp_path / "part.jsonl"
    path.write_text('{"size": 1}\n{"si')
    Results(path).add({"size": 2})
    again = Results(path)
    assert [row["size"] for row in again.rows] == [1, 2]
    assert again.has({"size": 1})
    assert not again.has({"size": 3})


@given(st.floats(0, 10), st.floats(0, 0.1))
def test_costs_of_documents_and_tokens_are_told_apart(document, token):
    found = paper.split_cost(document + 60 * token, 60, document + 1000 * token, 1000)
    assert found == pytest.approx((document, token), abs=1e-9)


def test_a_negative_cost_is_none():
    assert paper.split_cost(5.0, 60, 4.0, 1000) == (5.0, 0.0)
    assert paper.split_cost(1.0, 60, 1000.0, 1000)[0] == 0.0


def no_runs():
    return {name: [] for name in NAMES}


def paper_runs():
    sizes = (1000, 2000)
    long = [run(size, words=1000, ingest=1e-4 + 1000 * 1e-6) for size in sizes]
    packed = [run(size, case="packed", words=60, ingest=1e-4 + 60 * 1e-6) for size in sizes]
    files = [run(size, case="files", words=60, ingest=3e-4 + 60 * 1e-6, files=size) for size in sizes]
    return long, packed, files


def test_a_corpus_on_paper_is_unit_costs_times_how_many_there_are():
    costs = paper.unit_costs(*paper_runs())
    assert costs["cpu ingest"] == pytest.approx((1e-4, 1e-6, 2e-4), rel=1e-6)
    corpus = paper.PAPER
    seconds = corpus.documents * 1e-4 + corpus.tokens * 1e-6 + corpus.files * 2e-4
    found = {what: value for what, value, _ in paper.on_paper(costs, PIECE, corpus)}
    assert found["CPU, ingest"] == pytest.approx(seconds / 3600, rel=1e-6)
    whole = sum(value for what, value in found.items() if what.startswith("CPU, ") and what != "CPU, all steps")
    assert found["CPU, all steps"] == pytest.approx(whole)
    assert found["rows for the shuffle, sent by workers"] == pytest.approx(100 * corpus.documents / 1e9)
    assert found["of these under the key of one part"] == pytest.approx(100 * corpus.documents / 1e9 / 8)
    assert found["pieces of work before merging"] == pytest.approx(corpus.bytes / (4 << 20))


def test_a_piece_costs_what_the_dearer_way_of_gathering_takes():
    rows = [
        {"case": case, "size": size, "cpu": 1.0 + seconds * size, "peak": 10**6 + held * size}
        for case, seconds, held in (("lanes", 2e-6, 300), ("result", 5e-6, 100))
        for size in (1000, 50_000)
    ]
    assert paper.piece_cost(rows) == pytest.approx((5e-6, 300))
    found = {what: value for what, value, _ in paper.on_paper(paper.unit_costs(*paper_runs()), PIECE, paper.PAPER)}
    units = paper.PAPER.bytes / (4 << 20)
    assert found["hottest key: the pieces of a stage, CPU of gathering them"] == pytest.approx(1e-5 * units)
    assert found["hottest key: the pieces of a stage, held"] == pytest.approx(400 * units / GIB)


def test_parts_on_paper_are_those_of_the_rule_or_of_earlier_runs():
    parts = [paper.with_parts(paper.PAPER, [run(1000, label)]).parts for label in ("before", "after")]
    assert parts == [8, 8192]


def test_what_breaks_first_stands_first_and_at_its_bound():
    corpus = paper.PAPER
    found = paper.limits(paper.unit_costs(*paper_runs()), PIECE, corpus)
    reached = {limit.what: limit.documents for limit in found}
    assert list(reached.values()) == sorted(reached.values())
    assert reached["memory of a worker"] == pytest.approx(corpus.memory / 8)
    assert reached["the merge of one part, one piece of work"] == pytest.approx(24 * 3600 / (3e-4 / corpus.parts))
    assert "memory of the driver" not in reached  # flat, so that nothing comes nearer to it


def test_what_files_cost_breaks_with_small_files_alone():
    long, packed, files = paper_runs()
    files = [{**row, "graph": 100_000 + 20 * row["files"]} for row in files]
    found = {limit.what: limit for limit in paper.limits(paper.unit_costs(long, packed, files), PIECE, paper.PAPER)}
    assert found["the graph"].small_files == pytest.approx(2 * GIB / 20)
    assert found["the graph"].documents == pytest.approx(2 * GIB / 20 * paper.PAPER.documents / paper.PAPER.files)


def test_documents_are_the_same_however_they_are_packed(tmp_path):
    made = {}
    for files in (3, 7):
        corpora.write_corpus(tmp_path / str(files), "conllu", seed=5, documents=21, words=40, files=files)
        paths = sorted((tmp_path / str(files)).rglob("*.conllu"), key=lambda path: path.name.partition("-")[2])
        assert len(paths) == files
        made[files] = "".join(path.read_text() for path in paths)
    assert made[3] == made[7]
    assert made[3].count("# newdoc") == 21
    assert sum(line[:1].isdigit() for line in made[3].splitlines()) == 21 * 40


def test_planted_words_occur_once_a_document_and_words_follow_zipf():
    ranks = np.concatenate([ranks for _, ranks in corpora.drawn(1, 2 * corpora.PLANTED, 300)])
    counts = Counter(ranks.tolist())
    assert {counts[corpora.VOCABULARY + number] for number in range(corpora.PLANTED)} == {2}
    harmonic = math.fsum(1 / rank for rank in range(1, corpora.VOCABULARY + 1))
    assert counts[0] / len(ranks) == pytest.approx(1 / harmonic, rel=0.05)
    assert counts[1] / len(ranks) == pytest.approx(1 / 2 / harmonic, rel=0.1)


def test_both_slices_have_as_many_files():
    years = corpora.years(10)
    assert years == sorted(years)
    assert sum(year < 1850 for year in years) == 5


def test_a_large_file_is_lines_of_json_and_a_broken_one(tmp_path):
    cut.write_lines(tmp_path / "large.jsonl", 50_000)
    *lines, last = (tmp_path / "large.jsonl").read_text().splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    assert len(set(texts)) == len(texts)
    assert texts[3].startswith("Number 3. ")
    assert (tmp_path / "large.jsonl").stat().st_size == pytest.approx(50_000, rel=0.1)
    assert last == "{"


def test_the_page_has_both_checkouts_side_by_side_and_tells_what_is_missed():
    long, packed, files = paper_runs()
    steep = [run(size, "before", ingest=1e-9 * size**2, fixed=0.0) for size in (10**6, 2 * 10**6)]
    gathered = [{**row, "case": "lanes"} for row in long]
    parts = {**no_runs(), "tokens": [*steep, *long], "files": [*packed, *files], "gather": gathered}
    text = page(parts)
    assert "*before* is commit `abcd1234`" in text
    line = next(line for line in text.splitlines() if line.startswith("| slope of ingest"))
    assert line.split("|")[2].strip() == "3.00 (missed)"
    assert "missed" not in line.split("|")[3]
    assert "## Ten terabytes on paper" in text
    assert max(map(len, (line for line in text.splitlines() if not line.startswith("|")))) <= 120


def test_the_gain_of_a_second_process_is_told_from_what_cannot_be_shared():
    rows = [
        {"case": "pass", "label": "after", "size": 10**9, "commit": "abcd1234"}
        | {"pass": seconds, "digest": 1.0, "pieces": 48.0, "number": 30}
        for seconds in (1.0, 2.0, 9.0)
    ]
    assert "| 1,000 MB | 1 | 2 | 48 | 1.92 |" in page({**no_runs(), "cut": rows})


def test_a_ratio_by_the_clock_is_told_only_where_cores_were_free():
    for part, start in (("cut", "| 0 MB"), ("cluster", "| 100 ")):
        for load, told in ((1.9, "2.00"), (9.0, "not told")):
            found = [{**run(100, case=case), "taking": taking, "load": load} for case, taking in (("1", 10), ("2", 5))]
            line = next(line for line in page({**no_runs(), part: found}).splitlines() if line.startswith(start))
            assert line.split("|")[-2].strip() == told


def test_seconds_of_annotation_need_every_worker():
    with pytest.raises(RuntimeError, match="1 workers annotated instead of 2"):
        cluster.seconds(["7 10.5 at work", "8 11.0 at work", "7 14.0 done"], 2)


def test_of_each_commit_the_page_says_what_it_was_measured_for():
    files = [{**run(size, case="files"), "commit": commit} for size, commit in ((10, "a"), (1000, "b"), (2000, "b"))]
    text = " ".join(page({**no_runs(), "files": files, "tokens": [{**run(10), "commit": "b"}]}).split())
    assert "`b` (tokens; files of 1,000 and 2,000), `a` (files of 10)" in text


def test_nothing_measured_is_a_page_without_tables():
    text = page(no_runs())
    assert "not measured yet" in text
    assert "|" not in text


def test_plots_are_small_and_the_same_again():
    long, packed, files = paper_runs()
    parts = {**no_runs(), "tokens": long, "files": [*packed, *files]}
    drawn = pictures(parts)
    assert set(drawn) == {"scale-tokens-none.svg", "scale-files-files.svg"}
    assert all(text.startswith("<svg") and len(text) < 60_000 for text in drawn.values())
    assert drawn == pictures(parts)


def test_a_table_has_a_cell_for_each_head():
    assert table(["a", "b"], [[1, 2.5]]) == "| a | b |\n|---|---|\n| 1 | 2.5 |\n"


def test_examples_in_docstrings_run():
    results = [doctest.testmod(module) for module in (cluster, corpora, figures, page_module, paper, runs)]
    assert [result.failed for result in results] == [0] * 6
    assert all(result.attempted for result in results)


def test_merges_are_told_by_the_number_of_files():
    rows = [
        {"case": "merge", "label": "after", "size": n, "repeat": 0, "commit": "abcd1234"}
        | {"cpu": 7e-3 * n, "grown": 64 << 20, "open": 64}
        for n in (32, 512)
    ]
    text = page({**no_runs(), "merging": rows})
    assert "| 512 | after | 71,680 | 0.05 | 64 | 64 |" in text
