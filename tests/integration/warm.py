"""What every run of the tests loads: imported by the process that killed runs are forked from."""

import gensim.models.word2vec  # noqa: F401

import pipelines.run  # noqa: F401
from pipelines import change, corpus
from transforms.annotation.base import load_engine

load_engine("builtin:en")
for stage in (*corpus.STAGES, *change.STAGES):
    stage.code()
