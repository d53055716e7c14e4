"""What every run of the tests loads: imported by the process that killed runs are forked from."""

# ruff: noqa: E402

from transforms.common.spared_imports import spare_imports

spare_imports()  # as the command does, before all that it spares

# isort: split
import gensim.models.word2vec  # noqa: F401

import transforms.annotation.ptransforms
import transforms.change.graph.ptransforms
import transforms.change.graph.view_ptransforms
import transforms.formats.ingest.ptransforms  # noqa: F401
from pipelines.frame.registry import COMMANDS, load
from transforms.annotation.engines.registry import load_engine

load_engine("builtin:en")
for command in map(load, COMMANDS):
    for stage in command.stages:
        stage.code()
