"""What every run of the tests loads: imported by the process that killed runs are forked from."""

import gensim.models.word2vec  # noqa: F401

import transforms.annotation.ptransforms
import transforms.change.table_ptransforms
import transforms.change.view_ptransforms
import transforms.formats.ptransforms  # noqa: F401
from pipelines.registry import commands, load
from transforms.annotation.base import load_engine

load_engine("builtin:en")
for command in map(load, commands()):
    for stage in command.stages:
        stage.code()
