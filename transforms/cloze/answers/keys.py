"""Questions with their right options, as gold: files of the task, read for an evaluation.

What is kept of a question is what metrics and baselines need, so that memory does not grow with the
length of passages.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from lexbeam.transforms.cloze.answers.baselines import stand_in_passage
from lexbeam.transforms.cloze.pairs.pair import GivenTarget, RawPair, article_id
from lexbeam.transforms.cloze.pairs.pair_layouts import InputText, ReadOptions, read_recam
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.system_errors import reason_of
from lexbeam.transforms.evaluation.outcomes import Bools, Ints
from lexbeam.transforms.formats.records.base import Reject

FIVE = 5  # options of a question
UNKNOWN = ""  # the kind of questions whose kind is not stated


class Key(NamedTuple):
    """Questions in the order of their files.

    Attributes:
        ids: of each question: its field `question_id` or `id`, empty without one.
        kinds: of each, `UNKNOWN` where it is not stated.
        articles: the ids of their passages.
        options: their five options.
        labels: which of them is right, from 0.
        standing: which of them stand in the passage, (questions, 5).
    """

    ids: list[str]
    kinds: list[str]
    articles: list[str]
    options: list[tuple[str, ...]]
    labels: Ints
    standing: Bools


def read_key(path: str, kind: str | None) -> Key:
    """Read a file of questions in the task's format, compressed or not.

    Args:
        path: JSON lines with `article`, `question`, `option_0` to `option_4` and `label`.
        kind: of its questions, where neither they nor its name say; None: unknown.

    Raises:
        UsageError: it cannot be read, or a line is no question with five options.
    """
    ids, kinds, articles, options, labels, standing = [], [], [], [], [], []
    for pair, target in _questions(path, kind):
        ids.append(pair.source_id or "")
        kinds.append(target.kind)
        articles.append(article_id(pair.passage))
        options.append(target.options)
        labels.append(target.label)
        standing.append(stand_in_passage(pair.passage, target.options))
    return Key(ids, kinds, articles, options, np.array(labels, np.int64), np.array(standing, bool).reshape(-1, FIVE))


_NEEDED = "a file of questions as JSON lines, as the task has them and `lexbeam cloze questions` writes them"


def _questions(path: str, kind: str | None) -> Iterator[tuple[RawPair, GivenTarget]]:
    shown = f"`gold` {files.shown(path)}"
    try:
        if files.size(path) is None:
            raise UsageError(f"{shown} is not there: check the path")
    except OSError as error:
        raise UsageError(f"{shown} cannot be read: {reason_of(error)}") from error
    text = InputText(path, path, partial(files.open_read, path))
    for _, pair in read_recam(text, ReadOptions(layout="recam", kind=kind or UNKNOWN)):
        where = f"{shown}, line {pair.position}" if pair.position else shown
        if isinstance(pair, Reject):
            raise UsageError(f"{where}: {pair.reason}, {pair.detail}; correct it, or name {_NEEDED}")
        assert pair.target is not None  # this layout's records have one
        options = pair.target.options
        if len(options) != FIVE:
            raise UsageError(f"{where}: {len(options)} options, where {FIVE} should be; name {_NEEDED}")
        yield pair, pair.target


def joined_keys(keys: list[Key]) -> Key:
    """Return the questions of several files as those of one."""
    ids, kinds, articles, options = (
        [value for key in keys for value in getattr(key, name)] for name in Key._fields[:4]
    )
    return Key(
        ids,
        kinds,
        articles,
        options,
        np.concatenate([key.labels for key in keys]),
        np.concatenate([key.standing for key in keys]),
    )
