"""Questions made by hand, published in a folder."""

import sys
from pathlib import Path

import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))

from making import put

from lexbeam.schemas.cloze import QUESTIONS
from lexbeam.transforms.common.publish.sections import Made
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.tables import Part, write_part

KINDS = ("imperceptibility", "nonspecificity")
OPTIONS = ["trust", "hope", "1950", "fear", "law"]


def question(number, kind="nonspecificity", *, label=None, split="train", kept=True, **more):
    """Return a row of cloze/questions; the label is that of its number, if not given."""
    row = dict.fromkeys(QUESTIONS.schema().names)
    row |= {
        "question_id": f"{number:032x}",
        "kind": kind,
        "pair_id": f"p{number}",
        "article_id": f"a{number}",
        "answer": "hope",
        "kept": kept,
        "reason": None if kept else "too_few_options",
    }
    if kept:
        row |= {
            "article": f"Passage {number}.\n\nIt has two paragraphs.",
            "options": OPTIONS,
            "question": f"Number {number} is @placeholder .",
            "split": split,
            "label": number % 5 if label is None else label,
            "origin": "readers",
        }
    return row | more


def publish(out, rows):
    """Publish questions in a folder."""
    rows = sorted(rows, key=lambda row: (row["question_id"], row["kind"]))
    table = pa.Table.from_pylist(rows, QUESTIONS.schema())
    file = write_part(Artefact(f"{out}-questions"), table.schema, [table], sort_keys=QUESTIONS.key)
    parts = (Part.of(QUESTIONS.name, 0, file),)
    entry = {"options": {}, "inputs": []}
    put(out, Made(name="cloze.questions", parts=parts, entry=entry))
    return out
