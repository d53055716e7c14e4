"""Metrics: read back by Prometheus's own parser."""

import dataclasses
import os

import pyarrow as pa
import pytest
from making import made_section, put
from prometheus_client.parser import text_string_to_metric_families

from lexbeam.pipelines.monitoring.prometheus import STATES, FolderState, check_metrics_file, exposition, write_metrics
from lexbeam.schemas.common_tables import REJECTS
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.publish.run_log import RunLine
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.tables import Part, write_part

NOW = 1_900_000_000.0
NOTHING = FolderState("/data/out", None, None, {}, failed=False)


def samples(text):
    """The value of each sample by its name and labels, those of the folder left out."""
    found = {}
    for family in text_string_to_metric_families(text):
        assert family.documentation
        assert family.type == "gauge"
        for sample in family.samples:
            labels = {name: value for name, value in sample.labels.items() if name != "folder"}
            key = (sample.name.removeprefix("lexbeam_"), *(value for _, value in sorted(labels.items())))
            assert key not in found
            found[key] = sample.value
    return found


@pytest.fixture
def published(tmp_path):
    """A folder with two sections, one of which says why records were left out, in two parts."""
    corpus = made_section(tmp_path / "w", "corpus", {"documents": [["a", "b"], ["c"]]})
    parts = []
    for number, reasons in enumerate((["duplicate", "malformed"], ["duplicate", 'odd "\\\n reason'])):
        rows = [{name: name for name in REJECTS.schema().names} | {"reason": reason} for reason in reasons]
        artefact = Artefact(str(tmp_path / f"rejects-{number}"))
        made = write_part(artefact, REJECTS.schema(), [pa.Table.from_pylist(rows, REJECTS.schema())])
        parts.append(Part.of(REJECTS.name, number, made))
    log = [
        RunLine(stage="corpus/ingest", worker="a:1", at="t", seconds=1.5, elements=2, documents=3, tokens=4),
        RunLine(stage="corpus/ingest", worker="a:2", at="t", seconds=2.0, elements=1, there=7),
        RunLine(stage="corpus", worker="driver", at="t", seconds=9.0),
    ]
    corpus = dataclasses.replace(corpus, parts=(*corpus.parts, *parts), took=tuple(log))
    put(tmp_path / "out", corpus, made_section(tmp_path / "v", "change", {"scores": [["s"]]}))
    return open_snapshot(str(tmp_path / "out"))


def test_a_folder_is_told_by_what_it_holds(published):
    states = {"corpus": ["stale", "failed"]}
    state = FolderState(published.out, published, NOW - 60, states, True, ["rejects", "other/rejects"], seconds=12.5)
    found = samples(exposition(state, NOW))
    assert found["table_rows", "documents"] == 3
    assert found["rejected_records", "duplicate", "rejects"] == 2
    assert found["rejected_records", 'odd "\\\n reason', "rejects"] == 1
    assert found["stage_seconds", "corpus/ingest"] == 3.5
    assert found["stage_artefacts", "corpus/ingest"] == 3
    assert (found["stage_documents", "corpus/ingest"], found["stage_tokens", "corpus/ingest"]) == (3, 4)
    assert found["section_seconds", "corpus"] == 9.0
    assert {key[2]: value for key, value in found.items() if key[:2] == ("section_state", "corpus")} == {
        "stale": 1,
        "failed": 1,
        "held": 0,
    }
    assert sum(found["section_state", "change", state] for state in STATES) == 0
    assert (found["newest_document_timestamp_seconds",], found["newest_document_age_seconds",]) == (NOW - 60, 60)
    at = os.path.getmtime(published.folder + ".run.jsonl")
    assert found["last_success_timestamp_seconds",] == pytest.approx(at)
    assert found["last_success_age_seconds",] == pytest.approx(NOW - at)
    assert (found["failed",], found["run_seconds",], found["untold_publications",]) == (1, 12.5, 0)
    assert found["written_timestamp_seconds",] == NOW
    assert found["snapshot_info", published.name] == 1


def test_where_nothing_is_published_it_says_what_it_knows():
    found = samples(exposition(NOTHING, NOW))
    assert {key[0] for key in found} == {"info", "written_timestamp_seconds", "failed"}
    held = NOTHING._replace(failed=True, states={"corpus": ["held"]})
    assert samples(exposition(held, NOW))["section_state", "corpus", "held"] == 1


def test_each_sample_has_the_folder_whatever_its_name():
    text = exposition(NOTHING._replace(out='/a "b"\\c'), NOW)
    for family in text_string_to_metric_families(text):
        assert [sample.labels["folder"] for sample in family.samples] == ['/a "b"\\c']


def test_nothing_grows_with_documents(tmp_path):
    lines = []
    for number in (3, 300):
        out = tmp_path / str(number)
        put(out, made_section(tmp_path / f"w{number}", "corpus", {"documents": [["a"] * number]}))
        state = FolderState(str(out), open_snapshot(str(out)), NOW, {}, failed=False)
        lines.append(exposition(state, NOW).count("\n"))
    assert lines[0] == lines[1]


def test_the_file_is_there_whole_or_not_at_all(tmp_path):
    path = tmp_path / "lexbeam.prom"
    write_metrics(str(path), NOTHING)
    before = path.read_text()
    assert samples(before)
    assert os.stat(path).st_mode & 0o044 == 0o044 & ~_umask(), "a collector is another user"
    path.chmod(0o400)
    write_metrics(str(path), NOTHING._replace(failed=True))  # a new file in its place
    assert os.listdir(tmp_path) == ["lexbeam.prom"]
    assert before != path.read_text()


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_it_is_a_file_of_this_machine():
    check_metrics_file("/var/lib/node_exporter/lexbeam.prom")
    with pytest.raises(UsageError, match="on this machine"):
        check_metrics_file("s3://bucket/lexbeam.prom")
