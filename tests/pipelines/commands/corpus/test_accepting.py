"""What a run is told before it begins: files that no reader takes, and years that its other sections lack."""

import gzip
import logging
from functools import partial

import pytest

from lexbeam.pipelines.commands.corpus import accepting
from lexbeam.pipelines.commands.corpus.plan import CorpusOptions, plan_corpus
from lexbeam.pipelines.frame import inputs as frame_inputs
from lexbeam.pipelines.frame.command import Inputs
from lexbeam.pipelines.frame.registry import load
from lexbeam.transforms.change.view.slices import lacking
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.formats.ingest.ingestion import InputFile
from lexbeam.transforms.simplification.instances.hard_words import TargetOptions

PDF = b"%PDF-1.4\n1 0 obj"
PNG = b"\x89PNG\r\n\x1a\n\0"


@pytest.fixture
def write(tmp_path):
    def written(contents):
        folder = tmp_path / "texts"
        folder.mkdir(exist_ok=True)
        for name, content in contents.items():
            (folder / name).write_bytes(content)
        return folder

    return written


def planned(folder, slices=None, **more):
    options = CorpusOptions(**{"inputs": (str(folder),), "out": str(folder.parent / "out"), **more})
    checks = {} if slices is None else {"change": partial(lacking, spec=slices)}
    return plan_corpus(options, Inputs(())._replace(year_checks=checks))


def test_files_that_no_reader_takes_are_told_at_once(write, caplog):
    folder = write({"a.pdf": PDF, "b": PDF, "c.png": PNG, "d.png": PNG})
    with pytest.raises(LexbeamError) as caught:
        planned(folder)
    told = str(caught.value)
    assert told.startswith("4 of 4 input records were rejected (image 2, pdf 2), more than `max_reject_share` 0.05")
    assert "\n  a.pdf: pdf, PDF, not text; convert it: pdftotext FILE\n" in told
    assert "d.png" not in told
    assert not caplog.records
    # Where rejects are allowed, or are what is asked for, they are what comes.
    planned(folder, max_reject_share=1.0)
    planned(folder, dry_run=True)


@pytest.mark.parametrize(
    "content",
    [b"A text.", b"", gzip.compress(PDF), b"PK\x03\x04"],
    ids=["a text", "nothing", "compressed", "an archive"],
)
def test_files_that_may_hold_records_are_left_to_the_run(write, content):
    planned(write({"a.pdf": PDF, "b": content, "c.pdf": PDF}))


def test_the_first_files_of_more_are_a_warning(write, monkeypatch, caplog):
    monkeypatch.setattr(frame_inputs, "LOOK", 2)
    folder = write({"a.pdf": PDF, "b.pdf": PDF, "c.pdf": PDF})
    with caplog.at_level(logging.WARNING, "lexbeam"):
        planned(folder)
    (record,) = caplog.records
    told = record.getMessage()
    assert told.startswith("no reader takes any of the first 2 files (pdf 2), such as ")
    assert told.endswith(".pdf: PDF, not text; convert it: pdftotext FILE")


TEXTS = {"1810.txt": b"A ship.", "1820.txt": b"A sea.", "notes.txt": b"No year."}
MISSING = "change: slice '1900-1950' has no document: the corpus has the years 1810 to 1820; nothing was annotated"


def test_years_that_names_tell_are_told_at_once(write, tmp_path):
    folder = write(TEXTS)
    slices = "1800-1849,1900-1950"
    with pytest.raises(LexbeamError, match=MISSING):
        planned(folder, slices, dates="name:^(\\d+)")
    (tmp_path / "dates.csv").write_text("file,year\n1810,1810\n1820,1820\n")
    with pytest.raises(LexbeamError, match=MISSING):
        planned(folder, slices, dates=f"table:{tmp_path / 'dates.csv'}:key=file,date=year")
    with pytest.raises(LexbeamError, match="the corpus has the years 1900 to 1900"):
        planned(folder, slices, dates="1900..1910")
    planned(folder, "1800-1815,1816-1830", dates="name:^(\\d+)")


def test_years_that_names_do_not_tell_are_left_to_the_run(write, monkeypatch):
    slices = "1800-1849,1900-1950"
    folder = write(TEXTS)
    planned(folder, slices, dates="header")
    planned(folder, slices, dates="name:^x(\\d+)")  # no file has a date: what the run tells is that
    planned(folder, slices, dates="1800..1900", date_range="reject")
    with monkeypatch.context() as patched:
        patched.setattr(frame_inputs, "LOOK", 3)  # there may be others
        planned(folder, slices, dates="name:^(\\d+)")
        with pytest.raises(LexbeamError, match="years 1810 to 1810"):
            planned(folder, slices, dates="1810")
    write({"more.zip": b"PK\x03\x04"})  # its members have names
    planned(folder, slices, dates="name:^(\\d+)")


def test_files_are_opened_only_where_that_decides(write, monkeypatch):
    opened = []
    head = accepting._head
    monkeypatch.setattr(accepting, "_head", lambda file: opened.append(file.name) or head(file))
    planned(write(TEXTS), "1800-1815,1816-1830", dates="name:^(\\d+)")
    assert opened == []
    for path in write({"letter": b"A text."}).glob("*.txt"):
        path.unlink()
    planned(write({}))
    assert opened == ["letter"]
    gone = InputFile("gone", str(write(TEXTS) / "gone"), 1, "texts")
    assert accepting.holds_members(gone)
    assert accepting.refused_files([gone], planned(write(TEXTS)).ingest) == []


@pytest.mark.parametrize("words", [("cloze", "pairs"), ("simplify", "instances"), ("simplify", "text")])
def test_texts_that_no_reader_takes_are_told_before_a_task_begins(write, words):
    folder = str(write({"a.pdf": PDF, "b.pdf": PDF}))
    command = load(" ".join(words))
    more = {"cloze": {"layout": "documents"}, "simplify": {"language": "en"}}[words[0]]
    if words[1] == "instances":
        more |= {"targets": TargetOptions(targets="content"), "engine": "builtin:en"}
    options = command.options(inputs=(folder,), out=f"{folder}-out", **more)
    with pytest.raises(LexbeamError, match=r"2 of 2 input records were rejected \(pdf 2\)"):
        command.plan(options, Inputs(()))
