"""Apostrophes: a list, a file of targets or gold has one sign, the text another."""

from pathlib import Path
from typing import Any

import pyarrow as pa
from hostile_meaning import Meaning

from lexbeam.transforms.change.view.words import ViewOptions, load_targets, normalise_word
from lexbeam.transforms.common.options.small_texts import word_lines
from lexbeam.transforms.intake.labelled_targets import locate
from lexbeam.transforms.lexicon.compiled.word_list import WORDS
from lexbeam.transforms.simplification.evaluation.submissions import read_gold
from lexbeam.transforms.simplification.instances.benchmark_layouts import read_annotated

_SAID = ("o'clock", "o’clock", "oʼclock", "o‘clock", "o＇clock", "o′clock", "o`clock")


def _looked_up(path: Path, _: dict[str, Any]) -> str:
    parsed = WORDS.parse(f"{path}:word=word,value=value")
    made = {
        name: table.combine_chunks()
        for name, table in WORDS.compile(parsed.paths, parsed.options)
        if isinstance(table, pa.Table)
    }
    values = WORDS.open(made, parsed.options).look_up(pa.array(_SAID))["value"].to_pylist()
    return ", ".join(
        f"{word} {'-' if value is None else f'{value:g}'}" for word, value in zip(_SAID, values, strict=True)
    )


def _targets(path: Path, _: dict[str, Any]) -> str:
    words = load_targets(word_lines(str(path), "targets"), ViewOptions()).words
    return ", ".join(word for word in _SAID if normalise_word(word, ViewOptions()) in words)


def _annotated(path: Path, _: dict[str, Any]) -> str:
    row = read_annotated(path.read_text().rstrip("\n").split("\t"))
    (place,) = row.places
    return f"{row.sentence[slice(*place)]}: {', '.join(substitute.text for substitute in row.substitutes)}"


def _gold(path: Path, _: dict[str, Any]) -> str:
    (instance,) = read_gold(str(path), "tsar", [])
    return ", ".join(f"{word} {rank}" for word, rank in instance.ranks.items())


def _complexity(path: Path, _: dict[str, Any]) -> str:
    sentence, token = path.read_text().rstrip("\n").split("\t")
    found = locate(sentence, token)
    return f"{sentence[found.start : found.end]} {', '.join(found.flags)}".strip()


_LIST = "word,value\n{}clock,3\nsea,2\n"

APOSTROPHES: dict[str, list[Meaning]] = {
    "Apostrophes": [
        Meaning(
            "a word list with U+2019",
            "a.csv",
            _LIST.format("o’").encode(),
            "o'clock 3, o’clock 3, oʼclock 3, o‘clock 3, o＇clock 3, o′clock -, o`clock -",
            by=_looked_up,
        ),
        Meaning(
            "a word list with both, of which the exact one counts",
            "a.csv",
            "word,value\no’clock,3\no'clock,4\n".encode(),
            "o'clock 4, o’clock 3, oʼclock 4, o‘clock 4, o＇clock 4, o′clock -, o`clock -",
            by=_looked_up,
        ),
        Meaning(
            "targets of change, of which texts have these forms",
            "a.txt",
            "O’clock\n".encode(),
            "o'clock, o’clock, oʼclock, o‘clock, o＇clock",
            by=_targets,
        ),
        Meaning(
            "TSAR, the target straight, its sentence curly",
            "a.tsv",
            "The king’s ship.\tking's\tmonarch's\n".encode(),
            "king’s: monarch's",
            by=_annotated,
        ),
        Meaning(
            "gold of TSAR, a substitute in either way by two people",
            "a.tsv",
            "The king’s ship.\tking's\tmonarch's\truler's\tmonarch’s\tking’s\n".encode(),
            "monarch's 1, ruler's 2",
            by=_gold,
        ),
        Meaning(
            "a target of complexity, straight, its sentence curly",
            "a.tsv",
            "It was o’clock.\to'clock\n".encode(),
            "o’clock",
            by=_complexity,
        ),
    ]
}
