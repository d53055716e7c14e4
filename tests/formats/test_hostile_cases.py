"""docs/running/hostile-input.md, row by row, and all of it in one folder."""

import json
from pathlib import Path

import pandas as pd
import pytest
from hostile_cases import CASES
from hostile_feeding import HEAD, TOP, feed, put, row
from hostile_meaning import meaning_tables
from hostile_meanings import MEANINGS

from lexbeam.pipelines.cli import main
from lexbeam.schemas.common_tables import REASONS

DOC = Path(__file__).parents[2] / "docs" / "running" / "hostile-input.md"
ALL = [case for cases in CASES.values() for case in cases]
PARAMETERS = [
    pytest.param(case, id=f"{number}-{case.fed}", marks=[pytest.mark.slow] if case.large else [])
    for number, case in enumerate(ALL)
]


def manifest(out):
    return json.loads((out / "manifest.json").read_text("utf-8"))["corpus"]


def corpus(folder, out, *options):
    words = ["corpus", folder, "--out", out, "--engine", "builtin:en", *options]
    return main([str(word) for word in words])


@pytest.mark.parametrize("case", PARAMETERS)
def test_a_case_comes_out_as_it_must_and_as_documented(case, tmp_path):
    found = feed(case, tmp_path)
    assert found.out == case.out
    assert found.records == case.out.count(";") + 1
    for reject in found.rejects:
        assert reject.reason in REASONS
        assert reject.source.startswith(case.name)
        assert reject.detail
    assert row(case, found) in DOC.read_text("utf-8").splitlines()


def test_the_document_has_these_rows_and_no_others():
    rows = []
    text = TOP
    for section, cases in CASES.items():
        text += f"\n## {section}\n\n{HEAD}"
        rows += [case.fed for case in cases]
    meanings = meaning_tables(MEANINGS)
    document = DOC.read_text("utf-8")
    assert document.endswith(meanings)
    lines = document.removesuffix(meanings).splitlines()
    own = [line for line in lines if line.startswith("| ") and line not in HEAD.splitlines()]
    assert [line for line in lines if line not in own] == text.splitlines()
    assert len(own) == len(rows)
    for line, fed in zip(own, rows, strict=True):
        assert line.removeprefix("| ").startswith(fed)


def test_every_reason_of_ingestion_has_a_case():
    found = {place.rpartition(": ")[2] for case in ALL for place in case.out.split("; ")}
    assert found == {"document", *REASONS} - {"duplicate", "engine_error", "forgotten"}


@pytest.mark.slow
def test_all_cases_in_one_folder_end_as_documents_or_rejects(tmp_path):
    """What a case gives alone it gives among others, and a hundred good files arrive."""
    expected, records = [], 0
    small = [case for case in ALL if not (case.large or case.options or case.data is None)]
    small = [case for case in small if case.while_read is type(case)._field_defaults["while_read"]]
    for number, case in enumerate(small):
        found = feed(case, tmp_path / "alone" / str(number), "builtin:en")
        put(case, tmp_path / "in" / str(number))
        records += found.records
        expected += [row._replace(source=f"{number}/{row.source}") for row in found.rejects]
    for number in range(100):
        (tmp_path / "in" / f"good{number}.txt").write_text(f"Dog number {number} barks.")
    out = tmp_path / "out"
    assert len(small) > 70
    assert corpus(tmp_path / "in", out, "--max-reject-share", ".6") == 0

    section = manifest(out)
    documents, rejects = pd.read_parquet(out / "documents"), pd.read_parquet(out / "rejects")
    assert section["records"] == records + 100
    assert section["documents"] == len(documents)
    assert section["documents"] + len(rejects) == section["records"]
    assert sum(section["rejects"].values()) == len(rejects)
    listed = pd.read_parquet(out / "corpus" / "inputs")
    assert section["inputs"]["files"] == len(listed) == len(set(listed.name))
    assert (listed.records == listed.documents + listed.rejects).all()
    assert listed.records.min() >= 1
    assert (listed.records.sum(), listed.documents.sum()) == (section["records"], section["documents"])
    assert documents.source.str.startswith("good").sum() == 100
    assert documents.document_id.is_unique
    assert rejects.position.notna().all()
    assert (rejects.source.str.len() > 0).all()
    assert (rejects.detail.str.len() > 0).all()
    given = rejects[rejects.reason != "duplicate"].itertuples(index=False, name=None)
    assert sorted(given) == sorted(map(tuple, expected))


@pytest.mark.slow
def test_a_text_of_100_megabytes_is_left_out_by_annotation(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "long.txt").write_bytes(b"word " * 20_000_000)
    (tmp_path / "in" / "good.txt").write_text("A good text.")
    assert corpus(tmp_path / "in", tmp_path / "out", "--max-reject-share", ".5") == 0
    section = manifest(tmp_path / "out")
    assert (section["records"], section["documents"]) == (2, 1)
    assert section["rejects"] == {"too_large": 1}
    (detail,) = pd.read_parquet(tmp_path / "out" / "rejects").detail
    assert detail == "99999999 characters, over 20000000"
