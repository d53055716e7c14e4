"""What every run of the tests loads: imported by the process that killed runs are forked from."""

import gensim.models.word2vec  # noqa: F401

import transforms.annotation.ptransforms
import transforms.change.graph.table_ptransforms
import transforms.change.graph.view_ptransforms
import transforms.formats.ingest.ptransforms  # noqa: F401
from pipelines.frame.registry import COMMANDS, load
from transforms.annotation.engines.registry import load_engine

load_engine("builtin:en")
for command in map(load, COMMANDS):
    for stage in command.stages:
        stage.code()
