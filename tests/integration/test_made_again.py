"""What a rerun on the same folder makes anew, with another option, document, or less on disk."""

import pandas as pd
import pytest
from small_runs import SMALL, WORDS, call, change, corpus, manifest

from lexbeam.pipelines.frame import publishing
from lexbeam.transforms.annotation import annotate
from lexbeam.transforms.change.spaces import training
from lexbeam.transforms.formats.ingest import input_listing


@pytest.fixture
def counted(monkeypatch):
    """How many documents have been annotated, and slices trained."""
    found = {"annotated": 0, "trained": 0}
    annotate_text, train = annotate.annotate_text, training.train_space

    def count_annotated(*arguments, **options):
        found["annotated"] += 1
        return annotate_text(*arguments, **options)

    def count_trained(*arguments, **options):
        found["trained"] += 1
        return train(*arguments, **options)

    monkeypatch.setattr(annotate, "annotate_text", count_annotated)
    monkeypatch.setattr(training, "train_space", count_trained)
    return found


RERUNS = {"the same": [], "one alignment more": ["--alignment", "op,op-,cca"]}
# Of these each by itself only in a soak.
LATER = {
    "one alignment less": ["--alignment", "op"],
    "a ranking option": ["--rank-min-count", "3"],
    "a measure": ["--measure", "frequency"],
    "a neighbour count": ["--neighbours", "3"],
    "a threshold of neighbours": ["--neighbour-min-count", "2"],
    "words that get neighbours": ["--neighbour-words", "5"],
    "what cca drops": ["--rcond", "1e-6"],
    "words to fit on": ["--fit-on", "top:5"],
}
TOGETHER = [word for words in LATER.values() for word in words]


@pytest.mark.parametrize(
    "options",
    [
        *(pytest.param(words, id=name) for name, words in RERUNS.items()),
        pytest.param([*TOGETHER, "--alignment", "op,cca"], id="all that comes later"),
        *(pytest.param(words, id=name, marks=pytest.mark.soak) for name, words in LATER.items()),
    ],
)
def test_another_option_annotates_and_trains_nothing_again(out, options, counted):
    assert change(out, "--overwrite", *options) == 0
    assert counted == {"annotated": 0, "trained": 0}


def test_one_target_more_trains_nothing_again(out, tmp_path, counted):
    (tmp_path / "targets.txt").write_text("ship\n")
    assert change(out, "--overwrite", "--targets", tmp_path / "targets.txt") == 0
    (tmp_path / "targets.txt").write_text("ship\nsea\n")
    assert change(out, "--overwrite", "--targets", tmp_path / "targets.txt") == 0
    assert counted == {"annotated": 0, "trained": 0}
    scores = pd.read_parquet(out / "scores")
    assert set(scores[scores.target].word) == {"ship", "sea"}


def test_one_slice_more_trains_that_one_alone(out, counted):
    slices = ["--slices", "1800-1849,1850-1865,1866-1900"]
    assert call("change", "--out", out, *slices, *SMALL, "--overwrite") == 0
    assert counted == {"annotated": 0, "trained": 2}
    assert change(out, "--overwrite") == 0
    assert counted == {"annotated": 0, "trained": 2}


def test_one_seed_more_trains_that_one_alone(out, counted):
    assert change(out, "--overwrite", "--seeds", "2") == 0
    assert counted["trained"] == 2


def test_another_number_of_parts_annotates_nothing_again(texts, out, counted):
    assert corpus(texts, out, "--overwrite", "--parts", "3") == 0
    assert counted["annotated"] == 0


def test_what_every_record_holds_annotates_all_anew_and_its_undoing_nothing(texts, out, counted):
    assert corpus(texts, out, "--overwrite", "--genre", "x") == 0
    assert counted["annotated"] == 4
    assert corpus(texts, out, "--overwrite") == 0
    assert counted["annotated"] == 4


def test_one_document_more_annotates_its_unit_and_trains_its_slice_alone(texts, out, counted):
    # So small a corpus is one unit.
    (texts / "1880.txt").write_text(f"In 1880 {WORDS}. " * 3)
    assert corpus(texts, out, "--overwrite") == 0
    assert counted["annotated"] == 5
    assert change(out) == 0
    assert counted["trained"] == 1
    scores = pd.read_parquet(out / "scores")
    (texts / "1880.txt").unlink()
    assert corpus(texts, out, "--overwrite") == 0
    assert change(out) == 0
    assert counted == {"annotated": 5, "trained": 1}
    assert not pd.read_parquet(out / "scores").equals(scores)


def test_a_new_document_annotates_its_unit_alone_wherever_it_sorts(texts, tmp_path, counted, monkeypatch):
    monkeypatch.setattr(input_listing, "UNIT_FILES", 2)  # two buckets; by the rule there would be four in the end
    out = tmp_path / "out"
    assert corpus(texts, out) == 0
    assert counted["annotated"] == 4
    for name in ("1880.txt", "1800.txt"):
        before = counted["annotated"]
        (texts / name).write_text((texts / "1870.txt").read_text().replace("1870", name[:4]))
        beside = [other for other in texts.iterdir() if _bucket(other.name) == _bucket(name)]
        assert len(beside) < len(list(texts.iterdir()))
        assert corpus(texts, out, "--overwrite") == 0
        assert counted["annotated"] - before == len(beside)


def _bucket(name):
    return input_listing.key_of(name) >> input_listing.KEY_BITS - 1


MERGED = ("documents", "sentences", "rejects", "inputs")


def test_a_new_document_merges_those_parts_alone_that_hold_it(texts, tmp_path):
    folder = tmp_path / "out" / "_artefacts" / "corpus"

    def made():
        assert corpus(texts, tmp_path / "out", "--overwrite", "--parts", "4", "--max-reject-share", "0.5") == 0
        return {name: {path.name for path in (folder / f"merge-{name}").glob("*.json")} for name in MERGED}

    def new():
        return [len(now - before) for now, before in zip(made().values(), found.values(), strict=True)]

    found = made()
    assert [len(some) for some in found.values()] == [4, 4, 1, 4]  # all parts without rows are one
    (texts / "1880.txt").write_text(f"In 1880 {WORDS}. " * 3)
    assert new() == [1, 1, 0, 1]
    found = made()
    (texts / "1890.txt").write_text("")  # a reject
    assert new() == [0, 0, 1, 1]
    found = made()
    (texts / "1880.txt").unlink()
    (texts / "1890.txt").unlink()
    assert new() == [0, 0, 0, 0], "what was there is taken up"


def test_a_fresh_run_makes_everything_anew_and_the_same(texts, out, counted):
    before = manifest(out)
    assert corpus(texts, out, "--overwrite", "--fresh") == 0
    assert counted == {"annotated": 4, "trained": 0}
    assert change(out, "--overwrite", "--fresh") == 0
    assert counted == {"annotated": 4, "trained": 2}
    assert manifest(out) == before


def test_a_fresh_run_that_was_interrupted_is_taken_up(out, counted, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    before = manifest(out)
    with monkeypatch.context() as patch:
        patch.setattr(publishing, "publish", interrupted)
        assert change(out, "--overwrite", "--fresh") == 130
    assert counted["trained"] == 2
    assert change(out, "--overwrite", "--fresh", "--resume") == 0
    assert counted["trained"] == 2, "what the interrupted run has made was made again"
    assert manifest(out) == before
    assert change(out, "--overwrite", "--fresh", "--resume") == 0
    assert counted["trained"] == 4, "a run that was published is no run to be taken up"


def test_what_is_freed_is_made_anew_only_where_it_is_asked_for(texts, out, counted, capsys):
    before = manifest(out)
    assert call("clean", out) == 0
    assert "freed:" in capsys.readouterr().out
    assert call("clean", out) == 0
    assert capsys.readouterr().out == "nothing to remove\n"
    assert corpus(texts, out, "--overwrite") == 0
    assert change(out, "--overwrite") == 0
    assert counted == {"annotated": 0, "trained": 0}
    assert manifest(out) == before
    assert change(out, "--overwrite", "--rank-min-count", "1") == 0
    assert counted == {"annotated": 0, "trained": 0}
    assert call("clean", out) == 0
    assert corpus(texts, out, "--overwrite", "--parts", "1", "--drop", "change") == 0
    assert counted["annotated"] == 4


def test_published_parts_alone_are_kept(texts, tmp_path, counted, capsys):
    out = tmp_path / "out"
    assert corpus(texts, out, "--keep", "published") == 0
    assert "freed:" in capsys.readouterr().out
    kept = [path for path in (out / "_artefacts" / "corpus").rglob("*") if path.is_file()]
    assert {path.suffix for path in kept} == {".json", ".freed", ".parquet", ".arrow"}
    assert all("-keys" in path.name for path in kept if path.suffix == ".arrow")
    assert corpus(texts, out, "--overwrite") == 0
    assert counted["annotated"] == 4
