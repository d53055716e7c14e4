"""What every run of the tests loads: imported by the process that killed runs are forked from."""

# ruff: noqa: E402

from lexbeam.transforms.common.spared_imports import spare_imports

spare_imports()  # as the command does, before all that it spares

# isort: split
import gensim.models.word2vec  # noqa: F401

import lexbeam.transforms.annotation.annotate
import lexbeam.transforms.change.graph.ptransforms
import lexbeam.transforms.change.graph.space_ptransforms
import lexbeam.transforms.formats.ingest.ptransforms  # noqa: F401
from lexbeam.pipelines.frame.registry import COMMANDS, load
from lexbeam.transforms.annotation.engines.known_engines import load_engine

load_engine("builtin:en")
for command in map(load, COMMANDS):
    for stage in command.stages:
        stage.code()
