"""A run whose texts lack the years that `change` compares ends before they are annotated."""

import pytest
import yaml
from small_runs import call, manifest

from lexbeam.pipelines.frame import inputs as frame_inputs

CHANGE = {"dim": 5, "epochs": 1, "min-count": 1, "min-sentence": 1}
CORPUS = {"inputs": ["texts"], "engine": "builtin:en", "format": "text"}


@pytest.fixture
def write(tmp_path, texts):
    def written(slices, **corpus):
        path = tmp_path / "config.yaml"
        sections = {"corpus": {**CORPUS, **corpus}, "change": {**CHANGE, "slices": slices}}
        path.write_text(yaml.safe_dump({"out": "results", "parts": 1, **sections}))
        return path

    return written


def annotated(folder):
    return [path for path in folder.glob("_artefacts/corpus/annotate/**/*") if path.is_file()]


def test_slices_without_documents_stop_a_run_before_annotation(write, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(frame_inputs, "LOOK", 1)  # there may be other files
    out, dates = tmp_path / "results", "name:^(\\d+)"
    assert call("run", write("1800-1849,1900-1950", dates=dates)) == 1
    told = capsys.readouterr().err
    assert "change: slice '1900-1950' has no document: the corpus has the years 1810 to 1870" in told
    assert "nothing was annotated" in told
    assert (out / "_artefacts/corpus/ingest").is_dir()
    assert not annotated(out)
    # An en dash is a hyphen; what was taken in is taken up.
    assert call("run", write("1800\u20131849,1850\u20131900", dates=dates)) == 0
    printed = capsys.readouterr().out
    assert "words in lower case" in printed
    assert "tokens per decade" in printed
    assert "next:" not in printed  # it is done
    assert manifest(out)["change"]["options"]["slices"] == "1800-1849,1850-1900"
    assert annotated(out)


def test_names_that_lack_years_stop_a_run_before_anything_is_read(write, tmp_path, capsys):
    assert call("run", write("1800-1849,1900-1950", dates="name:^(\\d+)")) == 1
    told = capsys.readouterr().err
    assert "change: slice '1900-1950' has no document: the corpus has the years 1810 to 1870" in told
    assert not (tmp_path / "results" / "_artefacts" / "corpus").exists()


def test_without_dates_nothing_is_read(write, tmp_path, capsys):
    assert call("run", write("1800-1849,1850-1900")) == 2
    assert "--dates must be given: change compares periods" in capsys.readouterr().err
    assert not (tmp_path / "results" / "_artefacts" / "corpus").exists()
