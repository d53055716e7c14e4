"""Files that people fill in, predictions and gold, broken at will: an input is decided by reader, seed and number."""

import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from people_making import COMPLEXITY, RATINGS, ROWS, rated, text_from

from lexbeam.transforms.change.scores.gold import GoldOptions
from lexbeam.transforms.change.scores.gold import read_gold as read_change_gold
from lexbeam.transforms.change.view.view_stage import ViewOptions
from lexbeam.transforms.cloze.answers.five_way import read_answers as read_cloze_answers
from lexbeam.transforms.cloze.questions.answer_sheets import AnnotationOptions, Question, read_annotations
from lexbeam.transforms.common.errors import LexbeamError, readable
from lexbeam.transforms.complexity.instances.official_files import read_scores
from lexbeam.transforms.complexity.labels.judgments import JudgmentFileOptions, read_groups
from lexbeam.transforms.complexity.labels.judgments import read_judgments as read_ratings
from lexbeam.transforms.people.answered_sheets import read_answers
from lexbeam.transforms.simplification.evaluation.submissions import read_gold, read_predictions
from lexbeam.transforms.simplification.instances.judgments import SimplifiableOptions, read_judgments

QUESTIONS = {("q1", "imperceptibility"): Question(("a", "b", "c", "d", "e"), 0)}
INSTANCES = pa.table(
    {
        "instance_id": ["i1", "i2"],
        "sentence": ["A cat.", "A dog."],
        "token": ["cat", "dog"],
        "start": [2, 2],
        "end": [5, 5],
    }
)


class Filled(NamedTuple):
    """A kind of file: its name, files as they should be, and what reads one; it returns what it has found."""

    name: str
    whole: tuple[bytes, ...]
    read: Callable[[str], object]


def _parquet() -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.table({"word": ["plane", "tree"], "binary": [1, 0]}), stream)
    return stream.getvalue()


def _asked() -> pa.Table:
    raise LexbeamError("no sheet was sent for answers.csv")


TABLE = (b"instance_id\trating\tannotator\ni1\t3\tann\ni2\t5\tann\n", b'instance_id,rating\n"i1","4"\ni2,very easy\n')
VIEW = ViewOptions()
READERS: dict[str, Filled] = {
    "sheet": Filled(
        "complexity.ann.tsv",
        tuple(text_from(rated(RATINGS), **how).encode() for how in ({}, {"delimiter": ";"}, {"delimiter": ","})),
        lambda path: read_answers(COMPLEXITY, ROWS, path),
    ),
    "ratings": Filled("ratings.csv", TABLE, lambda path: read_ratings([path], INSTANCES, JudgmentFileOptions())),
    "ratings as JSON lines": Filled(
        "ratings.jsonl",
        (b'{"instance_id": "i1", "rating": 3}\n{"instance_id": "i2", "rating": "5", "annotator": "b"}\n',),
        lambda path: read_ratings([path], INSTANCES, JudgmentFileOptions()),
    ),
    "groups": Filled("groups.tsv", (b"ann\texperts\nbob\tothers\n",), read_groups),
    "simplifiable": Filled(
        "judged.tsv",
        (b"sentence\ttarget\tjudgment\tannotator\nA cat.\tcat\tsimplifiable\tann\nA dog.\tdog\tnot\tjoint\n",),
        lambda path: read_judgments([path], SimplifiableOptions()),
    ),
    "cloze annotations": Filled(
        "answers.csv",
        (b"question_id,annotator_id,answer\nq1,ann,0\nq1,bob,4\n",),
        lambda path: read_annotations([path], QUESTIONS, _asked, AnnotationOptions()),
    ),
    "cloze predictions": Filled(
        "predictions.csv",
        (b"0,1\n1,4\n", b'{"id": "q1", "label": 3}\n{"index": 1, "scores": [1, 2, 3.5, 0, -1]}\n'),
        read_cloze_answers,
    ),
    "complexity scores": Filled(
        "scores.csv",
        (b"id,score\ni1,0.5\ni2,.25\n", b"id\tcorpus\tsentence\ttoken\tcomplexity\ni1\tbible\tA cat.\tcat\t0.1\n"),
        lambda path: read_scores(path, "predictions"),
    ),
    "simplification gold": Filled(
        "gold.tsv",
        (b"A cat sat.\tcat\tanimal\tpet\tpet\nA dog.\tdog\tpet\n",),
        lambda path: read_gold(path, "tsar", []),
    ),
    "ranked gold": Filled(
        "benchls.tsv", (b"A cat sat.\tcat\t1\t1:animal\t2:pet\n",), lambda path: read_gold(path, "benchls", [])
    ),
    "substitutes": Filled("run.tsv", (b"A cat sat.\tcat\tanimal\tpet\nA dog.\tdog\n",), read_predictions),
    "change gold": Filled(
        "gold.tsv",
        (b"word\tbinary\tgraded\nplane\t1\t0.8\ntree\t0\t0\n", _parquet()),
        lambda path: read_change_gold(GoldOptions(gold=path), VIEW),
    ),
    "change classes": Filled(
        "binary.txt", (b"plane\t1\ntree\t0\n",), lambda path: read_change_gold(GoldOptions(binary=path), VIEW)
    ),
    "change grades": Filled(
        "graded.txt", (b"plane\t0.8\ntree\t0\n",), lambda path: read_change_gold(GoldOptions(graded=path), VIEW)
    ),
}

# What stands in no such file, or ends cells, lines, numbers and objects where nobody expects it.
_ODD = [
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"\xcc\x81" * 40,
    b"\x1f\x8b",
    b"PAR1",
]
_SIGNS = [
    b"\t",
    b"\n",
    b"\r",
    b"\r\n",
    b",",
    b";",
    b'"',
    b'""',
    b"'",
    b"#",
    b"=",
    b"# lexbeam sheet complexity, version 2: 1 rows",
]
_NUMBERS = [b"nan", b"inf", b"-1", b"1e999", b"9" * 400, b"0x1", b"1_0", "٣".encode(), b"1,5", b"True", b"null"]
_JSON = [b"{}", b"[" * 3000, b'{"id": 1e400}', b'{"scores": [1, 2]}', b'{"a": "\\ud800"}']
_PIECES = (*_ODD, *_SIGNS, *_NUMBERS, *_JSON, b"x" * 140_000)


def _mutated(data: bytes, draw: random.Random) -> bytes:
    """Return data with one change."""
    start, end = sorted(draw.randrange(len(data) + 1) for _ in range(2))
    lines = data.splitlines(keepends=True) or [b""]
    place = draw.randrange(len(lines))
    how = draw.randrange(8)
    if how < 3:
        return data[:start] + draw.choice(_PIECES) + data[start:]
    if how == 3:
        return data[:start] + data[end:]
    if how == 4:
        return b"".join([*lines[:place], lines[place], *lines[place:]])
    if how == 5:
        return b"".join(draw.sample(lines, len(lines)))
    if how == 6:
        return data[:start] + bytes([draw.randrange(256)]) + data[start + 1 :]
    codec = draw.choice(["utf-16", "utf-16-le", "utf-32", "latin-1"])
    return data.decode("utf-8", "replace").encode(codec, "replace")


def broken(reader: str, seed: int, number: int) -> bytes:
    """Return a file of a reader with up to six changes."""
    draw = random.Random(f"{reader} {seed} {number}")
    data = draw.choice(READERS[reader].whole)
    for _ in range(draw.randrange(7)):
        data = _mutated(data, draw)
    return data


def outcome(reader: str, data: bytes, folder: Path) -> str:
    """Return what becomes of a file: `read`, `refused`, or what should not be."""
    filled = READERS[reader]
    path = folder / filled.name
    path.write_bytes(data)
    try:
        filled.read(str(path))
    except LexbeamError as error:
        told = readable(str(error))
        said = filled.name in told and len(told) < 3000
        return "refused" if said else f"refused by {told[:200]!r}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]
    return "read"
