"""Workers that lack the model of an engine: their machine takes it from the driver, once."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from mixed_runs import ROOT, skip_without
from small_runs import call, write_texts

from benchmarks.damage import published

pytestmark = pytest.mark.soak
# In a namespace of its own, where the folder of the model is empty.
WORKER = """#!/bin/sh
export LEXBEAM_CACHE={cache} PYTHONPATH={root}
exec unshare -r -m sh -c '
mount -t tmpfs tmpfs {model} && exec {python} -m lexbeam.pipelines.runners.worker "$@"' worker "$@"
"""


@pytest.mark.skipif(
    not shutil.which("unshare") or subprocess.run(["unshare", "-r", "-m", "true"], capture_output=True).returncode != 0,
    reason="needs namespaces",
)
def test_workers_without_the_model_make_the_same_bytes(tmp_path):
    skip_without("flink_local")
    texts, model, cache = write_texts(tmp_path / "texts"), tmp_path / "rules_en", tmp_path / "cache"
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(model)
    worker = tmp_path / "worker"
    worker.write_text(WORKER.format(cache=cache, root=ROOT, model=model, python=sys.executable))
    worker.chmod(0o755)
    own = tmp_path / "flink.yaml"
    text = (ROOT / "runner_configs" / "flink_local.yaml").read_text()
    own.write_text(text.replace("${HERE}/flink/worker", str(worker)).replace("${HERE}", str(ROOT / "runner_configs")))
    words = ["corpus", texts, "--engine", f"spacy:{model}"]
    assert call(*words, "--out", tmp_path / "here") == 0
    assert call(*words, "--out", tmp_path / "there", "--runner-config", own) == 0
    assert published(tmp_path / "there") == published(tmp_path / "here")
    (copy,) = [path for path in (cache / "models").iterdir() if path.is_dir()]
    assert sorted(p.name for p in Path(copy).iterdir()) == sorted(os.listdir(model))
