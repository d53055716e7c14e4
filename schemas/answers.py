"""Rejects of answers: why a row of a file that a person filled in gave no answer.

They have the columns of `rejects`; `stage` is `STAGE`, `reason` a key of `REASONS`.
"""

__all__ = ["REASONS", "STAGE"]

STAGE = "answers"

REASONS = {
    "undecodable": "the bytes of the line are not text in the encoding of the file",
    "too_large": "larger than the limit on a line",
    "unknown": "no row of this id was sent out",
    "changed": "a text that was sent out came back as another",
    "no_annotator": "the file has a column `annotator`, and it is empty",
    "empty": "an answer that must be given is not",
    "wrong_answer": "an answer is none of those allowed",
    "doubled": "the same answers of this annotator to this row are there already, and count once",
    "contradictory": "several answers of this annotator to this row that differ: none counts",
    "missing": "a row that was sent out is not in the file; the position is empty",
}
