"""What the options of a corpus decide; what they do not decide must not reach an identity."""

import pytest

from lexbeam.pipelines.commands.corpus.plan import CorpusOptions, plan_corpus
from lexbeam.pipelines.frame.inputs import LOOK
from lexbeam.transforms.annotation.annotate import AnnotateRecords
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import plain_options
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.formats.ingest.duplicates import AnnotateTask
from lexbeam.transforms.formats.ingest.ingestion import Ingest
from lexbeam.transforms.formats.ingest.input_listing import units_of

RULES = "lemma\tcat\tdog\n"


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for year in (1850, 1950):
        (folder / f"{year}.txt").write_text(f"A cat of {year}.")
    return folder


def options(texts, **more):
    values = {"inputs": (str(texts),), "out": str(texts.parent / "out"), "engine": "builtin:en"}
    return CorpusOptions(**{**values, **more})


def identities(made, work):
    """What the plan's artefacts are called by: of ingestion, and of annotation."""
    taken_in = [make(Workspace(str(work)), Ingest(made.ingest), unit) for unit in units_of(made.look)]
    return [Ingest(made.ingest).identity(unit) for unit in units_of(made.look)], [
        AnnotateRecords(made.annotate).identity(AnnotateTask(stage, ()))
        for receipt in taken_in
        for stage in receipt.stages
    ]


def test_where_and_how_a_run_is_made_decides_no_artefact(texts, tmp_path):
    def found(**more):
        return identities(plan_corpus(options(texts, **more)), tmp_path / "work")

    plain = found()
    assert len(plain[0]) == len(plain[1]) == 1
    for more in (
        {"parts": "3"},
        {"max_reject_share": 0.5},
        {"runner_config": "direct_multiprocess"},
        {"out": "/else"},
        {"duplicates": "keep"},
        {"resume": True},
        {"overwrite": True},
        {"keep_snapshots": 5},
    ):
        assert found(**more) == plain, more


def test_files_that_options_name_count_by_content(texts, tmp_path):
    def found(folder, rules=RULES, table="file,year\n1850,1850\n1950,1950\n"):
        place = tmp_path / folder
        place.mkdir()
        (place / "rules.tsv").write_text(rules)
        (place / "dates.csv").write_text(table)
        given = options(
            texts, normalise=str(place / "rules.tsv"), dates=f"table:{place / 'dates.csv'}:key=file,date=year"
        )
        return identities(plan_corpus(given), tmp_path / "work"), plain_options(given)

    first, shown = found("here")
    assert found("there") == (first, shown)
    assert "here" not in str(shown)
    (ingested, annotated), _ = found("rules", rules="lemma\tcat\tcow\n")
    assert (ingested == first[0], annotated == first[1]) == (True, False)
    (ingested, _), _ = found("table", table="file,year\n1850,1851\n1950,1950\n")
    assert ingested != first[0]


def test_the_driver_looks_at_the_first_files_alone(texts, monkeypatch):
    assert [file.name for file in plan_corpus(options(texts)).look] == ["1850.txt", "1950.txt"]
    for number in range(LOOK + 10):
        (texts / f"{number}.txt").touch()
    assert len(plan_corpus(options(texts)).look) == LOOK
    monkeypatch.chdir(texts)
    made = plan_corpus(options(texts, inputs=("../texts/1*",)))
    assert made.patterns.inputs == (str(texts / "1*"),)  # workers are elsewhere


def test_the_engine_says_what_language_it_is_unless_the_options_do(texts):
    assert plan_corpus(options(texts)).ingest.language == "en"
    assert plan_corpus(options(texts, language="la")).ingest.language == "la"
    assert plan_corpus(options(texts, engine="none")).ingest.language is None
    assert plan_corpus(options(texts, engine="none")).annotate.name == "none"


def test_a_wrong_engine_or_rule_is_told_before_anything_is_read(texts):
    with pytest.raises(UsageError, match="unknown engine 'bulitin'"):
        plan_corpus(options(texts, engine="bulitin:en"))
    with pytest.raises(UsageError, match="`dates`"):
        plan_corpus(options(texts, dates="nmae:x"))
