"""Beam does the work: the stages are labelled transforms behind groupings, the driver only names.

What the pipelines are is read off their protos, what processes do from the files that they open.
"""

import os
import re
import shutil
from collections import Counter

import apache_beam as beam
import pytest
from apache_beam.portability.common_urns import primitives
from dataflow_jobs import check_jobs, check_staged
from mixed import PARTS, SEEDS, SLICES
from mixed_runs import REFERENCE, ROOT, skip_without

from lexbeam.pipelines.frame.command import Graph
from lexbeam.pipelines.frame.configuration import read_jobs
from lexbeam.pipelines.frame.inputs import find_inputs
from lexbeam.transforms.common.publish.snapshots import find_snapshot
from lexbeam.transforms.common.store.artefacts import Workspace

pytestmark = pytest.mark.slow
PAIRS = SLICES * (SLICES - 1) // 2
ALIGNMENTS = 3


def proto_of(config, section, out, tmp_path):
    """Return the proto of the pipeline of a section of a configuration that publishes to `out`."""
    jobs = {job.section: job for job in read_jobs(str(config), {"out": str(out)})}
    command, options = jobs[section].command, jobs[section].options
    plan = command.plan(options, find_inputs(jobs[section], (), find_snapshot(str(out))))
    pipeline = beam.Pipeline(runner="FnApiRunner")
    command.build(pipeline, plan, Graph(Workspace(str(tmp_path / "work")), lanes=0))
    return pipeline.to_runner_api()


def is_behind_a_grouping(proto, name):
    """Follow a transform's main input up; True if only element-wise steps lie before a grouping."""
    transforms = proto.components.transforms
    made_by = {
        collection: transform
        for transform in transforms.values()
        if not transform.subtransforms
        for collection in transform.outputs.values()
    }
    step = next(t for t in transforms.values() if t.unique_name == name)
    while step.spec.urn == primitives.PAR_DO.urn:
        sides = beam_side_inputs(step)
        main = [value for key, value in step.inputs.items() if key not in sides]
        step = made_by[main[0]]
    return step.spec.urn == primitives.GROUP_BY_KEY.urn


def beam_side_inputs(step):
    payload = beam.portability.api.beam_runner_api_pb2.ParDoPayload.FromString(step.spec.payload)
    return set(payload.side_inputs)


def labels_of(proto):
    return {transform.unique_name for transform in proto.components.transforms.values()}


def test_the_corpus_pipeline_ingests_annotates_and_merges(mixed_config, tmp_path):
    proto = proto_of(mixed_config, "corpus", tmp_path / "out", tmp_path)
    for label in ("Ingest/IngestUnit", "Annotate/Make", "Merge/MergeSentences"):
        assert label in labels_of(proto), label
        assert is_behind_a_grouping(proto, label)


def test_the_change_pipeline_trains_aligns_and_scores(mixed_config, tmp_path, run_variant):
    proto = proto_of(mixed_config, "change", run_variant(REFERENCE).out, tmp_path)
    for label in (
        "DeriveView/Derive/Make",
        "MergeSlices/Shuffle/Make",
        "Train/Apart/Make",
        "Align/Align/Make",
        "Score/Make",
        "Combine/Make",
        "Summarise/Make",
        "Neighbours/Make",
    ):
        assert label in labels_of(proto)
        assert is_behind_a_grouping(proto, label), label


def test_dataflow_would_be_sent_whole_jobs(mixed_config, run_variant, tmp_path):
    assert check_jobs(mixed_config, run_variant(REFERENCE).out, tmp_path) == {"corpus", "change"}


def test_dataflow_would_be_sent_the_package_where_the_image_lacks_it(tmp_path):
    shutil.copytree(ROOT / "lexbeam", tmp_path / "lexbeam", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.py", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    check_staged(tmp_path / "setup.py")


def test_every_stage_has_many_elements(run_variant):
    run = run_variant("two processes")
    assert len(run.made("corpus/ingest")) >= 3
    assert len(run.made("corpus/annotate")) >= 3
    for table in ("documents", "sentences", "rejects"):
        assert len(run.made(f"corpus/merge-{table}")) == PARTS
    assert len(run.made("change/view")) == PARTS * SLICES
    assert len(run.made("change/train")) == SLICES * SEEDS
    assert len(run.made("change/align")) == PAIRS * SEEDS * ALIGNMENTS
    assert len(run.made("change/score")) == PAIRS * SEEDS
    assert len(run.made("change/combine")) == PAIRS
    assert len(run.made("change/summarise")) == PAIRS


# What the driver may open while pipelines run: its configuration, the lock, marks, plans, and the
# lists of receipts that a pipeline ends with.
_NAMES = re.compile(
    r"config\.yaml|runner\.yaml|out/\.lock"
    r"|out/(_artefacts|_snapshots)(\.\w+\.tmp)?/\.(lexbeam|history)"
    r"|out/_artefacts/(unfinished|results/\w+/\w+)\.json"
    r"|out/_artefacts/plan/(corpus|change)(/[\w-]+|\.json)"
)
_TEMPORARY = re.compile(r"\.\w{16}\.tmp$")
# Publication reads what it publishes to check it, brings files to the disk by their handles and
# writes the manifest. Only after that does the report to the person read published tables.
_CHECKED = re.compile(r"out/_artefacts/(corpus/merge-\w+|change/\w+)/\w+(-pairs|-points)?\.parquet")
_PUBLISHED = re.compile(r"out(/_snapshots(/\w+(\.\w+\.tmp)?(/.*)?)?)?|out/_snapshots/\w+\.(log\.json|run\.jsonl)")


@pytest.mark.parametrize("name", ["two processes", pytest.param("flink", marks=pytest.mark.soak)])
def test_the_driver_opens_listings_manifests_and_names_of_artefacts(name, run_variant):
    run = run_variant(name)
    other = []
    is_published = False
    for pid, mode, path in run.opened:
        if pid != run.driver:
            continue
        short = "/".join(path.rstrip("/").split(os.sep)[len(run.out.parent.parts) :]) or path
        if path.endswith("config.yaml"):
            short = "config.yaml"
        is_published |= ".run.jsonl." in path  # noted once the snapshot is whole
        short = _TEMPORARY.sub("", short)
        if _PUBLISHED.fullmatch(short):
            if not (is_published or mode == "os.open" or "x" in mode):
                other.append(f"{mode} {short}")
        elif not (_NAMES.fullmatch(short) or ("r" in mode and _CHECKED.fullmatch(short))):
            other.append(f"{mode} {short}")
    assert is_published
    assert other == []


def _shares(run, stage):
    """How much each process made in a stage; the driver is none of them."""
    made = Counter(run.made(stage).values())
    assert run.driver not in made
    return sorted(made.values())


@pytest.mark.parametrize("stage", ["corpus/annotate", "change/train"])
def test_both_worker_processes_annotate_and_train(stage, run_variant):
    assert len(_shares(run_variant("two processes"), stage)) == 2


@pytest.mark.soak
@pytest.mark.parametrize("stage", ["corpus/ingest", "corpus/annotate", "change/train"])
def test_both_slots_of_flink_have_an_equal_share_and_a_process_of_their_own(stage, run_variant):
    one, two = _shares(run_variant("flink"), stage)
    assert two - one <= 1


@pytest.mark.soak
def test_workers_of_flink_live_as_long_as_their_pipeline(run_variant):
    run = run_variant("flink")
    workers = {opened.pid for opened in run.opened} - {run.driver}
    assert len(workers) == 2 * len(("corpus", "change"))


def test_a_wrong_runner_says_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("LEXBEAM_PRISM", str(tmp_path / "none"))
    with pytest.raises(pytest.skip.Exception, match="make prism"):
        skip_without("prism")
